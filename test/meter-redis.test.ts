import { afterAll, describe, expect, test } from "bun:test";
import type { Clock } from "../src/domain/clock.ts";
import { systemClock } from "../src/domain/clock.ts";
import { termsOfAddress, termsOfKey } from "../src/domain/tally.ts";
import { BoundedMeter } from "../src/meter/memory.ts";
import { RedisMeter } from "../src/meter/redis.ts";
import { connectRedis, whenReady } from "../src/meter/redis-client.ts";
import { TestProxy } from "./harness/proxy.ts";
import { hasRedis, startRedisCluster, TestRedis } from "./harness/redis.ts";
import { meterContract } from "./meter.contract.ts";

const FREE = termsOfKey({ perMinute: 60, perDay: 1000 }, undefined);

async function openMeter(urls: readonly string[], clock: Clock, scriptClock?: Clock) {
  const changes: boolean[] = [];
  const client = connectRedis(urls);
  const meter = new RedisMeter({
    client,
    clock,
    fallback: new BoundedMeter(clock, 1000),
    onChange: (isDegraded) => changes.push(isDegraded),
    ...(scriptClock ? { scriptClock } : {}),
  });
  afterAll(() => meter.close());
  await whenReady(client);
  return Object.assign(meter, { changes });
}

const single = hasRedis ? await TestRedis.start() : undefined;
const cluster = hasRedis ? await startRedisCluster() : [];
const singleUrls = [single?.url ?? ""];
const clusterUrls = cluster.map((node) => node.url);

meterContract("Redis", (clock) => openMeter(singleUrls, clock, clock), !hasRedis);
meterContract("Redis Cluster", (clock) => openMeter(clusterUrls, clock, clock), !hasRedis);

describe.skipIf(!hasRedis)("Redis", () => {
  const redis = single as TestRedis;

  test("goes by the clock of Redis, whatever an instance's own clock says", async () => {
    const skewed = { nowMs: () => Date.now() - 3_600_000 };
    const [one, other] = [await openMeter(singleUrls, systemClock), await openMeter(singleUrls, skewed)];
    const first = await one.judge("skew", FREE);
    const second = await other.judge("skew", FREE);
    expect(second.standing.shown).toEqual({ ...first.standing.shown, remaining: 58 });
    expect(Math.abs(second.standing.atMs - Date.now())).toBeLessThan(5000);
    for (let i = 0; i < 58; i++) await one.judge("skew", FREE);
    expect((await other.judge("skew", FREE)).kind).toBe("exhausted");
    expect((await other.judge("skew", FREE)).kind).toBe("exhausted");
  });

  test("one round trip a request, and none for who is refused anyway", async () => {
    const meter = await openMeter(singleUrls, systemClock);
    await meter.judge("warm", FREE);
    await redis.ask((client) => client.config("RESETSTAT"));
    for (let i = 0; i < 50; i++) await meter.judge("trips", FREE);
    expect(await redis.calls("evalsha")).toBe(50);
    for (let i = 0; i < 11; i++) await meter.judge("trips", FREE);
    expect(await redis.calls("evalsha")).toBe(61);
    for (let i = 0; i < 30; i++) expect((await meter.judge("trips", FREE)).kind).toBe("exhausted");
    expect(await redis.calls("evalsha")).toBe(61);
    expect(await redis.calls("eval")).toBe(0);
  });

  test("strikes at several instances add up to one ban", async () => {
    const meters = [await openMeter(singleUrls, systemClock), await openMeter(singleUrls, systemClock)];
    for (let i = 0; i < 60; i++) await meters[0]?.judge("both", FREE);
    for (const meter of meters) for (let i = 0; i < 35; i++) await meter.judge("both", FREE);
    const isBanned = async () =>
      (await Promise.all(meters.map((meter) => meter.judge("both", FREE)))).every(({ kind }) => kind === "banned");
    const from = performance.now();
    while (!(await isBanned())) await Bun.sleep(20);
    expect(performance.now() - from).toBeLessThan(1000);
  });

  test("what is counted expires by itself, set in the same step", async () => {
    const meter = await openMeter(singleUrls, systemClock);
    await meter.judge("address", termsOfAddress(5));
    await meter.judge("key", FREE);
    const ttl = (subject: string) => redis.ask((client) => client.pttl(`animal-store:{${subject}}`));
    expect(await ttl("address")).toBeWithin(50_000, 60_001);
    expect(await ttl("key")).toBeWithin(86_000_000, 86_400_001);
  });

  test("strikes that fall while an answer is on its way are not lost: a slow wire changes no count", async () => {
    const proxy = await TestProxy.start(redis.port);
    const meter = await openMeter([`redis://127.0.0.1:${proxy.port}`], systemClock);
    for (let i = 0; i < 60; i++) await meter.judge("slow wire", FREE);
    proxy.delayMs = 20;
    let refusals = 0;
    for (; (await meter.judge("slow wire", FREE)).kind === "exhausted"; refusals++) await Bun.sleep(4);
    expect(refusals).toBe(59);
  });

  test("one late answer is no outage: that request is counted here, and Redis goes on counting", async () => {
    const proxy = await TestProxy.start(redis.port);
    const meter = await openMeter([`redis://127.0.0.1:${proxy.port}`], systemClock);
    await meter.judge("late", FREE);
    proxy.delayMs = 110;
    const late = meter.judge("late", FREE);
    await Bun.sleep(115);
    proxy.delayMs = 0;
    expect((await late).kind).toBe("pass");
    expect((await meter.judge("late", FREE)).standing.shown.remaining).toBe(57);
    expect(meter.changes).toEqual([]);
  });

  test("a Redis that answers but cannot count is told once, and asked less and less often", async () => {
    const meter = await openMeter(singleUrls, systemClock);
    await redis.ask((client) => client.config("SET", "maxmemory", "1"));
    expect((await meter.judge("full", FREE)).kind).toBe("pass");
    await Bun.sleep(700);
    expect(meter.changes).toEqual([true]);
    await redis.ask((client) => client.config("SET", "maxmemory", "0"));
    while (meter.changes.length < 2) await Bun.sleep(20);
    expect((await meter.judge("full", FREE)).standing.shown.remaining).toBe(59);
  });

  for (const [how, down, up] of [
    ["stops", () => redis.stop(), () => redis.start()],
    ["hangs", async () => redis.pause(), async () => redis.resume()],
  ] as const)
    test(`when Redis ${how}, each instance counts for itself within 200 ms, and Redis again when it is back`, async () => {
      const meter = await openMeter(singleUrls, systemClock);
      await meter.judge(`outage ${how}`, FREE);
      await down();
      const from = performance.now();
      const verdict = await meter.judge(`outage ${how}`, FREE);
      expect(performance.now() - from).toBeLessThan(200);
      expect(verdict).toMatchObject({ kind: "pass", standing: { shown: { quota: 60, remaining: 59 } } });
      const next = performance.now();
      for (let i = 0; i < 59; i++) await meter.judge(`outage ${how}`, FREE);
      expect(performance.now() - next).toBeLessThan(200);
      expect((await meter.judge(`outage ${how}`, FREE)).kind).toBe("exhausted");
      expect(meter.changes).toEqual([true]);
      await up();
      while (meter.changes.length < 2) await Bun.sleep(20);
      expect(meter.changes).toEqual([true, false]);
      expect((await meter.judge(`after ${how}`, FREE)).kind).toBe("pass");
      expect(await redis.ask((client) => client.exists(`animal-store:{after ${how}}`))).toBe(1);
    });
});
