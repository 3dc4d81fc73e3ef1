import { TestPostgres } from "../../test/harness/servers/postgres.ts";
import { type Attack, begin, type Course } from "../common/attack.ts";
import { writeImportFile } from "./file.ts";
import { type Effort, Round } from "./round.ts";
import { Shop } from "./shop.ts";

// Imports and undos, killed at random times beside a service with clients, and repeated until they finish. Every valid
// line must be imported exactly once, and what clients were told must hold.

const FULL: Effort = { records: 12_000, mostKills: 12, longestMs: 500 };
export const BRIEF: Effort = { records: 2_400, mostKills: 14, longestMs: 200 };

/** Imports file after file into one store, until this many kills were made or the time is up. */
export async function killImports(
  { board, randomOf, isOver }: Course,
  round: number,
  options: { readonly kills: number; readonly effort?: Effort; readonly databaseUrl?: string },
): Promise<void> {
  const { kills, effort = FULL, databaseUrl } = options;
  const random = randomOf(round);
  const shop = await Shop.open(board, random, databaseUrl);
  const before = board.of("kills");
  for (let i = 0; board.of("kills") < before + kills && !isOver(); i++) {
    const file = writeImportFile(
      shop.cwd,
      `file ${round}-${i}`,
      random.int(effort.records / 2, effort.records),
      random,
    );
    await new Round(shop, file, random, effort).play();
  }
  await shop.close();
}

export const run: Attack = async (options) => {
  const course = begin(options);
  const postgres = await TestPostgres.start();
  for (const round of course.rounds()) {
    const databaseUrl = round % 3 === 2 ? { databaseUrl: await postgres.database() } : {};
    await killImports(course, round, { kills: 50, ...databaseUrl });
    course.log(`round ${round}: ${course.board.of("kills")} kills, ${course.board.violations.length} violations`);
  }
  return course.board;
};
