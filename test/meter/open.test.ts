import { describe, expect, test } from "bun:test";
import { OperatorError } from "../../src/base/operator-error.ts";
import { newTally, ratePolicyOfAddress, ratePolicyOfKey, type Tally } from "../../src/domain/limits/tally.ts";
import {
  type MeterSettings,
  newMeterMemory,
  openMeters,
  readTallies,
  type ServerChange,
} from "../../src/meter/open.ts";
import { parseRedisUrl, type RedisUrl } from "../../src/meter/redis-url.ts";
import { hasRedis, TestRedis } from "../harness/servers/redis.ts";
import { FakeClock } from "../harness/time/clock.ts";

const FREE = ratePolicyOfKey({ perMinute: 60, perDay: 1000 }, undefined);
const NO_REDIS = parseRedisUrl("redis://user:hidden@127.0.0.1:1") as RedisUrl;

const redis = hasRedis ? await TestRedis.start() : undefined;

function settings(overrides: Partial<MeterSettings> = {}) {
  const saved: (readonly [string, Tally])[] = [];
  const clock = new FakeClock();
  const changes: ServerChange[] = [];
  const failures: unknown[] = [];
  const values: MeterSettings = {
    redisUrl: undefined,
    memory: newMeterMemory({ hasRedis: overrides.redisUrl !== undefined }),
    keeper: { load: () => [], save: (entries) => void saved.push(...structuredClone(entries)) },
    clock,
    scriptClock: clock,
    onSaveFailure: (error) => failures.push(error),
    onServerChange: (change) => changes.push(change),
    ...overrides,
  };
  return { values, saved, clock, changes, failures };
}

describe("openMeters without Redis", () => {
  test("keys are saved by save() and by close(), addresses never", async () => {
    const { values, saved } = settings();
    const meters = await openMeters(values);
    await meters.addressMeter.judge("203.0.113.1", ratePolicyOfAddress(5));
    await meters.keyMeter.judge("key_1", FREE);
    await meters.save();
    expect(saved.map(([subject, tally]) => [subject, tally.minute.used])).toEqual([["key_1", 1]]);
    await meters.keyMeter.judge("key_1", FREE);
    await meters.close();
    expect(saved.map(([subject, tally]) => [subject, tally.minute.used])).toEqual([
      ["key_1", 1],
      ["key_1", 2],
    ]);
  });

  test("a save that fails is reported, and not thrown", async () => {
    const diskFull = new Error("disk full");
    const { values, failures } = settings({
      keeper: {
        load: () => [],
        save: () => {
          throw diskFull;
        },
      },
    });
    const meters = await openMeters(values);
    await meters.keyMeter.judge("key_1", FREE);
    await meters.save();
    expect(failures).toEqual([diskFull]);
  });
});

describe("openMeters in a thread that does not save", () => {
  test("a new ban is answered once the thread that saves has done so; closing saves nothing", async () => {
    const { values, saved } = settings();
    const first = await openMeters(values);
    let asked = 0;
    const saveElsewhere = () => {
      asked++;
      return first.save();
    };
    const other = await openMeters({ ...values, keeper: { saveElsewhere } });
    for (let i = 0; i < 60; i++) await first.keyMeter.judge("key_1", FREE);
    for (let i = 0; i < 59; i++) await other.keyMeter.judge("key_1", FREE);
    expect([asked, saved]).toEqual([0, []]);
    expect(await other.keyMeter.judge("key_1", FREE)).toMatchObject({ kind: "banned", isNew: true });
    expect(saved.map(([subject, { banRecord }]) => [subject, banRecord.bansInARow])).toEqual([["key_1", 1]]);
    await other.close();
    expect(asked).toBe(1);
    await other.save();
    expect(asked).toBe(2);
  });

  test("if that thread cannot be asked, it is reported, and the ban is answered", async () => {
    const gone = new Error("the thread has ended");
    const { values, failures } = settings({ keeper: { saveElsewhere: () => Promise.reject(gone) } });
    const { keyMeter } = await openMeters(values);
    for (let i = 0; i < 119; i++) await keyMeter.judge("key_1", FREE);
    expect(await keyMeter.judge("key_1", FREE)).toMatchObject({ kind: "banned", isNew: true });
    expect(failures).toEqual([gone]);
  });
});

describe.skipIf(!hasRedis)("openMeters with Redis", () => {
  test("keys and addresses are counted there, by the clock given, and what is counted can be read", async () => {
    const redisUrl = parseRedisUrl((redis as TestRedis).url) as RedisUrl;
    const { values, saved, clock, changes } = settings({ redisUrl });
    const meters = await openMeters(values);
    for (let i = 0; i < 70; i++) await meters.keyMeter.judge("key_2", FREE);
    await meters.addressMeter.judge("203.0.113.1", ratePolicyOfAddress(5));
    await meters.save();
    await meters.close();
    expect(saved).toEqual([]);
    expect(changes).toEqual([{ state: "known", server: `127.0.0.1:${redis?.port}` }]);
    const nowMs = clock.nowMs();
    const tallies = await readTallies(redisUrl, ["key_2", "203.0.113.1", "key_3"]);
    expect([...tallies.keys()]).toEqual(["key_2", "203.0.113.1", "key_3"]);
    expect(tallies.get("key_2")).toEqual({
      minute: { openedAtMs: nowMs, used: 60 },
      day: { openedAtMs: nowMs, used: 60 },
      banRecord: { ...newTally().banRecord, strikes: 10, strikesSinceMs: nowMs },
    });
    expect(tallies.get("203.0.113.1")).toMatchObject({ minute: { used: 1 }, day: { used: 0 } });
    expect(tallies.get("key_3")).toEqual(newTally());
  });
});

describe("a Redis that does not answer", () => {
  test("the meters open all the same, count in this process, and say why", async () => {
    const { values, changes } = settings({ redisUrl: NO_REDIS, connectTimeoutMs: 50 });
    const meters = await openMeters(values);
    expect((await meters.keyMeter.judge("key_1", FREE)).quotaStatus.shown.remaining).toBe(59);
    expect((await meters.keyMeter.judge("key_1", FREE)).quotaStatus.shown.remaining).toBe(58);
    await meters.close();
    expect(changes.filter(({ state }) => state === "away")).toMatchObject([
      { server: "127.0.0.1:1", reason: "refuses connections", remedy: expect.stringContaining("REDIS_URL") },
    ]);
  });

  test("its threads count together meanwhile, keys and addresses", async () => {
    const { values } = settings({ redisUrl: NO_REDIS, connectTimeoutMs: 50 });
    const threads = await Promise.all([openMeters(values), openMeters(values)]);
    for (const of of ["keyMeter", "addressMeter"] as const) {
      const remaining: number[] = [];
      for (const i of [0, 1, 0, 1] as const)
        remaining.push((await threads[i][of].judge(of, FREE)).quotaStatus.shown.remaining);
      expect(remaining).toEqual([59, 58, 57, 56]);
    }
    for (const thread of threads) await thread.close();
  });

  test("reading tallies fails with one line for the operator, without the password", async () => {
    const error = await readTallies(NO_REDIS, ["key_1"], 50).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OperatorError);
    expect((error as Error).message).toBe(
      "Redis 127.0.0.1:1 refuses connections: check REDIS_URL, and whether Redis is running",
    );
  });
});
