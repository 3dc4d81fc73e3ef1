import { expect, test } from "bun:test";
import { FakeClock } from "../../../test/harness/time/clock.ts";
import type { Instance } from "../../domain/usage/instance.ts";
import { Heartbeat } from "./heartbeat.ts";

function beating() {
  const clock = new FakeClock();
  const noted: Instance[] = [];
  const state = { isReady: true, isReadOnly: false, countsAlone: false };
  const heartbeat = new Heartbeat({
    store: {
      isReadOnly: () => state.isReadOnly,
      instances: { list: () => noted, note: async (instance) => void noted.push(instance) },
    },
    clock,
    version: "9.9.9",
    environment: "staging",
    threads: 3,
    serving: { isReady: async () => state.isReady, countsAlone: () => state.countsAlone },
  });
  return { clock, noted, state, heartbeat };
}

test("a heart beats every 10 seconds, and at once when the health has changed", async () => {
  const { clock, noted, state, heartbeat } = beating();
  const startedAtMs = clock.nowMs();
  const beat = async (ms: number) => {
    clock.advance(ms);
    await heartbeat.beat();
    return noted.length;
  };
  expect(await beat(2_000)).toBe(1);
  expect(await beat(2_000)).toBe(1);
  expect(await beat(7_999)).toBe(1);
  expect(await beat(1)).toBe(2);
  state.isReady = false;
  expect(await beat(2_000)).toBe(3);
  expect(await beat(2_000)).toBe(3);
  state.isReady = true;
  state.countsAlone = true;
  expect(await beat(2_000)).toBe(4);
  state.countsAlone = false;
  expect(await beat(2_000)).toBe(5);
  await heartbeat.stop();
  expect(noted.map(({ health }) => health)).toEqual([
    "ready",
    "ready",
    "not ready",
    "counts alone",
    "ready",
    "stopping",
  ]);
  expect(new Set(noted.map(({ id }) => id)).size).toBe(1);
  expect(noted[0]).toMatchObject({ version: "9.9.9", environment: "staging", threads: 3, startedAtMs });
  expect(noted[0]?.stoppedAtMs).toBeUndefined();
  expect(noted.at(-1)).toMatchObject({ seenAtMs: clock.nowMs(), stoppedAtMs: clock.nowMs() });
});

test("a clock that is set back does not stop the heart", async () => {
  const { clock, noted, heartbeat } = beating();
  await heartbeat.beat();
  clock.jump(-3_600_000);
  await heartbeat.beat();
  expect(noted).toHaveLength(2);
});

test("nothing is written to a store that is read-only", async () => {
  const { noted, state, heartbeat } = beating();
  state.isReadOnly = true;
  await heartbeat.beat();
  await heartbeat.stop();
  expect(noted).toEqual([]);
});
