import { expect, test } from "bun:test";
import { begin } from "../../torture/common/attack.ts";
import { BRIEF, killAfterFailures, killBackup, killFirstStart, killUnderLoad } from "../../torture/crash/crash.ts";
import { whyNoDiskLayer } from "../../torture/disk/layer.ts";

// The short form of `npm run torture -- crash`.

const SEED = 20261115;

test("kill -9 under load loses no acknowledged write, makes none twice, and forgets no counter or ban", async () => {
  const course = begin({ seed: SEED });
  const kinds = ["acknowledged", "updates", "deletions", "conditional writes", "repeated"];
  // On a busy machine, only little may have been done by the time the service is killed.
  let rounds = 0;
  do await killUnderLoad(course, rounds++, BRIEF);
  while (kinds.some((what) => course.board.of(what) === 0));
  expect(course.board.violations).toEqual([]);
  expect(course.board.of("starts")).toBe(rounds * (BRIEF.kills + 1));
});

test("a first start that was killed leaves nothing in the way of the next one", async () => {
  const course = begin({ seed: SEED });
  await killFirstStart(course, 1, BRIEF);
  expect(course.board.violations).toEqual([]);
  expect(course.board.of("first starts killed")).toBe(BRIEF.kills);
});

test("a backup that was killed leaves no part of itself under the name that was asked for", async () => {
  const course = begin({ seed: SEED });
  await killBackup(course, 2, BRIEF);
  expect(course.board.violations).toEqual([]);
  expect(course.board.of("backups") + course.board.of("backups killed")).toBe(BRIEF.kills);
});

test.skipIf(whyNoDiskLayer() !== undefined)(
  "what was refused because the disk failed is not there after a kill, unless the answer said that it may be",
  async () => {
    const course = begin({ seed: SEED });
    await killAfterFailures(course, 3, BRIEF);
    expect(course.board.violations).toEqual([]);
    expect(course.board.of("acknowledged")).toBeGreaterThan(0);
  },
);
