// Compares this service with its ceiling and its peers. See README.md in this folder.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { executableOf } from "../test/harness/service/release.ts";
import { FULL, QUICK } from "./common/settings.ts";
import { Stage } from "./common/stage.ts";
import { cleanUpOnAnyEnd, endRun, failRun, requireTools, say } from "./common/tools.ts";
import { WORKLOADS, type WorkloadName } from "./common/workloads.ts";
import { measureCost } from "./measures/cost.ts";
import { expectedSeconds } from "./measures/duration.ts";
import { measureMemory } from "./measures/memory.ts";
import { measureScale } from "./measures/scale.ts";
import { measureStarts } from "./measures/startup.ts";
import { measureSteady } from "./measures/steady.ts";
import { measureJobs } from "./measures/steady-jobs.ts";
import { measureThreads } from "./measures/threads.ts";
import { measureThroughput } from "./measures/throughput.ts";
import { measureWrites } from "./measures/writes.ts";
import { drawLatencies } from "./report/latency-picture.ts";
import { describeMachine } from "./report/machine.ts";
import { drawPicture } from "./report/picture.ts";
import { LATENCY_PICTURE, PICTURE, targetSection, writeReport } from "./report/report.ts";
import { PARTS, type Part, type Results } from "./report/results.ts";

const OUT = join(import.meta.dir, "out");
const DOCS = join(import.meta.dir, "../docs");
const LAST_RUN = join(OUT, "results.json");

interface Options {
  readonly isQuick: boolean;
  readonly parts: readonly Part[];
  readonly onlyReport: boolean;
  readonly against: string | undefined;
  /** Rows of throughput to measure again, beside the former revision alone. */
  readonly rows: readonly WorkloadName[] | undefined;
  readonly rounds: number | undefined;
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      quick: { type: "boolean" },
      only: { type: "string" },
      report: { type: "boolean" },
      against: { type: "string" },
      again: { type: "string" },
      rounds: { type: "string" },
    },
  });
  const rows = values.again === undefined ? undefined : readRows(values.again, values.against);
  const names = values.only?.split(",");
  const unknown = names?.filter((name) => !PARTS.some((part) => part === name)) ?? [];
  if (unknown.length > 0)
    throw new Error(`--only takes any of ${PARTS.join(", ")}, separated by commas, not ${unknown.join(", ")}`);
  return {
    isQuick: values.quick ?? false,
    parts: rows ? ["throughput"] : names ? PARTS.filter((part) => names.includes(part)) : PARTS,
    onlyReport: values.report ?? false,
    against: values.against,
    rows,
    rounds: values.rounds === undefined ? undefined : readRounds(values.rounds),
  };
}

function readRows(text: string, against: string | undefined): readonly WorkloadName[] {
  if (against === undefined) throw new Error("--again needs --against: its rows are compared with that revision alone");
  const names = WORKLOADS.map(({ name }) => name);
  const rows = text.split(",");
  const unknown = rows.filter((row) => !names.some((name) => name === row));
  if (unknown.length > 0)
    throw new Error(`--again takes any of ${names.join(", ")}, separated by commas, not ${unknown.join(", ")}`);
  return names.filter((name) => rows.includes(name));
}

function readRounds(text: string): number {
  if (!/^[1-9]\d{0,2}$/.test(text)) throw new Error(`--rounds takes a whole number from 1 to 999, not ${text}`);
  return Number(text);
}

async function measureParts(
  stage: Stage,
  parts: readonly Part[],
): Promise<Omit<Results, "machine" | "command" | "minutes">> {
  const wanted = <T>(part: Part, measurePart: (stage: Stage) => Promise<T>): Promise<T> | undefined => {
    if (!parts.includes(part)) return undefined;
    say(`\n${part}`);
    return measurePart(stage);
  };
  const throughput = await wanted("throughput", measureThroughput);
  const steady = await wanted("steady", measureSteady);
  const jobs = steady && (await measureJobs(stage));
  const threads = await wanted("threads", measureThreads);
  const writes = await wanted("writes", measureWrites);
  const scale = await wanted("scale", measureScale);
  const cost = await wanted("cost", measureCost);
  const start = await wanted("start", measureStarts);
  // Last, because it adds animals to the largest database.
  const memory = await wanted("memory", measureMemory);
  return {
    settings: stage.settings,
    ...(throughput && { throughput }),
    ...(steady && { steady }),
    ...(jobs && { jobs }),
    ...(threads && { threads }),
    ...(writes && { writes }),
    ...(scale && { scale }),
    ...(cost && { cost }),
    ...(start && { start }),
    ...(memory && { memory }),
  };
}

/** Writes the report and its charts to a folder. */
async function publish(results: Results, folder: string): Promise<string> {
  const report = await writeReport(results);
  await Bun.write(join(folder, "benchmarks.md"), report);
  if (results.throughput)
    await Bun.write(join(folder, PICTURE), drawPicture(results.throughput, results.settings.connections));
  if (results.steady) await Bun.write(join(folder, LATENCY_PICTURE), drawLatencies(results.steady));
  return report;
}

async function runBenchmarks({ isQuick, parts, against, rows, rounds }: Options): Promise<void> {
  requireTools({ wrk: "wrk" });
  cleanUpOnAnyEnd();
  if (against !== undefined) say(`building revision ${against}, unless that was done before`);
  const former = against === undefined ? undefined : executableOf(against);
  const settings = isQuick ? QUICK : FULL;
  const stage = new Stage({ ...settings, rows, rounds: rounds ?? settings.rounds }, former);
  const began = performance.now();
  const seconds = expectedSeconds(stage.settings, parts, former !== undefined);
  say(`This takes about ${(seconds / 60).toFixed(1)} minutes, in which the machine should do nothing else.`);
  const machine = describeMachine(stage.folder);
  if (machine.fileSystem === "tmpfs")
    say("The temporary folder is in memory, so creations will cost nothing: set TMPDIR to a folder on a disk.");
  const command = ["npm run bench", ...(process.argv.length > 2 ? ["--", ...process.argv.slice(2)] : [])].join(" ");
  const measured = await measureParts(stage, parts);
  const minutes = (performance.now() - began) / 60_000;
  const results: Results = { machine, command, minutes, ...(against && { against }), ...measured };
  const isComplete = !isQuick && parts.length === PARTS.length && rounds === undefined;
  mkdirSync(OUT, { recursive: true });
  if (isComplete) await Bun.write(LAST_RUN, JSON.stringify(results));
  const report = await publish(results, isComplete ? DOCS : OUT);
  say(isComplete ? `\n${targetSection(results)}` : `\n${report}`);
  say(`\nThis took ${minutes.toFixed(1)} minutes.`);
  say(`Written: ${isComplete ? "docs" : "bench/out"}/benchmarks.md`);
  await endRun(0);
}

/** Rewrites the report from the last run's results, after a change to its text. */
async function reportAgain(): Promise<void> {
  if (!(await Bun.file(LAST_RUN).exists()))
    throw new Error("there are no results of a complete run: run npm run bench first");
  await publish(await Bun.file(LAST_RUN).json(), DOCS);
  say("Written: docs/benchmarks.md");
}

try {
  const options = readOptions();
  await (options.onlyReport ? reportAgain() : runBenchmarks(options));
} catch (error) {
  await failRun(error);
}
