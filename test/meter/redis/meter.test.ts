import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Clock } from "../../../src/base/time/clock.ts";
import { type RatePolicy, ratePolicyOfAddress, ratePolicyOfKey } from "../../../src/domain/limits/tally.ts";
import { keyOf } from "../../../src/meter/redis/commands/script.ts";
import type { RedisMeter } from "../../../src/meter/redis/meter.ts";
import { openTestMeter, until } from "../../harness/meters/redis.ts";
import { TestProxy } from "../../harness/servers/proxy.ts";
import { formRedisCluster, hasRedis, TestRedis } from "../../harness/servers/redis.ts";
import { FakeClock } from "../../harness/time/clock.ts";
import { FakeScheduler } from "../../harness/time/scheduler.ts";
import { meterContract } from "../meter.contract.ts";

const FREE = ratePolicyOfKey({ perMinute: 60, perDay: 1000 }, undefined);

/** The contract is about exact verdicts, however busy the machine is. */
const CONTRACT_TIMEOUT_MS = 20_000;

/** A meter whose probes and reports are due only when `scheduler` says so. */
async function openMeter(address: string, clock?: Clock, scriptClock?: Clock, answerTimeoutMs?: number) {
  const scheduler = new FakeScheduler();
  const options = { ...(clock ? { clock } : {}), scriptClock, scheduler, answerTimeoutMs };
  const meter = await openTestMeter(address, options);
  /** Probes until Redis is found to be back. */
  const recover = async () => {
    while (meter.outages().at(-1)?.endsWith(" away")) {
      scheduler.advance(scheduler.nextDelayMs ?? 0);
      await Bun.sleep(5);
    }
  };
  return Object.assign(meter, { scheduler, recover });
}

const single = hasRedis ? await TestRedis.start() : undefined;
const cluster = hasRedis ? await formRedisCluster() : undefined;
const singleUrl = single?.url ?? "redis://nowhere";

meterContract("Redis", (clock) => openMeter(singleUrl, clock, clock, CONTRACT_TIMEOUT_MS), !hasRedis);

describe.skipIf(!hasRedis)("Redis", () => {
  const redis = single as TestRedis;
  const field = async (subject: string, name: string) =>
    Number(await redis.ask((client) => client.hget(keyOf(subject), name)));

  test("goes by the clock of Redis, whatever an instance's own clock says", async () => {
    const skewed: Clock = { nowMs: () => Date.now() - 3_600_000 };
    const [one, other] = [await openMeter(singleUrl), await openMeter(singleUrl, skewed)];
    const first = await one.judge("skew", FREE);
    const second = await other.judge("skew", FREE);
    expect(second.quotaStatus.shown).toEqual({ ...first.quotaStatus.shown, remaining: 58 });
    expect(Math.abs(second.quotaStatus.atMs - Date.now())).toBeLessThan(5000);
    for (let i = 0; i < 58; i++) await one.judge("skew", FREE);
    expect((await other.judge("skew", FREE)).kind).toBe("exhausted");
    expect((await other.judge("skew", FREE)).kind).toBe("exhausted");
  });

  test("one round trip per request, and none for a subject that is known to be refused", async () => {
    const meter = await openMeter(singleUrl);
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
    const meters = [await openMeter(singleUrl), await openMeter(singleUrl)];
    for (let i = 0; i < 60; i++) await meters[0]?.judge("both", FREE);
    for (const meter of meters) for (let i = 0; i < 35; i++) await meter.judge("both", FREE);
    for (const meter of meters) meter.scheduler.advance(100);
    const isBanned = async () =>
      (await Promise.all(meters.map((meter) => meter.judge("both", FREE)))).every(({ kind }) => kind === "banned");
    for (let tries = 0; !(await isBanned()); tries++) {
      expect(tries).toBeLessThan(100);
      await Bun.sleep(1);
    }
    expect(await field("both", "bans_in_a_row")).toBe(1);
  });

  test("every strike reaches Redis exactly once, whichever instance it falls on and whenever it is reported", async () => {
    const policy: RatePolicy = { perMinute: 1, perDay: 1000, strikesToBan: 10_000, unbannedAtMs: -1 };
    const step = fc.oneof(
      {
        weight: 9,
        arbitrary: fc.record({ kind: fc.constant("request"), instance: fc.nat(2), isAwaited: fc.boolean() }),
      },
      {
        weight: 1,
        arbitrary: fc.record({ kind: fc.constant("report"), instance: fc.nat(2), isAwaited: fc.boolean() }),
      },
    );
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 200 }), async (steps) => {
        const subject = `once ${++runs}`;
        const meters = [await openMeter(singleUrl), await openMeter(singleUrl), await openMeter(singleUrl)];
        const verdicts = [];
        for (const { kind, instance, isAwaited } of steps) {
          const meter = meters[instance] as (typeof meters)[number];
          if (kind === "report") meter.scheduler.advance(100);
          else verdicts.push(meter.judge(subject, policy));
          if (isAwaited) await verdicts.at(-1);
        }
        const kinds = (await Promise.all(verdicts)).map((verdict) => verdict.kind);
        for (const meter of meters) await meter.close();
        const strikes = kinds.filter((kind) => kind === "exhausted").length;
        expect(await field(subject, "strikes")).toBe(strikes);
      }),
      { numRuns: 20 },
    );
  });

  test("a ban brought by the reports of another instance is announced by one verdict in all", async () => {
    const meters = [await openMeter(singleUrl), await openMeter(singleUrl)] as const;
    const [one, other] = meters;
    const kinds: string[] = [];
    const ask = async (meter: RedisMeter) => {
      const verdict = await meter.judge("announced", FREE);
      kinds.push(verdict.kind === "banned" && verdict.isNew ? "new ban" : verdict.kind);
    };
    for (let i = 0; i < 61; i++) await ask(one);
    for (let i = 0; i < 31; i++) await ask(one);
    for (let i = 0; i < 31; i++) await ask(other);
    for (let i = 0; i < 10; i++) {
      for (const meter of meters) meter.scheduler.advance(100);
      await Bun.sleep(2);
      for (const meter of meters) await ask(meter);
    }
    expect(kinds.filter((kind) => kind === "new ban")).toHaveLength(1);
    expect(kinds.slice(-2)).toEqual(["banned", "banned"]);
  });

  test("what is counted expires by itself, and the expiry is set in the same step", async () => {
    const meter = await openMeter(singleUrl);
    await meter.judge("address", ratePolicyOfAddress(5));
    await meter.judge("key", FREE);
    const ttl = (subject: string) => redis.ask((client) => client.pttl(keyOf(subject)));
    expect(await ttl("address")).toBeWithin(50_000, 60_001);
    expect(await ttl("key")).toBeWithin(86_000_000, 86_400_001);
  });

  test("strikes recorded while an answer is on its way are not lost: latency changes no count", async () => {
    const proxy = await TestProxy.start(redis.port);
    const meter = await openMeter(`redis://127.0.0.1:${proxy.port}`);
    for (let i = 0; i < 60; i++) await meter.judge("latency", FREE);
    proxy.delayMs = 20;
    let refusals = 0;
    for (; (await meter.judge("latency", FREE)).kind === "exhausted"; refusals++) {
      meter.scheduler.advance(10);
      await Bun.sleep(2);
    }
    expect(refusals).toBe(59);
  });

  test("one late answer is no outage: the instance counts that request by itself, and Redis goes on counting", async () => {
    const proxy = await TestProxy.start(redis.port);
    const meter = await openMeter(`redis://127.0.0.1:${proxy.port}`);
    await meter.judge("late", FREE);
    const release = proxy.hold();
    expect((await meter.judge("late", FREE)).kind).toBe("pass");
    release();
    expect((await meter.judge("late", FREE)).quotaStatus.shown.remaining).toBe(57);
    expect(meter.outages()).toEqual([]);
  });

  test("one late report is no outage either, and its strikes are not reported twice", async () => {
    const proxy = await TestProxy.start(redis.port);
    const meter = await openMeter(`redis://127.0.0.1:${proxy.port}`);
    for (let i = 0; i < 71; i++) await meter.judge("late report", FREE);
    const release = proxy.hold();
    meter.scheduler.advance(100);
    await until(() => meter.answers.at(-1) === "given_up");
    release();
    await until(async () => (await field("late report", "strikes")) > 0);
    expect(meter.outages()).toEqual([]);
    expect(await field("late report", "strikes")).toBe(11);
    expect(await meter.judge("late report", FREE)).toMatchObject({ kind: "exhausted", strikesLeft: 48 });
  });

  test("a Redis that answers but cannot count is reported once, and probed until it can", async () => {
    const meter = await openMeter(singleUrl);
    await redis.ask((client) => client.config("SET", "maxmemory", "1"));
    expect((await meter.judge("full", FREE)).kind).toBe("pass");
    for (let probes = 0; probes < 3; probes++) {
      meter.scheduler.advance(250);
      while (meter.scheduler.nextDelayMs === undefined) await Bun.sleep(1);
    }
    expect(meter.reasons()).toEqual(["has no memory left"]);
    await redis.ask((client) => client.config("SET", "maxmemory", "0"));
    await meter.recover();
    expect((await meter.judge("full", FREE)).quotaStatus.shown.remaining).toBe(59);
  });

  test("a tally that Redis does not give in time is the last that this instance knows", async () => {
    const proxy = await TestProxy.start(redis.port);
    const meter = await openMeter(`redis://127.0.0.1:${proxy.port}`);
    await meter.judge("late tally", FREE);
    expect((await meter.tally("late tally")).minute.used).toBe(1);
    const other = await openMeter(singleUrl);
    await other.judge("late tally", FREE);
    const release = proxy.hold();
    expect((await meter.tally("late tally")).minute.used).toBe(1);
    release();
    expect((await meter.tally("late tally")).minute.used).toBe(2);
  });

  test("a tally takes one round trip, and is that of all instances", async () => {
    const [one, other] = [await openMeter(singleUrl), await openMeter(singleUrl)];
    for (let i = 0; i < 5; i++) await one.judge("shared tally", FREE);
    await redis.ask((client) => client.config("RESETSTAT"));
    expect((await other.tally("shared tally")).minute.used).toBe(5);
    expect([await redis.calls("hmget"), await redis.calls("evalsha")]).toEqual([1, 0]);
  });

  for (const [how, down, up] of [
    ["stops", () => redis.stop(), () => redis.start()],
    ["hangs", async () => redis.pause(), async () => redis.resume()],
  ] as const)
    test(`when Redis ${how}, each instance counts by itself without waiting for it, in the windows that began in Redis, and in Redis again when it is back`, async () => {
      const clock = new FakeClock();
      const slowClock: Clock = { nowMs: () => clock.nowMs() - 3_600_000 };
      const meter = await openMeter(singleUrl, slowClock, clock);
      const { resetAtMs } = (await meter.judge(`outage ${how}`, FREE)).quotaStatus.shown;
      for (let i = 0; i < 61; i++) await meter.judge(`refused ${how}`, FREE);
      await down();
      clock.advance(20_000);
      const verdict = await meter.judge(`outage ${how}`, FREE);
      expect(verdict).toMatchObject({ kind: "pass", quotaStatus: { shown: { quota: 60, remaining: 58, resetAtMs } } });
      expect((await meter.judge(`refused ${how}`, FREE)).kind).toBe("exhausted");
      const asked = meter.answers.length;
      for (let i = 0; i < 58; i++) await meter.judge(`outage ${how}`, FREE);
      // Except for probes, none of them was sent.
      expect(meter.answers.length - asked).toBeLessThan(10);
      expect((await meter.judge(`outage ${how}`, FREE)).kind).toBe("exhausted");
      expect((await meter.tally(`outage ${how}`)).minute.used).toBe(60);
      clock.advance(40_000);
      const { minute, day } = (await meter.judge(`outage ${how}`, FREE)).quotaStatus;
      expect(minute).toMatchObject({ remaining: 59, resetAtMs: resetAtMs + 60_000 });
      expect(day).toMatchObject({ remaining: 939, resetAtMs: resetAtMs + 86_340_000 });
      expect(meter.outages()).toEqual([`127.0.0.1:${redis.port} away`]);
      await up();
      await meter.recover();
      expect(meter.outages()).toEqual([`127.0.0.1:${redis.port} away`, `127.0.0.1:${redis.port} back`]);
      await redis.ask((client) => client.flushall());
      expect((await meter.judge(`refused ${how}`, FREE)).kind).toBe("pass");
      expect((await meter.judge(`after ${how}`, FREE)).kind).toBe("pass");
      expect(await redis.ask((client) => client.exists(keyOf(`after ${how}`)))).toBe(1);
    });
});

meterContract(
  "Redis Cluster",
  async (clock) => {
    await cluster?.ready;
    return openMeter(cluster?.servers.map(({ url }) => url).join() ?? "", clock, clock, CONTRACT_TIMEOUT_MS);
  },
  !hasRedis,
);
