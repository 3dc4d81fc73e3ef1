// Measures requests/s through the client, as a ratio to bare fetch with the same requests, on Node and on Bun.
// Run: npm run bench:client [-- --rounds 12 --callers 16]

import { join } from "node:path";
import { parseArgs } from "node:util";
import { temporaryFolder } from "../test/harness/folder.ts";
import { cleanUpOnAnyEnd, endRun, median, say, whole } from "./common/tools.ts";
import { makeStore, startService } from "./contenders/service.ts";
import type { Load, Measured, Rates } from "./load/client-load.ts";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "12" },
    callers: { type: "string", default: "16" },
  },
});
const ANIMALS = 10_000;
const TARGET = 0.8;

cleanUpOnAnyEnd();
const folder = temporaryFolder();
const store = await makeStore(folder, "store", ANIMALS);
const { origin } = await startService(store);
const load: Load = {
  baseUrl: `${origin}/v1`,
  apiKey: store.secret,
  rounds: Number(options.rounds),
  roundMs: 250,
  warmUpMs: 1_500,
  callers: Number(options.callers),
};
const program = await writeProgram();
let isMet = true;
for (const [runtime, executable] of [
  ["Node", "node"],
  ["Bun", process.execPath],
] as const) {
  const measured = await runIn(executable);
  for (const [work, rates] of Object.entries(measured)) isMet = report(`${runtime}, ${work}`, rates) && isMet;
}
await endRun(
  isMet ? 0 : 1,
  isMet ? `All ratios are at least ${TARGET}.` : `A ratio is below the target, which is ${TARGET}.`,
);

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

/** Prints the medians, and returns whether the median of the rounds' ratios suffices. */
function report(what: string, { bare, client }: Measured[string]): boolean {
  const ratio = (of: keyof Rates): number => median(client.map((rates, i) => rates[of] / (bare[i] as Rates)[of]));
  const [ours, theirs] = [client, bare].map((rates) => whole(median(rates.map(({ perSecond }) => perSecond))));
  const [byWall, byCpu] = [ratio("perSecond"), ratio("perCpuSecond")].map((value) => value.toFixed(2));
  say(`${what.padEnd(20)} ${byWall} (by CPU time ${byCpu}): ${ours} requests/s, bare fetch ${theirs}`);
  return ratio("perSecond") >= TARGET;
}
