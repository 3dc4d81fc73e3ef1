import { expect, test } from "bun:test";
import { ATTEMPTS_PER_MINUTE, AttemptLimit } from "./attempts.ts";

test("an address may try so often in a minute, and another one as often", () => {
  let nowMs = 0;
  const limit = new AttemptLimit({ monotonicMs: () => nowMs });
  for (let i = 0; i < ATTEMPTS_PER_MINUTE; i++) {
    expect(limit.waitSeconds("a")).toBe(0);
    limit.add("a");
  }
  expect(limit.waitSeconds("a")).toBe(60);
  expect(limit.waitSeconds("b")).toBe(0);
  nowMs = 59_001;
  expect(limit.waitSeconds("a")).toBe(1);
  nowMs = 60_000;
  expect(limit.waitSeconds("a")).toBe(0);
  limit.add("a");
  expect(limit.waitSeconds("a")).toBe(0);
});

test("it remembers a bounded number of addresses", () => {
  const limit = new AttemptLimit({ monotonicMs: () => 0 });
  for (let i = 0; i < ATTEMPTS_PER_MINUTE; i++) limit.add("first");
  for (let i = 0; i < 10_000; i++) limit.add(`address ${i}`);
  expect(limit.waitSeconds("first")).toBe(0);
});
