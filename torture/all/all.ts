import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describeMachine } from "../../bench/report/machine.ts";
import { ATTACKS, type AttackName } from "../arguments.ts";
import type { Scoreboard } from "../common/scoreboard.ts";
import { lastLineOf, nameOf, playTurn } from "./process.ts";
import { duration, type Facts, type Played, replaceSections, sectionsOf, sumOf } from "./report.ts";
import { type Turn, Turns } from "./turns.ts";

// All attacks in turn, for minutes or days. What has been found is in the folder of the run after every turn; the
// document is written only at the end of a whole run.

const ROOT = join(import.meta.dir, "../..");
const DOCUMENT = join(ROOT, "docs/reliability.md");
const PROGRESS_EVERY_MS = 60_000;
const NO_SECTIONS = { scoreboard: "", outages: "", hostile: "" };

export interface AllOptions {
  readonly minutes: number;
  readonly seed: number;
  readonly play: (turn: Turn) => Promise<Scoreboard>;
  readonly nowMs: () => number;
  /** Called after each turn, with all that were played so far. */
  readonly onPlayed: (played: readonly Played[]) => void;
  readonly signal: AbortSignal;
}

/** Plays turns until each attack has had its share, or the run is interrupted. */
export async function playAll({ minutes, seed, play, nowMs, onPlayed, signal }: AllOptions): Promise<Played[]> {
  const turns = new Turns(Object.keys(ATTACKS) as AttackName[], minutes, seed);
  const played: Played[] = [];
  for (let turn = turns.next(); turn && !signal.aborted; turn = turns.next()) {
    const fromMs = nowMs();
    const board = await play(turn);
    const took = (nowMs() - fromMs) / 60_000;
    turns.note(turn, took);
    played.push({ turn, minutes: took, board });
    onPlayed(played);
  }
  return played;
}

/** Runs all attacks, and writes what they found. Returns the exit code. */
export async function runAll(
  { minutes, seed }: { readonly minutes: number; readonly seed: number },
  { say, signal }: { readonly say: (text: string) => void; readonly signal: AbortSignal },
): Promise<number> {
  // A document without markers is better noticed before the run than after it.
  replaceSections(readFileSync(DOCUMENT, "utf8"), NO_SECTIONS);
  const startedAt = new Date();
  const startedAtMs = performance.now();
  const minutesSoFar = (): number => (performance.now() - startedAtMs) / 60_000;
  const folder = join(ROOT, "build/torture", startedAt.toISOString().slice(0, 19).replaceAll(":", ""));
  mkdirSync(folder, { recursive: true });
  const before = treeNow();
  const factsNow = (): Facts => ({
    command: `npm run torture -- all --${minutes % 60 === 0 ? `hours ${minutes / 60}` : `minutes ${minutes}`} --seed ${seed}`,
    date: startedAt.toISOString().slice(0, 10),
    minutes: minutesSoFar(),
    revision: before.revision,
    machine: machine(),
    reservations: reservationsOf(before, treeNow(), signal.aborted),
  });
  say(
    `all attacks for ${duration(minutes)}, seed ${seed}, revision ${before.revision}; logs in ${relative(ROOT, folder)}`,
  );
  for (const text of factsNow().reservations) say(text);
  const played = await playAll({
    minutes,
    seed,
    signal,
    nowMs: () => performance.now(),
    play: async (turn) => {
      say(`${clock(minutesSoFar())} ${nameOf(turn)}: ${duration(turn.minutes)}`);
      const log = join(folder, `${nameOf(turn)}.log`);
      const progress = setInterval(
        () => say(`${clock(minutesSoFar())} ${nameOf(turn)}: ${lastLineOf(log)}`),
        PROGRESS_EVERY_MS,
      );
      const board = await playTurn(turn, { folder, signal });
      clearInterval(progress);
      say(`${clock(minutesSoFar())} ${nameOf(turn)} ended with ${board.violations.length} violations`);
      for (const { count, example } of board.kindsOfViolations()) say(`  ${count} × ${example.slice(0, 300)}`);
      return board;
    },
    onPlayed: (so) => writeFileSync(join(folder, "tables.md"), Object.values(sectionsOf(factsNow(), so)).join("\n\n")),
  });
  const violations = sumOf(played).violations.length;
  say(`\n${sectionsOf(factsNow(), played).scoreboard}\n`);
  if (signal.aborted) {
    say(
      `Interrupted: docs/reliability.md stays as it was. The tables so far are in ${relative(ROOT, folder)}/tables.md.`,
    );
    return violations === 0 ? 130 : 1;
  }
  writeFileSync(DOCUMENT, replaceSections(readFileSync(DOCUMENT, "utf8"), sectionsOf(factsNow(), played)));
  say(`${violations} violations; docs/reliability.md has the tables.`);
  return violations === 0 ? 0 : 1;
}

/** Hours and minutes since the start. */
const clock = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(Math.floor(minutes % 60)).padStart(2, "0")}`;

interface Tree {
  readonly revision: string;
  /** The output of `git status`: empty if everything is committed. */
  readonly changes: string;
}

function treeNow(): Tree {
  const git = (...args: readonly string[]): string =>
    Bun.spawnSync(["git", "-C", ROOT, ...args])
      .stdout.toString()
      .trim();
  return { revision: git("rev-parse", "--short=12", "HEAD") || "unknown", changes: git("status", "--porcelain") };
}

/** The reasons for which the tables are not those of one revision, or not of a whole run. */
export function reservationsOf(before: Tree, now: Tree, isInterrupted: boolean): string[] {
  return [
    ...(before.changes === "" ? [] : ["With changes that were not committed, so not of that revision alone."]),
    ...(before.revision === now.revision && before.changes === now.changes
      ? []
      : ["The code was changed during the run, so not of one revision."]),
    ...(isInterrupted ? ["Interrupted before its end."] : []),
  ];
}

function machine(): string {
  const { cores, cpu, memoryGb, system } = describeMachine(ROOT);
  return `${cores} cores (${cpu}), ${memoryGb} GB, ${system}, Bun ${Bun.version}`;
}
