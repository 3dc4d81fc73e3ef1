// Checks who imports whom, and that folders stay small. Usage: bun scripts/rooms.ts

import { dirname, join, normalize } from "node:path";

/** The files of a tree, each with what it imports as its source spells it. */
export type Imports = ReadonlyMap<string, readonly string[]>;

interface Room {
  /** A folder, or a file at the root of src/. */
  readonly path: string;
  /** Files and folders of other rooms that it may import. */
  readonly mayImport: readonly string[];
  readonly rule: string;
}

const room = (path: string, mayImport: string, rule: string): Room => ({
  path,
  mayImport: mayImport.split(" ").filter(Boolean),
  rule,
});

const COMMON = "src/base src/domain";
const ADAPTER = `${COMMON} src/store/ports src/store/sql src/store/schema src/store/files src/store/urls src/store/migrations`;
const EVERYTHING_BELOW = `${COMMON} src/telemetry src/store src/meter src/access src/keys src/bulk src/http src/console`;

/** Every room, from the ground up. The longest path that a file is below is its room; tests are in none. */
const ROOMS: readonly Room[] = [
  room("src/base", "", "imports nothing else of ours"),
  room("src/domain", "src/base", "holds rules: pass in what a rule needs"),
  room("src/telemetry", COMMON, "takes plain settings"),
  room("src/meter", COMMON, "declares what it needs of others as a port"),
  room("src/store", COMMON, "opens an adapter behind its ports"),
  room("src/store/ports", COMMON, "describes what is kept, whatever keeps it"),
  room("src/store/sql", `${COMMON} src/store/ports`, "is shared by the adapters, so it knows neither"),
  room(
    "src/store/schema",
    `${COMMON} src/store/sql src/store/ports src/store/urls`,
    "is shared by the adapters, so it knows neither",
  ),
  room("src/store/migrations", "src/store/schema/migrate.ts", "is SQL: its list needs nothing else"),
  room("src/store/sqlite", ADAPTER, "knows what both adapters share, and not the other one"),
  room("src/store/postgres", ADAPTER, "knows what both adapters share, and not the other one"),
  room("src/access", `${COMMON} src/store/ports src/meter/meter.ts`, "uses ports, never an adapter"),
  room(
    "src/keys",
    `${COMMON} src/store/ports src/store/urls src/store/files`,
    "is called by cli/, console/ and http/, and uses ports",
  ),
  room("src/bulk", `${COMMON} src/store/ports src/store/files`, "is called by cli/ and console/, and uses ports"),
  room(
    "src/http",
    `${COMMON} src/access src/keys/queries/usage.ts src/keys/rotate-own.ts src/store/ports src/telemetry/log.ts src/telemetry/telemetry.ts`,
    "is handed everything else by start.ts",
  ),
  room(
    "src/console",
    `${COMMON} src/access/address.ts src/bulk src/keys src/http/pipeline src/http/request src/http/faults src/http/pages src/store/ports src/store/urls src/store/files src/telemetry/log.ts`,
    "is handed everything else by console-thread.ts",
  ),
  room("src/console/api", COMMON, "is what pages and server say to each other, in the words of the domain alone"),
  room(
    "src/config.ts",
    `${COMMON} src/access/address.ts src/http/cors/origins.ts src/http/request/known-hosts.ts src/meter/redis-url.ts src/store/urls src/telemetry/log.ts`,
    "imports only what parses a setting",
  ),
  room(
    "src/start",
    `${COMMON} src/telemetry src/access src/keys/operator-key.ts src/http src/console/auth/link.ts src/meter/open.ts src/store/ports src/store/urls src/config.ts`,
    "is handed its parts by start.ts",
  ),
  room(
    "src/start.ts",
    `${EVERYTHING_BELOW} src/config.ts src/start src/thread.ts src/console-thread.ts`,
    "is called by commands",
  ),
  room("src/thread.ts", `${EVERYTHING_BELOW} src/config.ts src/start`, "is started by start.ts"),
  room("src/console-thread.ts", `${EVERYTHING_BELOW} src/config.ts src/start`, "is started by start.ts"),
  room(
    "src/cli",
    `${COMMON} src/bulk src/keys src/console/auth/link.ts src/config.ts src/start.ts src/telemetry/log.ts src/telemetry/output.ts src/meter/open.ts src/store/open.ts src/store/backup.ts src/store/ports src/store/urls src/store/copy src/store/files`,
    "calls use-cases, start.ts and what opens a store",
  ),
  room("client/src", "", "needs nothing but itself and what every runtime has"),
  room(
    "client/testing",
    `${COMMON} src/access src/http src/store/ports src/meter/meter.ts src/telemetry/telemetry.ts client/src/testing.ts`,
    "puts the rules of the service in the place of a service, and has a store in memory of its own",
  ),
  room("console", `${COMMON} src/console/api`, "takes of src/ what it says to the server, and rules of the domain"),
];

/** The most entries that a folder may have, tests not counted: a table of contents fits a glance. */
const ENTRIES_MAX = 16;

/** Every violation, in a sentence each. */
export function violations(imports: Imports): readonly string[] {
  return [...forbiddenImports(imports), ...circles(imports), ...overfullFolders([...imports.keys()])];
}

function forbiddenImports(imports: Imports): readonly string[] {
  const found: string[] = [];
  for (const [file, specifiers] of imports) {
    const own = roomOf(file);
    if (!own) found.push(`${file} is in no room: add one to scripts/rooms.ts`);
    else for (const specifier of specifiers) found.push(...objections(file, own, specifier));
  }
  return found;
}

function objections(file: string, own: Room, specifier: string): readonly string[] {
  const imported = pathOf(file, specifier);
  if (imported === undefined)
    return own.path.startsWith("client/") ? [`${file} imports ${specifier}: ${own.path} ${own.rule}`] : [];
  if (roomOf(imported)?.path === own.path || !isOurs(imported)) return [];
  // Files at the root of a room may assemble the smaller rooms in it.
  const isAllowed = [...own.mayImport, own.path].some((path) => isWithin(imported, path));
  return isAllowed ? [] : [`${file} imports ${imported}: ${own.path} ${own.rule}`];
}

/** Circles between the entries of one folder, its rooms included: arrows must run one way. */
function circles(imports: Imports): readonly string[] {
  const found: string[] = [];
  for (const folder of foldersOf([...imports.keys()])) {
    const arrows = new Map<string, Set<string>>();
    for (const [file, specifiers] of imports)
      for (const imported of specifiers.map((specifier) => pathOf(file, specifier))) {
        const from = entryIn(folder, file);
        const to = imported && entryIn(folder, imported);
        if (from && to && from !== to) arrows.set(from, (arrows.get(from) ?? new Set()).add(to));
      }
    const circle = circleIn(arrows);
    if (circle) found.push(`${folder} has a circle: ${circle.join(" → ")}`);
  }
  return found;
}

function circleIn(arrows: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] | undefined {
  const done = new Set<string>();
  const visit = (entry: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(entry)) return [...path.slice(path.indexOf(entry)), entry];
    if (done.has(entry)) return undefined;
    for (const next of arrows.get(entry) ?? []) {
      const circle = visit(next, [...path, entry]);
      if (circle) return circle;
    }
    done.add(entry);
    return undefined;
  };
  for (const entry of arrows.keys()) {
    const circle = visit(entry, []);
    if (circle) return circle;
  }
  return undefined;
}

const overfullFolders = (files: readonly string[]): readonly string[] =>
  foldersOf(files)
    .map((folder) => ({ folder, entries: new Set(files.flatMap((file) => entryIn(folder, file) ?? [])).size }))
    .filter(({ entries }) => entries > ENTRIES_MAX)
    .map(({ folder, entries }) => `${folder} has ${entries} entries, more than ${ENTRIES_MAX}: make rooms in it`);

const foldersOf = (files: readonly string[]): readonly string[] =>
  [...new Set(files.flatMap((file) => file.split("/").map((_, i, parts) => parts.slice(0, i).join("/"))))].filter(
    Boolean,
  );

const entryIn = (folder: string, file: string): string | undefined =>
  file.startsWith(`${folder}/`) ? file.slice(folder.length + 1).split("/")[0] : undefined;

const isWithin = (file: string, path: string): boolean => file === path || file.startsWith(`${path}/`);
const isOurs = (file: string): boolean => file !== "package.json" && !isWithin(file, "node_modules");
const roomOf = (file: string): Room | undefined =>
  ROOMS.filter(({ path }) => isWithin(file, path)).sort((a, b) => b.path.length - a.path.length)[0];

/** The path of an imported file of ours; undefined for a package. */
export const pathOf = (file: string, specifier: string): string | undefined =>
  specifier.startsWith(".") ? normalize(join(dirname(file), specifier)) : undefined;

const SOURCE = /^(src|client\/src|client\/testing|console)\/.*\.tsx?$/;
const IMPORT = /(?:^import |\bfrom )"([^"\n]+)"|\bimport\("([^"\n]+)"\)/gm;

/** The sources below a folder, each with what it imports. */
export async function importsOf(root: string): Promise<Imports> {
  const files = [...new Bun.Glob("{src,client,console}/**").scanSync({ cwd: root })].sort();
  const sources = files.filter((file) => SOURCE.test(file) && !file.includes(".test."));
  const read = async (file: string) => {
    const found = (await Bun.file(join(root, file)).text()).matchAll(IMPORT);
    return [file, [...found].map(([, statement, call]) => statement ?? call ?? "")] as const;
  };
  return new Map(await Promise.all(sources.map(read)));
}

if (import.meta.main) {
  const found = violations(await importsOf(join(import.meta.dir, "..")));
  for (const violation of found) console.error(violation);
  process.exitCode = found.length > 0 ? 1 : 0;
}
