import type { Random } from "../common/random.ts";
import type { Scoreboard } from "../common/scoreboard.ts";

/** The extent of a row: small in `npm test`. */
export interface Effort {
  readonly instances: number;
  /** The number of concurrent clients. */
  readonly workers: number;
  /** The number of times that the part fails. */
  readonly times: number;
  /** The time that a server is frozen. */
  readonly frozenMs: number;
  /** An instance promises a response within 2 s; the rest is slack. */
  readonly slowestAnswerMs: number;
  /** The time after recovery in which 503 is still right: earlier requests may wait out their timeout of 1.8 s. */
  readonly lastFailureMs: number;
}

const TIMES = { slowestAnswerMs: 5_000, lastFailureMs: 4_000 };
/** On a machine that is busy with other tests, a time only shows that nothing hangs. */
const ANY_TIMES = { slowestAnswerMs: 60_000, lastFailureMs: 60_000 };

export const FULL: Effort = { instances: 4, workers: 16, times: 12, frozenMs: 14_000, ...TIMES };
export const BRIEF: Effort = { instances: 2, workers: 8, times: 2, frozenMs: 2_500, ...ANY_TIMES };

export interface Scene {
  readonly board: Scoreboard;
  readonly random: Random;
  readonly effort: Effort;
}

/** One way in which a part of a fleet fails. */
export interface Row {
  readonly name: string;
  /** A program that the row needs. */
  readonly needs?: string;
  readonly play: (scene: Scene) => Promise<void>;
}

/** The figures of a row in the table, by their names on the scoreboard. */
export const FIGURES = {
  requests: "requests",
  acknowledged: "acknowledged",
  lost: "lost",
  doubled: "doubled",
  wrong: "wrong answers",
  ended: "instances ended",
  exposed: "instances exposed",
  lastFailure: "last 503 after the part was back, ms",
  slowest: "slowest answer, ms",
} as const;

const COLUMNS = ["what is done", "requests", "acked", "lost", "doubled", "wrong", "ended", "last 503", "slowest", ""];

/** The table of a run in the form of docs/reliability.md. */
export function table(played: ReadonlyMap<Pick<Row, "name">, Scoreboard>): string {
  const ms = (value: number): string => `${Math.round(value).toLocaleString("en-US")} ms`;
  const lines = [...played].map(([row, board]) => {
    const figure = (name: keyof typeof FIGURES): string => board.of(FIGURES[name]).toLocaleString("en-US");
    return [
      row.name,
      ...(["requests", "acknowledged", "lost", "doubled", "wrong"] as const).map(figure),
      `${figure("ended")} of ${figure("exposed")}`,
      ms(board.of(FIGURES.lastFailure)),
      ms(board.of(FIGURES.slowest)),
      board.violations.length === 0 ? "pass" : "FAIL",
    ];
  });
  const widths = COLUMNS.map((column, i) =>
    Math.max(column.length, ...lines.map((line) => (line[i] as string).length)),
  );
  const show = (cells: readonly string[]): string =>
    `| ${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] as number) : cell.padStart(widths[i] as number))).join(" | ")} |`;
  return [show(COLUMNS), `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`, ...lines.map(show)].join("\n");
}
