import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../../../test/harness/folder.ts";
import { SIGNED } from "../../../test/harness/rows/author.ts";
import { FakeClock } from "../../../test/harness/time/clock.ts";
import { Keyring } from "../../access/keyring.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, steadyClock } from "../../base/time/clock.ts";
import { newKey } from "../../domain/keys/key.ts";
import { PLANS } from "../../domain/keys/plan.ts";
import { startOf } from "../../domain/usage/grains.ts";
import { newCounts } from "../../domain/usage/usage.ts";
import { openForCommand } from "../../store/sqlite/store.ts";
import { UsageCounter } from "../../telemetry/usage-counter.ts";
import { maintenanceOf, POLL_INTERVAL_MS, startPolling, startThreadJobs } from "./background-jobs.ts";
import { AT_REST, type Job, type Run, Schedule } from "./schedule.ts";

test("saved responses are deleted after a day, and not because the clock is ahead for a moment", async () => {
  const store = await openForCommand(join(temporaryFolder(), "store.db"), { create: true });
  const key = newKey({ name: "k", plan: "free", quotas: PLANS.free, createdAtMs: 0, expiresAtMs: undefined });
  await store.keys.create({ ...SIGNED, key, digest: "d" });
  const clock = new FakeClock();
  const steady = steadyClock(clock);
  const { deleteExpiredResponses } = maintenanceOf(store, steady);
  const create = async () => {
    const idempotencyKey = { keyId: key.id, value: "v", fingerprint: "f", nowMs: steady.nowMs() };
    return (await store.animals.create({ name: "Rex", categoryId: 7n, status: "sold" }, idempotencyKey)).kind;
  };
  expect(await create()).toBe("done");
  clock.jump(25 * HOUR_MS);
  await deleteExpiredResponses();
  clock.jump(-25 * HOUR_MS);
  expect(await create()).toBe("replay");
  clock.advance(DAY_MS - MINUTE_MS);
  await deleteExpiredResponses();
  expect(await create()).toBe("replay");
  clock.advance(MINUTE_MS);
  await deleteExpiredResponses();
  expect(await create()).toBe("done");
  await store.close();
});

test("a start while the clock is ahead deletes nothing: once the clock is right again, retries are answered as before", async () => {
  const store = await openForCommand(join(temporaryFolder(), "store.db"), { create: true });
  const key = newKey({ name: "k", plan: "free", quotas: PLANS.free, createdAtMs: 0, expiresAtMs: undefined });
  await store.keys.create({ ...SIGNED, key, digest: "d" });
  const clock = new FakeClock();
  const create = async () => {
    const idempotencyKey = { keyId: key.id, value: "v", fingerprint: "f", nowMs: clock.nowMs() };
    return (await store.animals.create({ name: "Rex", categoryId: 7n, status: "sold" }, idempotencyKey)).kind;
  };
  expect(await create()).toBe("done");
  clock.jump(25 * HOUR_MS);
  const { deleteExpiredResponses } = maintenanceOf(store, steadyClock(clock));
  for (let minute = 0; minute < 120; minute++) {
    if (minute === 50) clock.jump(-25 * HOUR_MS);
    await deleteExpiredResponses();
    clock.advance(MINUTE_MS);
  }
  expect(await create()).toBe("replay");
  await store.close();
});

test("usage is swept when it is older than it is kept, once the clock is settled, and never from a store that is read-only", async () => {
  const store = await openForCommand(join(temporaryFolder(), "store.db"), { create: true });
  const clock = new FakeClock();
  const steady = steadyClock(clock);
  const { sweepUsage } = maintenanceOf(store, steady);
  const startedAtMs = startOf("minute", clock.nowMs());
  const sums = [{ keyId: null, startedAtMs, counts: newCounts().map(() => 1) }];
  await store.usage.add({ source: "s", sequence: 1, atMs: clock.nowMs(), sums });
  const left = async () => {
    const span = { fromMs: 0, beforeMs: startedAtMs + 1 };
    return [
      (await store.usage.totals({ grain: "minute", ...span })).length,
      (await store.usage.totals({ grain: "hour", ...span })).length,
    ];
  };
  clock.jump(500 * DAY_MS);
  await sweepUsage();
  clock.jump(-500 * DAY_MS);
  clock.advance(2 * DAY_MS);
  await sweepUsage();
  expect(await left()).toEqual([1, 1]);
  clock.advance(2 * MINUTE_MS);
  await maintenanceOf({ ...store, isReadOnly: () => true }, steady).sweepUsage();
  expect(await left()).toEqual([1, 1]);
  await sweepUsage();
  expect(await left()).toEqual([0, 1]);
  clock.advance(399 * DAY_MS);
  await sweepUsage();
  expect(await left()).toEqual([0, 0]);
  await store.close();
});

test("keys are read again often enough for a change to be felt within 2 s", () => {
  expect(POLL_INTERVAL_MS).toBeLessThanOrEqual(1_000);
});

test("what requests have left is written, and then the job rests until there are others", async () => {
  const store = await openForCommand(join(temporaryFolder(), "store.db"), { create: true });
  const usage = new UsageCounter();
  const schedule = new Schedule();
  const started: [Run, Job][] = [];
  const wakes: number[] = [];
  schedule.start = (_, run) => {
    const job = { wake: () => void wakes.push(1), stop: async () => {} };
    started.push([run, job]);
    return job;
  };
  const state = { isReadOnly: false, fails: false };
  const stop = startThreadJobs({
    schedule,
    keyring: new Keyring(store.keys),
    usage,
    store: {
      ...store,
      isReadOnly: () => state.isReadOnly,
      usage: {
        ...store.usage,
        add: (addition) => (state.fails ? Promise.reject(new Error("no")) : store.usage.add(addition)),
      },
    },
    steadyClock: steadyClock(new FakeClock()),
    report: () => () => {},
  });
  const run = started[0]?.[0] as Run;
  const request = () => usage.count(undefined, "passed", 1, 1_000_000_000_000);
  expect(await run()).toBe(AT_REST);
  request();
  request();
  expect(wakes).toHaveLength(1);
  for (const [problem, outcome] of [[{ isReadOnly: true }], [{ fails: true }], [{}, AT_REST]] as const) {
    Object.assign(state, { isReadOnly: false, fails: false }, problem);
    expect(await run()).toBe(outcome);
  }
  request();
  expect(wakes).toHaveLength(2);
  await stop();
  expect(usage.take()).toEqual([]);
  await store.close();
});

test("others are told to poll while something has changed or is not well, and once more after that", async () => {
  const schedule = new Schedule(1);
  const polls = [true, true, false, true, true, "fails", true, true];
  const told: number[] = [];
  const enough = Promise.withResolvers<void>();
  let count = 0;
  const stop = startPolling({
    schedule,
    poll: async () => {
      const found = polls[count++];
      if (count > polls.length) enough.resolve();
      if (found === "fails") throw new Error("no");
      return found !== false;
    },
    tellOthers: () => told.push(count),
    report: () => () => {},
    intervalMs: 1,
  });
  await enough.promise;
  await stop();
  // The first poll is one after nobody has polled.
  expect(told).toEqual([1, 3, 4, 6, 7]);
});
