import { expect, test } from "bun:test";
import { AnimalStore } from "../src/index.ts";
import { workThroughFaults } from "./everywhere/faults.ts";
import { FAULTS } from "./fault-proxy.ts";
import { checkUnderFaults } from "./fault-run.ts";

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9));

test(`over 1,000 random faults, everything is done exactly once, and no answer goes to another call (SEED=${seed})`, async () => {
  const { finished, faults } = await checkUnderFaults(seed, (run) => workThroughFaults(AnimalStore, run));
  expect([...faults.keys()].sort()).toEqual([...FAULTS].sort());
  expect(faults.values().reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(1_000);
  expect(finished).toBeGreaterThan(0);
});

test("a write that was done is never reported as a stranger's (a seed that once led to it)", async () => {
  const { faults } = await checkUnderFaults(19033913, (run) => workThroughFaults(AnimalStore, run), {
    callers: 12,
    rounds: 4,
  });
  expect(faults.get("damages the success of a write")).toBeGreaterThan(0);
});
