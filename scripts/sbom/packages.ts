import { readdirSync } from "node:fs";
import { join } from "node:path";
import { ENTRIES } from "../build.ts";

const ROOT = join(import.meta.dir, "../..");

/** A package whose code is in the executable. */
export interface Bundled {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** npm's checksum of what was installed, such as sha512-…. */
  readonly integrity: string;
  /** The texts of its licence. */
  readonly texts: readonly string[];
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly integrity?: string }>>;
}

/** The packages that the bundler takes files of, for the program and for the pages of the console. */
export async function bundledPackages(): Promise<Bundled[]> {
  const program = Bun.build({ entrypoints: ENTRIES.map(inRoot), target: "bun", splitting: true, metafile: true });
  const pages = Bun.build({ entrypoints: [inRoot("console/index.html")], target: "browser", metafile: true });
  const files = (await Promise.all([program, pages])).flatMap(({ metafile }) => Object.keys(metafile?.inputs ?? {}));
  const folders = new Set(files.flatMap((path) => path.match(/.*node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0] ?? []));
  const lock: Lock = await Bun.file(inRoot("package-lock.json")).json();
  return Promise.all([...folders].sort().map((folder) => describePackage(folder, lock)));
}

async function describePackage(folder: string, lock: Lock): Promise<Bundled> {
  // The bundler names files from the folder in which it runs.
  const path = folder.slice(folder.indexOf("node_modules/"));
  const { name, version, license } = await Bun.file(inRoot(join(path, "package.json"))).json();
  const integrity = lock.packages[path]?.integrity;
  if (!(name && version && typeof license === "string" && integrity))
    throw new Error(`${path}: its package.json has no licence, or the lock file does not have it`);
  const names = readdirSync(inRoot(path)).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  const texts = await Promise.all(names.sort().map((file) => Bun.file(inRoot(join(path, file))).text()));
  return { name, version, license, integrity, texts };
}

function inRoot(path: string): string {
  return join(ROOT, path);
}
