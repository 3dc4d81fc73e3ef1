import {
  chmodSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endAll } from "../../scripts/testing/test-batch.ts";
import { Scoreboard, type WrittenBoard } from "../common/scoreboard.ts";
import type { Turn } from "./turns.ts";

// A turn is a process, so that nothing that happens to it ends the others, with a temporary folder and a process group
// of its own, so that whatever it leaves behind can be removed.

export interface ProcessOptions {
  /** Keeps its log and its result. */
  readonly folder: string;
  /** The command that plays the turn and writes its scoreboard to this file. */
  readonly commandOf?: (turn: Turn, result: string) => readonly string[];
  /** Ends the turn after its current round. */
  readonly signal?: AbortSignal;
  /** A turn that takes longer is told to end after its round, and later it is killed. */
  readonly tellAfterMs?: number;
  readonly killAfterMs?: number;
}

const PATIENCE_MS = 10 * 60_000;
/** A round that began in time may end late. */
const lateMsOf = ({ minutes }: Turn): number => (minutes * 1.5 + 1) * 60_000;

const attackCommand = ({ name, minutes, seed }: Turn, result: string): readonly string[] => [
  process.execPath,
  join(import.meta.dir, "../run.ts"),
  name,
  ...["--minutes", String(minutes), "--seed", String(seed), "--result", result],
];

export const nameOf = ({ name, seed }: Turn): string => `${name}-${seed}`;

/** Plays a turn. What goes wrong with its process is a violation on its scoreboard. */
export async function playTurn(turn: Turn, options: ProcessOptions): Promise<Scoreboard> {
  const { folder, commandOf = attackCommand, signal, tellAfterMs = lateMsOf(turn) } = options;
  const { killAfterMs = tellAfterMs + PATIENCE_MS } = options;
  const result = join(folder, `${nameOf(turn)}.json`);
  const logFile = join(folder, `${nameOf(turn)}.log`);
  const temporary = mkdtempSync(join(tmpdir(), "torture-"));
  // PostgreSQL runs as another user if this one is root.
  chmodSync(temporary, 0o1777);
  const log = openSync(logFile, "w");
  const child = Bun.spawn([...commandOf(turn, result)], {
    env: { ...process.env, TMPDIR: temporary },
    stdio: ["ignore", log, log],
    detached: true,
  });
  closeSync(log);
  const endAfterRound = (): void => child.kill("SIGTERM");
  if (signal?.aborted) endAfterRound();
  signal?.addEventListener("abort", endAfterRound);
  const overdue = setTimeout(endAfterRound, tellAfterMs);
  let isHung = false;
  const hung = setTimeout(() => {
    isHung = true;
    killGroup(child.pid);
  }, killAfterMs);
  const killNow = (): void => {
    killGroup(child.pid);
    removeTraces(temporary);
  };
  process.on("exit", killNow);
  await child.exited;
  process.off("exit", killNow);
  clearTimeout(overdue);
  clearTimeout(hung);
  signal?.removeEventListener("abort", endAfterRound);
  killNow();
  const board = readBoard(result);
  const isDone = child.exitCode === (board.violations.length === 0 ? 0 : 1);
  const how = isHung ? "did not end, and was killed" : endOf(child);
  // An interruption may come before it has begun.
  if (!isDone && !signal?.aborted)
    board.violation(`the attack itself failed: its process ${how}: ${lastLineOf(logFile)}`);
  else if (Object.keys(board.figures).length === 0 && !signal?.aborted)
    board.violation("the attack did nothing in its time");
  return board;
}

const endOf = ({ exitCode, signalCode }: { exitCode: number | null; signalCode: unknown }): string =>
  exitCode === null ? `was ended by ${signalCode}` : `ended with exit code ${exitCode}`;

/** The scoreboard that a process has written; an empty one if it ended before. */
function readBoard(result: string): Scoreboard {
  if (!existsSync(result)) return new Scoreboard();
  return Scoreboard.from(JSON.parse(readFileSync(result, "utf8")) as WrittenBoard);
}

/** The last line of a log so far. */
export function lastLineOf(logFile: string): string {
  try {
    return readFileSync(logFile, "utf8").trimEnd().split("\n").at(-1) ?? "";
  } catch {
    return "";
  }
}

const killGroup = (leader: number): void => endAll([-leader]);

/** Removes a turn's folder, and ends processes that work in it: those of PostgreSQL are in no group but their own. */
function removeTraces(folder: string): void {
  const processes = process.platform === "linux" ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)) : [];
  endAll(processes.filter((pid) => workingFolderOf(pid).startsWith(`${folder}/`)).map(Number));
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

function workingFolderOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return "";
  }
}
