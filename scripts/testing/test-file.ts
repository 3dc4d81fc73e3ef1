// Runs one test file in a process of its own, so that it is known which files have ended and what one leaves behind.

import { closeSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

/** A single test may wait for a busy machine; a promise that nothing keeps must fail in the end. */
export const TEST_LIMIT_MS = 120_000;
const WORDS = ["pass", "fail", "skip", "todo"] as const;
type Word = (typeof WORDS)[number];
export type Counts = Readonly<Record<Word, number>>;

export interface FileResult {
  readonly file: string;
  /** Bun's report on the tests, without its totals. */
  readonly report: string;
  readonly counts: Counts;
  readonly names: Readonly<Record<Exclude<Word, "pass">, readonly string[]>>;
  readonly ms: number;
  readonly cpuMs: number;
  /** Why it counts as failed although no test of it may have. */
  readonly trouble: string | undefined;
  /** Commands of the processes that were still there after it, and were ended. */
  readonly leftOver: readonly string[];
}

export interface FileOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Options of bun test. */
  readonly options: readonly string[];
  readonly limitMs: number;
  /** How long processes that a test has ended may take to be gone. */
  readonly goneWithinMs: number;
  /** Ends it early. */
  readonly signal: AbortSignal;
  /** A folder for the output of tests. */
  readonly outputs: string;
}

export async function runFile(file: string, options: FileOptions): Promise<FileResult> {
  const { cwd, env, signal } = options;
  // A file rather than a pipe: a process that outlives the tests cannot keep it open.
  const output = join(options.outputs, `${file.replaceAll("/", "-")}.log`);
  const descriptor = openSync(output, "w");
  const beganMs = performance.now();
  const child = Bun.spawn([process.execPath, "test", `--timeout=${TEST_LIMIT_MS}`, ...options.options, `./${file}`], {
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
  const names = { fail: namesOf(report, "fail"), skip: namesOf(report, "skip"), todo: namesOf(report, "todo") };
  const troubles = {
    "did not finish": limit.aborted && !isComplete,
    [`ended with ${child.signalCode ?? `exit code ${child.exitCode}`} before its tests were over`]: !isComplete,
    "failed outside of its tests": child.exitCode !== 0 && names.fail.length === 0,
  };
  return {
    file,
    report,
    counts,
    names,
    ms: performance.now() - beganMs,
    cpuMs: Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1000,
    trouble: Object.entries(troubles).find(([, isSo]) => isSo)?.[0],
    leftOver: limit.aborted ? [] : leftOver,
  };
}

/** Bun ends a report with lines such as " 12 pass". Without them the tests were cut off, and those that it names count. */
export function readReport(text: string): { counts: Counts; isComplete: boolean; report: string } {
  const totals = [...text.matchAll(/^ *\d+ pass$/gm)].at(-1);
  const count = (word: Word): number =>
    totals
      ? Number(new RegExp(`^ *(\\d+) ${word}$`, "m").exec(text.slice(totals.index))?.[1] ?? 0)
      : namesOf(text, word).length;
  return {
    counts: { pass: count("pass"), fail: count("fail"), skip: count("skip"), todo: count("todo") },
    isComplete: totals !== undefined && /^Ran \d+ tests? across/m.test(text.slice(totals.index)),
    report: text
      .slice(0, totals?.index)
      .replace(/^bun test v.*\n/, "")
      .trim(),
  };
}

/** Bun names failed tests once more at the end of a long report. */
function namesOf(report: string, word: Word): string[] {
  const lines = report.matchAll(new RegExp(`^\\(${word}\\) (.*?)(?: \\[[\\d.]+m?s\\])?$`, "gm"));
  const names = [...lines].map(([, name]) => name as string);
  return word === "pass" ? names : [...new Set(names)];
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

function endAll(pids: readonly number[]): void {
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
