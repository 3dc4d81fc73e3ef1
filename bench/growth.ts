// Compares an embedded store of a million animals with one of a hundred million: what grows, and what does not.
// Run: npm run bench:growth [-- --animals 100000000 --rounds 5]

import { rmSync, statfsSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { temporaryFolder } from "../test/harness/folder.ts";
import { timed } from "./common/timed.ts";
import { cleanUpOnAnyEnd, endRun, median, type Request, requireTools, say, whole } from "./common/tools.ts";
import { anyPages, CREATE, getPet, ourCursor } from "./common/workloads.ts";
import { databaseOf, makeStore, type OurStore, startService } from "./contenders/service.ts";
import { measure, writeRequests } from "./load/load.ts";
import { residentMb } from "./measures/memory.ts";
import { describeMachine } from "./report/machine.ts";
import { table } from "./report/sections.ts";

const { values: options } = parseArgs({
  options: { animals: { type: "string", default: "100000000" }, rounds: { type: "string", default: "5" } },
});
const MILLION = 1_000_000;
const ROUNDS = Number(options.rounds);
const CONNECTIONS = 64;
const SECONDS = 2;
const REQUESTS = 100_000;
const CATEGORIES = 50;
const IMPORTED = 200_000;
/** The database, a backup of it, and the larger one of an export and the log. */
const BYTES_PER_ANIMAL = 2 * 120 + 60;

/** The requests of each kind, on a store of so many animals. No cache has the answer to any but a few of them. */
const WORK: Readonly<Record<string, (animals: number) => Request[]>> = {
  creation: () => [CREATE],
  "any animal": (animals) => many(() => getPet(anyId(animals))),
  "any page": (animals) => anyPages(animals),
  "any page of a category": (animals) =>
    many(() => list(`categoryId=${anyId(CATEGORIES) - 1}&cursor=${ourCursor(anyId(animals * 0.9))}`)),
  "first page of any name": (animals) => many(() => list(`name=${encodeURIComponent(`animal ${anyId(animals)}`)}`)),
};

const many = (make: () => Request): Request[] => Array.from({ length: REQUESTS }, make);
const anyId = (max: number): number => 1 + Math.floor(Math.random() * max);
const list = (query: string): Request => ({ method: "GET", path: `/v1/pets?${query}` });

/** The figures of one store, by what was measured. */
class Figures {
  readonly #values = new Map<string, number[]>();

  add(what: string, value: number): void {
    this.#values.set(what, [...(this.#values.get(what) ?? []), value]);
  }

  get names(): string[] {
    return [...this.#values.keys()];
  }

  of(what: string): number {
    return median(this.#values.get(what) ?? []);
  }
}

interface Measured {
  readonly store: OurStore;
  readonly figures: Figures;
}

/** Returns how many animals there is room for: at most as many as are asked for. */
function sizeThatFits(wanted: number): number {
  const { bavail, bsize } = statfsSync(tmpdir());
  const room = Math.floor((bavail * bsize) / BYTES_PER_ANIMAL / MILLION) * MILLION;
  if (room >= wanted) return wanted;
  say(`${tmpdir()} has room for ${whole(room)} animals, not for ${whole(wanted)}.`);
  return room;
}

async function measureRequests({ store, figures }: Measured): Promise<void> {
  const { origin, pid, startedInMs, stop } = await startService(store);
  figures.add("start to the first response, ms", startedInMs);
  for (const name of Object.keys(WORK)) {
    const load = { origin, pid, secret: store.secret, connections: CONNECTIONS, requestsFile: requestsOf(store, name) };
    await measure({ ...load, seconds: 1 });
    const { perSecond, p99Ms, cpuMicros } = await measure({ ...load, seconds: SECONDS });
    figures.add(`${name}, requests/s`, perSecond);
    figures.add(`${name}, CPU µs`, cpuMicros);
    figures.add(`${name}, p99 ms`, p99Ms);
    say(
      `${whole(store.animals).padStart(11)} animals  ${name.padEnd(24)} ${whole(perSecond)} requests/s, p99 ${p99Ms.toFixed(2)} ms, CPU ${cpuMicros.toFixed(1)} µs`,
    );
  }
  figures.add("memory of the service, MB", await residentMb(pid));
  await stop();
}

const requestsOf = ({ folder }: OurStore, name: string): string => join(folder, `${name}.requests`);

async function measureCommands({ store, figures }: Measured): Promise<void> {
  const { folder, env, executable, animals } = store;
  const input = join(folder, "new.csv");
  await Bun.write(input, `name,categoryId\n${"Rex,7\n".repeat(IMPORTED)}`);
  const [backup, exported] = [join(folder, "backup.db"), join(folder, "animals.csv")];
  const commands: [name: string, args: string[], handled: number][] = [
    ["backup", ["backup", backup], animals],
    ["export", ["animals", "export", "--to", exported], animals],
    ["import of 200,000", ["animals", "import", input], IMPORTED],
  ];
  for (const [name, args, handled] of commands) {
    const { seconds, megabytes } = await timed([executable, ...args], folder, env);
    figures.add(`${name}, s per million`, (seconds * MILLION) / handled);
    figures.add(`${name}, memory MB`, megabytes);
    say(`${whole(animals).padStart(11)} animals  ${name.padEnd(24)} ${seconds.toFixed(1)} s, ${whole(megabytes)} MB`);
    rmSync(backup, { force: true });
    rmSync(exported, { force: true });
  }
  figures.add("file, bytes per animal", statSync(databaseOf(store)).size / (animals + IMPORTED));
}

async function main(): Promise<void> {
  const parent = temporaryFolder();
  const sizes = [MILLION, sizeThatFits(Number(options.animals))];
  const measured: Measured[] = [];
  for (const [i, animals] of sizes.entries()) {
    const store = await makeStore(parent, `store-${i}`, animals);
    for (const [name, requests] of Object.entries(WORK))
      await writeRequests(requestsOf(store, name), requests(animals));
    measured.push({ store, figures: new Figures() });
  }
  // They take turns, so that they meet the same conditions.
  for (let round = 1; round <= ROUNDS; round++) for (const each of measured) await measureRequests(each);
  for (const each of measured) await measureCommands(each);
  const [small, large] = measured.map(({ figures }) => figures) as [Figures, Figures];
  const rows = small.names.map((name) => {
    const [before, after] = [small.of(name), large.of(name)];
    return [name, figure(before), figure(after), (after / before).toFixed(2)];
  });
  const { revision, cpu, cores, memoryGb, fileSystem } = describeMachine(parent);
  say(`\n${table(["", ...sizes.map((size) => `${whole(size)} animals`), "ratio"], rows)}`);
  say(
    `\nRevision ${revision}; ${cores} × ${cpu}, ${memoryGb} GB, ${fileSystem}; ${ROUNDS === 1 ? "one round" : `medians of ${ROUNDS} rounds`}.`,
  );
}

const figure = (value: number): string => (value >= 100 ? whole(value) : value.toPrecision(3));

cleanUpOnAnyEnd();
requireTools({ wrk: "wrk" });
await main();
await endRun(0);
