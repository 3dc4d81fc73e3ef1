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
