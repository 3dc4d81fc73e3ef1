import { describe, expect, test } from "bun:test";
import { Random } from "../../torture/common/random.ts";
import type { Scoreboard } from "../../torture/common/scoreboard.ts";
import { playRow } from "../../torture/outages/outages.ts";
import { BRIEF, FIGURES, type Row, table } from "../../torture/outages/row.ts";
import { rowNamed } from "../../torture/outages/rows.ts";
import { setUp } from "../harness/cleanup.ts";
// The service is built once for all test files that name this one.
import "../harness/program/program.ts";

const AT_ONCE = 3;
const TIMEOUT_MS = 300_000;

/** A long run plays all rows. What takes longer than a few seconds is left to it. */
const SHORT_ROWS: readonly Row[] = [
  "PostgreSQL restarted: idempotent writes",
  "PostgreSQL restarted: order moves, sslmode=verify-full",
  "PostgreSQL's backends terminated at random",
  "connections cut in the middle of an answer",
  "failover to a standby: the primary crashes",
  "PgBouncer, transaction mode, both restarted: idempotent writes",
  "PgBouncer, session mode, both restarted: order moves",
  "connection dropped during the start",
  "PostgreSQL out of connections",
  "24 orders at once for one animal, instances killed",
  "Redis failover that leaves connections open",
].map(rowNamed);

const isPlayable = ({ needs }: Row): boolean => needs === undefined || Bun.which(needs) !== null;

describe("nothing acknowledged is lost or doubled, no answer is wrong, and no instance ends:", () => {
  const boards = new Map<Row, Scoreboard>();
  setUp(async () => {
    const waiting = SHORT_ROWS.filter(isPlayable);
    const work = async (): Promise<void> => {
      for (let row = waiting.shift(); row; row = waiting.shift())
        boards.set(row, await playRow(row, { random: new Random(1), effort: BRIEF }));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }, TIMEOUT_MS);

  for (const row of SHORT_ROWS)
    test.skipIf(!isPlayable(row))(row.name, () => expect(boards.get(row)?.violations).toEqual([]));
});

test("a row that fails itself is no row that passes, and the table says so", async () => {
  const scene = { random: new Random(1), effort: BRIEF };
  const broken: Row = { name: "broken", play: () => Promise.reject(new Error("no stage")) };
  const fine: Row = {
    name: "fine",
    play: async ({ board }) => {
      board.count(FIGURES.requests, 1_234);
      board.highest(FIGURES.lastFailure, 56.7);
    },
  };
  const played = new Map([
    [broken, await playRow(broken, scene)],
    [fine, await playRow(fine, scene)],
  ]);
  expect(played.get(broken)?.violations[0]).toContain("no stage");
  const [, , first, second] = table(played).split("\n");
  expect(first).toMatch(/^\| broken .* FAIL \|$/);
  expect(second).toMatch(/^\| fine .* 1,234 .* 57 ms .* pass \|$/);
});
