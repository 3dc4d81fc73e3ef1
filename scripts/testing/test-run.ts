// Runs many test files beside each other, and says at the end what came of them, however the run ends.

import { availableParallelism } from "node:os";
import { type Counts, type FileOptions, type FileResult, runFile } from "./test-file.ts";

/** Most files wait for something most of the time, and none is about how long that takes. */
const WORKERS_PER_CORE = 2;
/** One file that takes longer than this hangs. */
const FILE_LIMIT_MS = 15 * 60_000;
const GONE_WITHIN_MS = 5_000;

export interface RunOptions extends Omit<FileOptions, "limitMs" | "goneWithinMs"> {
  readonly workers?: number;
  readonly limitMs?: number;
  readonly goneWithinMs?: number;
  /** Where the report goes. */
  readonly print: (text: string) => void;
}

export interface RunResult {
  readonly finished: readonly FileResult[];
  /** Files that were not even begun. */
  readonly notBegun: readonly string[];
}

/** In the order of the files, as far as there is a free worker. */
export async function runFiles(files: readonly string[], options: RunOptions): Promise<RunResult> {
  const { workers = WORKERS_PER_CORE * availableParallelism(), print, signal } = options;
  const fileOptions = { limitMs: FILE_LIMIT_MS, goneWithinMs: GONE_WITHIN_MS, ...options };
  const waiting = [...files];
  const finished: FileResult[] = [];
  const work = async (): Promise<void> => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      const result = await runFile(file, fileOptions);
      finished.push(result);
      print(`\n${describe(result)}\n`);
      if (signal.aborted) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(workers, files.length) }, work));
  return { finished, notBegun: waiting };
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

function describe({ file, report, trouble, leftOver, ms, cpuMs }: FileResult): string {
  return [
    report || `${file}:`,
    `${file} took ${seconds(ms)}, ${seconds(cpuMs)} of the processor`,
    ...(trouble ? [`${file} ${trouble}`] : []),
    ...leftOver.map((command) => `${file} left a process, which was ended: ${command}`),
  ].join("\n");
}

export const isGood = ({ finished, notBegun }: RunResult): boolean =>
  notBegun.length === 0 && finished.every(({ trouble, counts }) => !trouble && counts.fail === 0);

/** The end of the report: first whatever is wrong by name, then totals in the form of those of bun test. */
export function summarize(result: RunResult, ms: number): string {
  const { finished, notBegun } = result;
  const named = (word: "fail" | "skip" | "todo"): string[] =>
    finished.flatMap(({ file, names }) => names[word].map((name) => `(${word}) ${file}: ${name}`));
  const total = (word: keyof Counts): number => finished.reduce((sum, { counts }) => sum + counts[word], 0);
  return [
    ...named("skip"),
    ...named("todo"),
    ...finished.flatMap(({ file, leftOver }) => leftOver.map((command) => `left running by ${file}: ${command}`)),
    ...named("fail"),
    ...finished.filter(({ trouble }) => trouble).map(({ file, trouble }) => `${file} ${trouble}`),
    ...notBegun.map((file) => `${file} was not begun`),
    "",
    ` ${total("pass")} pass`,
    ` ${total("skip")} skip`,
    ` ${total("todo")} todo`,
    ` ${total("fail")} fail`,
    `Ran ${finished.length} of ${finished.length + notBegun.length} files. [${seconds(ms)}]`,
  ].join("\n");
}
