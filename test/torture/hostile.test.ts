import { describe, expect, test } from "bun:test";
import { Scoreboard } from "../../torture/common/scoreboard.ts";
import { judge } from "../../torture/hostile/hostile.ts";
import { type Measured, measure } from "../../torture/hostile/measure.ts";
import { type Row, rowNamed } from "../../torture/hostile/rows.ts";
import { setUp } from "../harness/cleanup.ts";
// The service is built once for all test files that name this one.
import "../harness/program/program.ts";

const AT_ONCE = 3;

const ATTACK_SECONDS = 8;
/** Long enough to distinguish a busy loop from the cost of closing connections. */
const DESCRIPTORS = rowNamed("more connections than descriptors");
const secondsOf = (row: Row): number => (row === DESCRIPTORS ? 2.5 : 1);

/**
 * A request takes up to twice the CPU time when other work evicts its data from the CPU caches, and more on slow cores.
 * The defects that these rows were made for cost ten times as much and more.
 */
const BESIDE_OTHER_TESTS = 3;

/** Shorter than in a long run, which goes through all rows. */
const SHORT_ROWS: readonly Row[] = [
  { ...rowNamed("bodies in 65,000 chunks"), maxRequests: 30 },
  { ...rowNamed("worst bodies: nested"), maxRequests: 100 },
  { ...rowNamed("worst bodies: numbers"), maxRequests: 100 },
  { ...rowNamed("512 x 50 pipelined, no key"), maxRequests: 512 * 50 },
  { ...rowNamed("log that nobody reads"), maxRequests: 1_000 },
  DESCRIPTORS,
];
const allowed = (row: Row): Row => ({ ...row, processorMsMax: row.processorMsMax * BESIDE_OTHER_TESTS });

/** Wall times say little on a busy machine: checks the service's CPU time, and that the good client is served. */
describe("a good client is served, and it costs the service little, beside", () => {
  const boards = new Map(SHORT_ROWS.map((row) => [row, new Scoreboard()]));
  setUp(async () => {
    const waiting = [...boards];
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const [row, board] = next;
        const seconds = secondsOf(row);
        judge(board, allowed(row), await measure(row, { seconds, attackSeconds: ATTACK_SECONDS, withControl: false }));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  });

  for (const [row, board] of boards) test(row.name, () => expect(board.violations).toEqual([]));
});

test("harm is noticed: in answers, processor time, memory, descriptors, times and what remains", () => {
  const day = { requests: 100, unanswered: 0, p50: 1, p99: 5, max: 9 };
  const fine: Measured = {
    alone: day,
    control: day,
    attacked: day,
    toll: { requests: 100, answers: 100, closed: 0 },
    processorMsPerRequest: 0.001,
    memoryMb: 1,
    recoveredMs: 0,
    descriptorsLeft: 0,
  };
  const violations = (change: Partial<Measured>): number => {
    const board = new Scoreboard();
    judge(board, rowNamed("worst bodies: nested"), { ...fine, ...change });
    return board.violations.length;
  };
  expect(violations({})).toBe(0);
  expect(violations({ attacked: { ...day, p99: 49 } })).toBe(0);
  expect(violations({ attacked: { ...day, p99: 60 } })).toBe(1);
  expect(violations({ attacked: { ...day, unanswered: 1 } })).toBe(1);
  expect(violations({ processorMsPerRequest: 20 })).toBe(1);
  expect(violations({ memoryMb: 1_000 })).toBe(1);
  expect(violations({ recoveredMs: undefined })).toBe(1);
  expect(violations({ descriptorsLeft: 400 })).toBe(1);
  expect(violations({ toll: { requests: 0, answers: 0, closed: 0 } })).toBe(1);
});
