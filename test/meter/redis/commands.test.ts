import { expect, test } from "bun:test";
import fc from "fast-check";
import { judge, newTally, type RatePolicy, ratePolicyOfKey, type Verdict } from "../../../src/domain/limits/tally.ts";
import { argumentsOf, keyOf } from "../../../src/meter/redis/commands/script.ts";
import { RedisMeter } from "../../../src/meter/redis/meter.ts";
import { connectRedis, type RedisClient, whenReady } from "../../../src/meter/redis/servers/client.ts";
import { serversOf } from "../../../src/meter/redis/servers/servers.ts";
import { parseRedisUrl, type RedisUrl } from "../../../src/meter/redis-url.ts";
import { newTallyTable } from "../../harness/meters/memory.ts";
import { openTestMeter, until } from "../../harness/meters/redis.ts";
import { hasRedis, TestRedis } from "../../harness/servers/redis.ts";
import { FakeClock } from "../../harness/time/clock.ts";

const POLICY = ratePolicyOfKey({ perMinute: 1_000, perDay: 1_000 }, undefined);
const ARGUMENTS = argumentsOf({ policy: POLICY, strikes: undefined, requests: 1, nowMs: undefined });

/** Returns the number of the server's reads from sockets. */
const reads = async (client: RedisClient): Promise<number> =>
  Number(/total_reads_processed:(\d+)/.exec(await client.info("stats"))?.[1]);

test.skipIf(!hasRedis)(
  "Redis: commands of one turn of the event loop are sent 16 at a time, and each is answered",
  async () => {
    const redis = await TestRedis.start();
    const client = connectRedis(parseRedisUrl(redis.url) as RedisUrl);
    await whenReady(client);
    const judge = () => client.judge(keyOf("together"), ...ARGUMENTS);
    await judge();
    const before = await reads(client);
    const answers = await Promise.all(Array.from({ length: 40 }, judge));
    // 16, 16 and 8, which may arrive as fewer, and the one that asks.
    expect((await reads(client)) - before).toBeLessThanOrEqual(4);
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(40);
    client.disconnect();
  },
);

const WHAT_ONE_BY_ONE_WOULD_GET =
  "Redis: requests of one subject in one turn of the event loop are one command, and get what they would get one by one";

test.skipIf(!hasRedis)(WHAT_ONE_BY_ONE_WOULD_GET, async () => {
  const redis = await TestRedis.start();
  const url = parseRedisUrl(redis.url) as RedisUrl;
  const client = connectRedis(url);
  await whenReady(client);
  const clock = new FakeClock();
  const meter = new RedisMeter({
    client,
    servers: serversOf(client, url),
    clock,
    scriptClock: clock,
    table: newTallyTable(clock),
    onServerChange: () => {},
  });
  let subjects = 0;
  const turns = fc.array(fc.tuple(fc.integer({ min: 1, max: 30 }), fc.constantFrom(0, 20_000, 61_000)), {
    minLength: 1,
    maxLength: 6,
  });
  const policies = fc.record({
    perMinute: fc.integer({ min: 1, max: 20 }),
    perDay: fc.integer({ min: 20, max: 60 }),
    strikesToBan: fc.integer({ min: 3, max: 40 }),
    unbannedAtMs: fc.constant(-1),
  });
  await fc.assert(
    fc.asyncProperty(turns, policies, async (sent, policy: RatePolicy) => {
      const subject = `subject ${++subjects}`;
      const tally = newTally();
      for (const [requests, pauseMs] of sent) {
        clock.advance(pauseMs);
        const expected = Array.from({ length: requests }, () => judge(tally, policy, clock.nowMs()));
        const verdicts: Verdict[] = await Promise.all(
          Array.from({ length: requests }, () => meter.judge(subject, policy)),
        );
        expect(verdicts).toEqual(expected);
      }
    }),
    { numRuns: 60 },
  );
  // Strikes are reported a tenth of a second later.
  await Bun.sleep(250);
  await redis.ask((admin) => admin.config("RESETSTAT"));
  await Promise.all(Array.from({ length: 50 }, () => meter.judge("many", POLICY)));
  expect(await redis.calls("evalsha")).toBe(1);
  await meter.close();
});

test.skipIf(!hasRedis)("Redis: a request whose answer cannot be read is judged by this instance", async () => {
  const redis = await TestRedis.start();
  const meter = await openTestMeter(redis.url);
  meter.client.judge = () => Promise.resolve(undefined as never);
  expect(await meter.judge("unreadable", POLICY)).toMatchObject({ kind: "pass" });
  await until(() => meter.outages().length === 1);
});
