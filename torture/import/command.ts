import { existsSync, readFileSync } from "node:fs";
import type { Subprocess } from "bun";
import { EXECUTABLE } from "../../test/harness/program/program.ts";
import type { Random } from "../common/random.ts";

// Runs commands and ends them at random times.

/** The time and manner of a command's end. */
export interface Strike {
  readonly signal: "SIGKILL" | "SIGINT";
  /** The share of its work that must be done first; undefined if it need not even have begun. */
  readonly afterShare: number | undefined;
  readonly delayMs: number;
  /** Kills the command within a transaction, if it can be caught in one. */
  readonly isWithin: boolean;
}

/** Later strikes would mostly come after the end: the last batches are seldom observed before. */
const LATEST_SHARE = 0.7;

export const anyStrike = (random: Random, longestMs: number): Strike => {
  const signal = random.chance(0.8) ? "SIGKILL" : "SIGINT";
  if (random.chance(0.3)) return { signal, afterShare: undefined, delayMs: random.int(0, longestMs), isWithin: false };
  const isWithin = signal === "SIGKILL" && random.chance(0.6);
  return { signal, afterShare: random.float() * LATEST_SHARE, delayMs: random.int(0, 6), isWithin };
};

/** The state of the process when it was killed. Within a transaction, its writes are not visible to others yet. */
export type Moment = "within a transaction" | "between transactions";

export interface Ending {
  /** Undefined if the command ended before. */
  readonly struck: Strike["signal"] | undefined;
  readonly moment: Moment | undefined;
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}

export interface CommandOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly strike?: Strike | undefined;
  /** The share of the work that is done, from 0 to 1. */
  readonly share: () => Promise<number>;
}

/** Runs the program to its end, or until it is struck. */
export async function runAndStrike(args: readonly string[], options: CommandOptions): Promise<Ending> {
  const { cwd, env, input, strike, share } = options;
  const child = Bun.spawn([EXECUTABLE, ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...env },
    stdin: input === undefined ? "ignore" : Bun.file(input),
    stdout: "pipe",
    stderr: "pipe",
  });
  const printed = Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  const moment = strike && (await struckAt(child, strike, share));
  const exitCode = await child.exited;
  const [out, err] = await printed;
  const isStruck = strike && exitCode === EXIT_CODES[strike.signal];
  return { struck: isStruck ? strike.signal : undefined, moment: isStruck ? moment : undefined, exitCode, out, err };
}

/** Exit codes: killed, or interrupted, whether it stopped by itself or was too young to handle the signal. */
const EXIT_CODES = { SIGKILL: 137, SIGINT: 130 } as const;

const isGone = ({ exitCode, signalCode }: Subprocess): boolean => exitCode !== null || signalCode !== null;

async function struckAt(child: Subprocess, strike: Strike, share: () => Promise<number>): Promise<Moment | undefined> {
  const { afterShare, delayMs, signal, isWithin } = strike;
  if (afterShare !== undefined) while (!isGone(child) && (await share()) <= afterShare) await Bun.sleep(1);
  await Promise.race([Bun.sleep(delayMs), child.exited]);
  const moment = signal === "SIGKILL" ? await halt(child, isWithin ? TRIES : 1) : undefined;
  if (!isGone(child)) child.kill(signal);
  return moment;
}

/** SQLite's write lock is on byte 120 of the -shm file. */
const HELD = /^\d+: POSIX +ADVISORY +WRITE (\d+) \S+ 120 12\d$/;
const TRIES = 60;

/** Stops a process, and says where it was. Tries this many times to catch it within a transaction. */
async function halt(child: Subprocess, tries: number): Promise<Moment | undefined> {
  const { pid } = child;
  if (!existsSync("/proc/locks")) return undefined;
  for (let i = 1; !isGone(child); i++) {
    child.kill("SIGSTOP");
    while (!isStopped(pid));
    const locks = readFileSync("/proc/locks", "utf8").split("\n");
    if (locks.some((lock) => HELD.exec(lock)?.[1] === String(pid))) return "within a transaction";
    if (i >= tries) return "between transactions";
    child.kill("SIGCONT");
    await Bun.sleep(i % 4);
  }
  return undefined;
}

/** True if the process is stopped or gone. */
const isStopped = (pid: number): boolean => {
  try {
    return /\) [TtZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return true;
  }
};
