import { type AttackOptions, begin } from "../common/attack.ts";
import { Scoreboard } from "../common/scoreboard.ts";
import { type Effort, FULL, type Row, type Scene, table } from "./row.ts";
import { ROWS } from "./rows.ts";

// Each part of a fleet fails in each known way under load, and PostgreSQL is compared with what was acknowledged.
// Unlike `fleet`, which chooses at random, a run plays every row.

/** Plays one row, with its own scoreboard. */
export async function playRow(row: Row, scene: Omit<Scene, "board">): Promise<Scoreboard> {
  const board = new Scoreboard();
  try {
    await row.play({ ...scene, board });
  } catch (error) {
    board.violation(`the row itself failed: ${error instanceof Error ? (error.stack ?? error.message) : error}`);
  }
  return board;
}

/** A round is all rows, or those whose names contain a text. */
export async function attackWithOutages(options: AttackOptions, effort: Effort): Promise<Scoreboard> {
  const { board, log, rounds, randomOf, isOver } = begin(options);
  const rows = ROWS.filter(({ name }) => name.includes(options.only ?? ""));
  for (const round of rounds()) {
    const played = new Map<Row, Scoreboard>();
    for (const [i, row] of rows.entries()) {
      if (options.signal?.aborted || (round > 0 && isOver())) break;
      if (row.needs && !Bun.which(row.needs)) {
        log(`${row.name}: left out, since ${row.needs} is not installed`);
        continue;
      }
      const result = await playRow(row, { random: randomOf(round, i), effort });
      played.set(row, result);
      log(`${row.name}\n${result}`);
      board.count("rows");
      board.row(row.name).add(result);
      for (const [name, value] of Object.entries(result.figures))
        if (name.endsWith(", ms")) board.highest(name, value);
        else board.count(name, value);
      for (const text of result.violations) board.violation(`${row.name}: ${text}`);
    }
    log(`\n${table(played)}`);
  }
  return board;
}

export const run = (options: AttackOptions): Promise<Scoreboard> => attackWithOutages(options, FULL);
