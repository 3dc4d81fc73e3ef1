// Measures the CPU time of a call through the client, as a ratio to bare fetch with the same requests, on Node and on Bun.
// Run: npm run bench:client [-- --turns 300 --callers 16]

import { Database } from "bun:sqlite";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { temporaryFolder } from "../test/harness/folder.ts";
import { cleanUpOnAnyEnd, endRun, lowerQuartile, say } from "./common/tools.ts";
import { databaseOf, makeStore, startService } from "./contenders/service.ts";
import type { Load, Measured } from "./load/client-load.ts";

const { values: options } = parseArgs({
  options: {
    turns: { type: "string", default: "300" },
    callers: { type: "string", default: "16" },
  },
});
const ANIMALS = 10_000;
/** The least ratio of the CPU time of bare fetch to that of the client. */
const TARGETS: Readonly<Record<string, readonly number[]>> = { Node: [0.72, 0.78, 0.62], Bun: [0.62, 0.68, 0.48] };

cleanUpOnAnyEnd();
const folder = temporaryFolder();
const store = await makeStore(folder, "store", ANIMALS);
enlargeCategories(databaseOf(store));
const { origin } = await startService(store);
const load: Load = {
  baseUrl: `${origin}/v1`,
  apiKey: store.secret,
  turns: Number(options.turns),
  perTurn: 48,
  callers: Number(options.callers),
  // The page begins after the hundredth animal.
  largeCursor: (101).toString(16).padStart(16, "0"),
};
const program = await writeProgram();
let isMet = true;
for (const [runtime, executable] of [
  ["Node", "node"],
  ["Bun", process.execPath],
] as const) {
  const measured = await runIn(executable);
  for (const [index, [work, micros]] of Object.entries(measured).entries())
    isMet = report(`${runtime}, ${work}`, micros, TARGETS[runtime]?.[index] ?? 1) && isMet;
}
await endRun(isMet ? 0 : 1, isMet ? "All ratios reach their targets." : "A ratio is below its target.");

/** Gives one animal in seven, of those behind the first page, a category beyond 2^53. */
function enlargeCategories(path: string): void {
  const database = new Database(path);
  database.run("UPDATE animals SET category_id = 9007199254740993 + id WHERE id BETWEEN 101 AND 200 AND id % 7 = 0");
  database.close();
}

/** Bundles the load and the client into one module. */
async function writeProgram(): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dir, "load/client-load.ts")],
    target: "node",
    format: "esm",
  });
  const main = `${await (outputs[0] as Blob).text()}\nconsole.log(JSON.stringify(await measure(${JSON.stringify(load)})));`;
  const path = join(folder, "load.mjs");
  await Bun.write(path, main);
  return path;
}

async function runIn(executable: string): Promise<Measured> {
  const child = Bun.spawn([executable, program], { stdin: "ignore", stdout: "pipe", stderr: "inherit" });
  const out = await child.stdout.text();
  if ((await child.exited) !== 0) throw new Error(`${executable} failed.`);
  return JSON.parse(out);
}

/** Prints the lower quartiles, and returns whether their ratio suffices. */
function report(what: string, { bare, client }: Measured[string], target: number): boolean {
  const [theirs, ours] = [lowerQuartile(bare), lowerQuartile(client)];
  const ratio = theirs / ours;
  const micros = `${ours.toFixed(0)} µs of CPU time a call, bare fetch ${theirs.toFixed(0)} µs`;
  say(`${what.padEnd(34)} ${ratio.toFixed(2)} (target ${target.toFixed(2)}): ${micros}`);
  return ratio >= target;
}
