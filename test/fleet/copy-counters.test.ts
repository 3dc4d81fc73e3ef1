import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { newTally, type Tally } from "../../src/domain/limits/tally.ts";
import { raiseTallies, readTallies } from "../../src/meter/open.ts";
import { parseRedisUrl, type RedisUrl } from "../../src/meter/redis-url.ts";
import { temporaryFolder } from "../harness/folder.ts";
import { EXECUTABLE, run, serve } from "../harness/program/program.ts";
import { emptyDatabaseMaker } from "../harness/servers/postgres.ts";
import { hasRedis, redisDatabaseMaker } from "../harness/servers/redis.ts";

const program = [EXECUTABLE];

describe.skipIf(!hasRedis)("counters", async () => {
  const newDatabase = await emptyDatabaseMaker();
  const newRedis = await redisDatabaseMaker();

  async function issueKey(cwd: string): Promise<string> {
    const args = [
      "keys",
      "create",
      "--name",
      "x",
      "--plan",
      "enterprise",
      "--per-minute",
      "60",
      "--per-day",
      "60",
      "--json",
    ];
    return JSON.parse((await run(args, { cwd, program })).out).secret;
  }

  test("a copy carries used quotas and bans over into Redis, and from there into a database again", async () => {
    const cwd = temporaryFolder();
    await run(["migrate"], { cwd, program });
    const [used, banned] = [await issueKey(cwd), await issueKey(cwd)];
    const [postgres, redis] = [await newDatabase(), await newRedis()];
    const back = `sqlite:${join(temporaryFolder(), "back.db")}`;

    /** Serves with these settings, and makes requests. Returns the quota left after the last one, or its error code. */
    async function ask(env: Record<string, string>, requests: Record<string, number>): Promise<Record<string, string>> {
      const service = await serve({ cwd, env });
      const last: Record<string, string> = {};
      for (const [secret, count] of Object.entries(requests))
        for (let i = 0; i < count; i++) {
          const answer = await fetch(`${service.origin}/v1/pets`, { headers: { Authorization: `Bearer ${secret}` } });
          const { code } = (answer.ok ? {} : await answer.json()) as { code?: string };
          last[secret] = code ?? (answer.headers.get("x-ratelimit-remaining") as string);
        }
      await service.kill("SIGTERM");
      return last;
    }
    const copy = async (from: string, to: string) => {
      const outcome = await run(["copy"], { cwd, program, env: { COPY_FROM: from, COPY_TO: to, REDIS_URL: redis } });
      expect([outcome.exitCode, outcome.err]).toEqual([0, ""]);
    };

    expect(await ask({}, { [used]: 50, [banned]: 121 })).toEqual({ [used]: "10", [banned]: "key_banned" });
    await copy("sqlite:data/animal-store.db", postgres);
    const inRedis = { DATABASE_URL: postgres, REDIS_URL: redis };
    expect(await ask(inRedis, { [used]: 1, [banned]: 1 })).toEqual({ [used]: "9", [banned]: "key_banned" });
    await copy(postgres, back);
    expect(await ask({ DATABASE_URL: back }, { [used]: 1, [banned]: 1 })).toEqual({
      [used]: "8",
      [banned]: "key_banned",
    });
  });

  const tallyWith = (used: number, openedAtMs: number): Tally => ({
    ...newTally(),
    minute: { openedAtMs, used },
    day: { openedAtMs, used },
  });

  test("what is counted in Redis is never lowered, and can be raised any number of times", async () => {
    const url = parseRedisUrl(await newRedis()) as RedisUrl;
    const nowMs = Date.now();
    const usedOf = async () => (await readTallies(url, ["key_a"])).get("key_a")?.day.used;
    for (const [raised, expected] of [
      [5, 5],
      [50, 50],
      [50, 50],
      [7, 50],
    ] as const) {
      await raiseTallies(url, [["key_a", tallyWith(raised, nowMs)]]);
      expect(await usedOf()).toBe(expected);
    }
  });

  test("what instances count while it is raised is kept", async () => {
    const address = await newRedis();
    const url = parseRedisUrl(address) as RedisUrl;
    const nowMs = Date.now();
    const rounds = Array.from({ length: 20 }, (_, i) => tallyWith(i + 1, nowMs));
    await Promise.all(rounds.map((tally) => raiseTallies(url, [["key_a", tally]])));
    expect((await readTallies(url, ["key_a"])).get("key_a")?.minute.used).toBe(20);
  });

  test("thousands of tallies are raised, and expire when nothing in them matters any longer", async () => {
    const address = await newRedis();
    const url = parseRedisUrl(address) as RedisUrl;
    const nowMs = Date.now();
    await raiseTallies(
      url,
      Array.from({ length: 3_000 }, (_, i) => [`key_${i}`, tallyWith(i + 1, nowMs)] as const),
    );
    const tallies = await readTallies(url, ["key_0", "key_2999"]);
    expect([...tallies.values()].map(({ day }) => day.used)).toEqual([1, 3_000]);
    const client = new (await import("ioredis")).Redis(address);
    const leftMs = await client.pttl("animal-store:{key_5}");
    client.disconnect();
    expect(leftMs).toBeGreaterThan(86_000_000);
    expect(leftMs).toBeLessThanOrEqual(86_401_000);
  });
});

test("a Redis that is not there is one clear line", async () => {
  const url = parseRedisUrl("redis://127.0.0.1:1") as RedisUrl;
  const error = await raiseTallies(url, [["key_a", newTally()]], 50).catch((thrown: Error) => thrown);
  expect(String(error)).toMatch(/^OperatorError: Redis 127\.0\.0\.1:1 .*: /);
});
