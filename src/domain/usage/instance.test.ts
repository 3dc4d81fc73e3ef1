import { expect, test } from "bun:test";
import { DAY_MS } from "../../base/time/clock.ts";
import { HEARTBEAT_INTERVAL_MS, type Instance, instancesForgottenBefore, stateOfInstance } from "./instance.ts";

const NOW = Date.parse("2027-03-01T12:00:00Z");
const SEEN: Instance = {
  id: "a",
  host: "h",
  version: "1",
  environment: "production",
  threads: 2,
  startedAtMs: NOW - DAY_MS,
  health: "ready",
  seenAtMs: NOW,
  stoppedAtMs: undefined,
};

test("an instance is alive until it has missed heartbeats, unless it has stopped", () => {
  const stateAfter = (ms: number, change: Partial<Instance> = {}) => stateOfInstance({ ...SEEN, ...change }, NOW + ms);
  expect(stateAfter(0)).toBe("alive");
  expect(stateAfter(-DAY_MS)).toBe("alive");
  expect(stateAfter(3 * HEARTBEAT_INTERVAL_MS)).toBe("alive");
  expect(stateAfter(3 * HEARTBEAT_INTERVAL_MS + 1)).toBe("lost");
  expect(stateAfter(0, { stoppedAtMs: NOW })).toBe("stopped");
  expect(stateAfter(DAY_MS, { stoppedAtMs: NOW })).toBe("stopped");
});

test("an instance is forgotten after a week", () => {
  expect(instancesForgottenBefore(NOW)).toBe(NOW - 7 * DAY_MS);
});
