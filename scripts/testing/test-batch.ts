// Runs a batch of test files in a process of its own, so that it is known which files have ended and what they leave
// behind.

import { closeSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

/** A single test may wait for a busy machine; a promise that nothing keeps must fail in the end. */
export const TEST_LIMIT_MS = 120_000;
const WORDS = ["pass", "fail", "skip", "todo"] as const;
type Word = (typeof WORDS)[number];
export type Counts = Readonly<Record<Word, number>>;

/** A test and the file that it is in. */
export interface NamedTest {
  readonly file: string;
  readonly name: string;
  /** The last lines that were printed while it ran, with the reason why it failed. */
  readonly output: string;
}

export interface BatchResult {
  /** The files that shared the process. */
  readonly files: readonly string[];
  /** Bun's report on the tests, without its totals. */
  readonly report: string;
  readonly counts: Counts;
  readonly tests: Readonly<Record<Exclude<Word, "pass">, readonly NamedTest[]>>;
  readonly ms: number;
  readonly cpuMs: number;
  /** Why it counts as failed although no test of it may have, with the name of the file. */
  readonly trouble: string | undefined;
  /** Commands of the processes that were still there after it, and were ended. */
  readonly leftOver: readonly string[];
}

export interface BatchOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Options of bun test. */
  readonly options: readonly string[];
  readonly limitMs: number;
  /** The time within which processes that a test has ended must be gone. */
  readonly goneWithinMs: number;
  /** Ends it early. */
  readonly signal: AbortSignal;
  /** A folder for the output of tests. */
  readonly outputs: string;
}

export async function runBatch(files: readonly string[], options: BatchOptions): Promise<BatchResult> {
  const { cwd, env, signal } = options;
  const [first = ""] = files;
  // A file rather than a pipe: a process that outlives the tests cannot keep it open.
  const output = join(options.outputs, `${first.replaceAll("/", "-")}.log`);
  const descriptor = openSync(output, "w");
  const beganMs = performance.now();
  const paths = files.map((file) => `./${file}`);
  const child = Bun.spawn([process.execPath, "test", `--timeout=${TEST_LIMIT_MS}`, ...options.options, ...paths], {
    cwd,
    env,
    stdio: ["ignore", descriptor, descriptor],
    // Its own session, by which everything that it starts is found again.
    detached: true,
  });
  closeSync(descriptor);
  const limit = AbortSignal.any([signal, AbortSignal.timeout(options.limitMs)]);
  const end = (): void => endAll([child.pid, ...inSession(child.pid)]);
  limit.addEventListener("abort", end);
  if (limit.aborted) end();
  await child.exited;
  limit.removeEventListener("abort", end);
  const leftOver = await endSession(child.pid, options.goneWithinMs);
  const text = Bun.stripANSI(readFileSync(output, "utf8"));
  rmSync(output);
  const { counts, isComplete, report } = readReport(text);
  const testsOf = (word: Word): NamedTest[] => testsIn(report, word, first);
  const tests = { fail: testsOf("fail"), skip: testsOf("skip"), todo: testsOf("todo") };
  const troubles = {
    "did not finish": limit.aborted && !isComplete,
    [`ended with ${child.signalCode ?? `exit code ${child.exitCode}`} before its tests were over`]: !isComplete,
    "failed outside of its tests": child.exitCode !== 0 && tests.fail.length === 0,
  };
  const trouble = Object.entries(troubles).find(([, isSo]) => isSo)?.[0];
  return {
    files,
    report,
    counts,
    tests,
    ms: performance.now() - beganMs,
    cpuMs: Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1000,
    trouble: trouble && `${fileInTrouble(report) ?? first} ${trouble}`,
    leftOver: limit.aborted ? [] : leftOver,
  };
}

/** Bun ends a report with lines such as " 12 pass". Without them the tests were cut off, and those that it names count. */
export function readReport(text: string): { counts: Counts; isComplete: boolean; report: string } {
  const totals = [...text.matchAll(/^ *\d+ pass$/gm)].at(-1);
  const count = (word: Word): number =>
    totals
      ? Number(new RegExp(`^ *(\\d+) ${word}$`, "m").exec(text.slice(totals.index))?.[1] ?? 0)
      : testsIn(text, word, "").length;
  return {
    counts: { pass: count("pass"), fail: count("fail"), skip: count("skip"), todo: count("todo") },
    isComplete: totals !== undefined && /^Ran \d+ tests? across/m.test(text.slice(totals.index)),
    report: text
      .slice(0, totals?.index)
      .replace(/^bun test v.*\n/, "")
      .trim(),
  };
}

/** Bun writes the name of each file above its tests. */
const HEADING = /^(\S+\.test\.tsx?):$/;
/** Bun writes the result of each test below what the test has printed. */
const RESULT = new RegExp(`^\\((${WORDS.join("|")})\\) (.*?)(?: \\[[\\d.]+m?s\\])?$`);
const OUTPUT_LINES_MAX = 30;

/** The file that has thrown outside of its tests, or else the last that was begun. */
function fileInTrouble(report: string): string | undefined {
  const [beforeError = ""] = report.split("# Unhandled error between tests", 1);
  return beforeError
    .split("\n")
    .findLast((line) => HEADING.test(line))
    ?.slice(0, -1);
}

/** The tests of a report with this result, each with the file that was named above it. */
function testsIn(report: string, word: Word, first: string): NamedTest[] {
  // Bun names failed tests once more at the end of a long report.
  const [once = ""] = report.split(/^\d+ tests? failed:$/m);
  let file = first;
  let output: string[] = [];
  return once.split("\n").flatMap((line) => {
    const [, heading] = HEADING.exec(line) ?? [];
    const [, result, name] = RESULT.exec(line) ?? [];
    if (!heading && name === undefined) {
      output.push(line);
      return [];
    }
    file = heading ?? file;
    const printed = output.slice(-OUTPUT_LINES_MAX).join("\n");
    output = [];
    return result === word && name !== undefined ? { file, name, output: printed } : [];
  });
}

/** Waits for the processes of a session that have been ended, then ends what is left. Returns its commands. */
async function endSession(session: number, goneWithinMs: number): Promise<string[]> {
  const untilMs = performance.now() + goneWithinMs;
  while (inSession(session).length > 0 && performance.now() < untilMs) await Bun.sleep(20);
  const left = inSession(session);
  const commands = left.map(commandOf);
  endAll(left);
  return commands;
}

/** Kills processes, or groups of them if the number is negative. */
export function endAll(pids: readonly number[]): void {
  for (const pid of pids)
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has just ended.
    }
}

/** Known on Linux only. */
function inSession(session: number): number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      // After the command, which is in brackets and may contain any: state, parent, group, session.
      const [state, , , of] = read(`/proc/${pid}/stat`)
        .replace(/^.*\) /s, "")
        .split(" ");
      return Number(of) === session && state !== "Z";
    });
}

const commandOf = (pid: number): string => read(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim().slice(0, 120);

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
