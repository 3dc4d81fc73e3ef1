import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { begin } from "../../torture/common/attack.ts";
import { BRIEF, killImports } from "../../torture/import/import.ts";
import { databaseMaker } from "../harness/servers/postgres.ts";

// The short form of `npm run torture -- import`.

const SEED = 20261116;
const newDatabase = await databaseMaker();

test("imports and their undoing, killed 50 times: every line is there exactly once, and then nothing but what was ordered", async () => {
  const course = begin({ seed: SEED });
  await killImports(course, 0, { kills: 50, effort: BRIEF });
  expect(course.board.violations).toEqual([]);
  expect(course.board.of("kills")).toBeGreaterThanOrEqual(50);
  const moments = existsSync("/proc/locks") ? ["kills within a transaction", "kills between transactions"] : [];
  for (const what of ["acknowledged", "found half-way", "found half undone", "imports undone", ...moments])
    expect([what, course.board.of(what)]).not.toEqual([what, 0]);
}, 180_000);

test("the same in PostgreSQL, killed a few times", async () => {
  const course = begin({ seed: SEED });
  await killImports(course, 1, { kills: 4, effort: { ...BRIEF, mostKills: 4 }, databaseUrl: await newDatabase() });
  expect(course.board.violations).toEqual([]);
  for (const what of ["acknowledged", "imports undone"]) expect([what, course.board.of(what)]).not.toEqual([what, 0]);
}, 180_000);
