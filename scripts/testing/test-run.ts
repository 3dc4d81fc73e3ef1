// Runs many test files beside each other, and says at the end what came of them, however the run ends.

import { availableParallelism } from "node:os";
import { type BatchOptions, type BatchResult, type Counts, type NamedTest, runBatch } from "./test-batch.ts";

/** Most files wait for something most of the time, and none is about how long that takes. */
const WORKERS_PER_CORE = 2;
/** A process that takes longer than this hangs. */
const BATCH_LIMIT_MS = 15 * 60_000;
const GONE_WITHIN_MS = 5_000;

export interface RunOptions extends Omit<BatchOptions, "limitMs" | "goneWithinMs"> {
  readonly workers?: number;
  readonly limitMs?: number;
  readonly goneWithinMs?: number;
  /** Receives the report. */
  readonly print: (text: string) => void;
}

export interface RunResult {
  readonly finished: readonly BatchResult[];
  /** Files that were not even begun. */
  readonly notBegun: readonly string[];
}

/** Runs each batch of files in one process, in this order, as far as there is a free worker. */
export async function runBatches(batches: readonly (readonly string[])[], options: RunOptions): Promise<RunResult> {
  const { workers = WORKERS_PER_CORE * availableParallelism(), print, signal } = options;
  const batchOptions = { limitMs: BATCH_LIMIT_MS, goneWithinMs: GONE_WITHIN_MS, ...options };
  const waiting = [...batches];
  const finished: BatchResult[] = [];
  const work = async (): Promise<void> => {
    for (let files = waiting.shift(); files !== undefined; files = waiting.shift()) {
      const result = await runBatch(files, batchOptions);
      finished.push(result);
      print(`\n${describe(result)}\n`);
      if (signal.aborted) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(workers, batches.length) }, work));
  return { finished, notBegun: waiting.flat() };
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

const labelOf = ([first, ...others]: readonly string[]): string =>
  others.length > 0 ? `${first} and ${others.length} more` : String(first);

function describe({ files, report, trouble, leftOver, ms, cpuMs }: BatchResult): string {
  const label = labelOf(files);
  return [
    report || `${label}:`,
    `${label} took ${seconds(ms)}, ${seconds(cpuMs)} of the processor`,
    ...(trouble ? [trouble] : []),
    ...leftOver.map((command) => `${label} left a process, which was ended: ${command}`),
  ].join("\n");
}

const nameOf = ({ file, name }: NamedTest): string => `${file}: ${name}`;

/** CI shows only the end of a long report, so the reason why a test failed is repeated there. */
const nameAndOutput = (test: NamedTest): string => `${nameOf(test)}${test.output && `\n${test.output}`}`;

export const isGood = ({ finished, notBegun }: RunResult): boolean =>
  notBegun.length === 0 && finished.every(({ trouble, counts }) => !trouble && counts.fail === 0);

/** The end of the report: first whatever is wrong, by name and with its reason, then totals in the form of bun test. */
export function summarize(result: RunResult, ms: number): string {
  const { finished, notBegun } = result;
  const named = (word: "fail" | "skip" | "todo", describe = nameOf): string[] =>
    finished.flatMap(({ tests }) => tests[word].map((test) => `(${word}) ${describe(test)}`));
  const begun = finished.reduce((sum, { files }) => sum + files.length, 0);
  const total = (word: keyof Counts): number => finished.reduce((sum, { counts }) => sum + counts[word], 0);
  return [
    ...named("skip"),
    ...named("todo"),
    ...finished.flatMap(({ files, leftOver }) =>
      leftOver.map((command) => `left running by ${labelOf(files)}: ${command}`),
    ),
    ...named("fail", nameAndOutput),
    ...finished.flatMap(({ trouble }) => trouble ?? []),
    ...notBegun.map((file) => `${file} was not begun`),
    "",
    ` ${total("pass")} pass`,
    ` ${total("skip")} skip`,
    ` ${total("todo")} todo`,
    ` ${total("fail")} fail`,
    `Ran ${begun} of ${begun + notBegun.length} files. [${seconds(ms)}]`,
  ].join("\n");
}
