import { describe, expect, test } from "bun:test";
import { setUp } from "../harness/cleanup.ts";
import { KeptConnections } from "../harness/requests/kept-connections.ts";
import type { Answer } from "../harness/requests/send.ts";
import { databaseMaker, withSql } from "../harness/servers/postgres.ts";
import { hasRedis, TestRedis } from "../harness/servers/redis.ts";
import { startService, type TestService } from "../harness/service/service.ts";

// Threads on PostgreSQL and Redis share their counts, and divide the connections.

const CONNECTIONS = 5;
const QUOTA = 60;
/** Too few for a ban, which would close connections. */
const REQUESTS = 110;
const newDatabase = await databaseMaker();

const passed = (answers: readonly Answer[]): number => answers.filter(({ status }) => status === 200).length;

describe.skipIf(!hasRedis)("two threads on PostgreSQL and Redis", () => {
  const logged: string[] = [];
  let redis: TestRedis;
  let database: string;
  let service: TestService;
  let connections: KeptConnections;
  setUp(async () => {
    redis = await TestRedis.start();
    database = await newDatabase();
    const env = {
      DATABASE_URL: database,
      REDIS_URL: redis.url,
      DATABASE_CONNECTIONS: String(CONNECTIONS),
      THREADS: "2",
      METRICS_PORT: "0",
    };
    service = await startService({ env, logged });
    connections = await KeptConnections.open(service);
  });

  /** The number of these requests that pass with a new key. */
  const passOfNewKey = async (): Promise<number> => {
    const { secret } = await service.issueKey({ plan: "free" });
    return passed(
      await Promise.all(Array.from({ length: REQUESTS }, (_, i) => connections.call(i, "GET /pets", { secret }))),
    );
  };
  const count = (text: string): number => logged.filter((line) => line.includes(text)).length;

  test("never open more connections than they may, and use those of both", async () => {
    let most = 0;
    let isOver = false;
    const watch = withSql(database, async (sql) => {
      while (!isOver) {
        const [row] = await sql`SELECT count(*)::int AS open FROM pg_stat_activity
          WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`;
        most = Math.max(most, (row as { open: number }).open);
      }
    });
    const pets = (await connections.callAll("POST /pets", { body: { name: "Rex", categoryId: 1 } })).map(
      ({ json }) => json,
    );
    // Each update is a transaction on a separate connection.
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all([
        ...pets.map(({ id }, i) => connections.call(i, `PATCH /pets/${id}`, { body: { name: `Rex ${round}` } })),
        connections.call(round, "GET /pets?limit=5"),
      ]);
      expect(answers.every(({ status }) => status === 200)).toBe(true);
    }
    const metrics = await (await fetch(service.metricsUrl as string)).text();
    isOver = true;
    await watch;
    // More than the larger share of two threads.
    expect(most).toBeWithin(Math.ceil(CONNECTIONS / 2) + 1, CONNECTIONS + 1);
    expect(Number(/^animal_store_database_connections (\d+)$/m.exec(metrics)?.[1])).toBeWithin(1, CONNECTIONS + 1);
  });

  test("count together in Redis, and by themselves together while it is away", async () => {
    expect(await passOfNewKey()).toBe(QUOTA);
    await redis.stop();
    // Both threads notice it with the first request that Redis cannot count.
    await connections.callAll("GET /pets");
    expect(await passOfNewKey()).toBe(QUOTA);
    expect(count("this instance counts requests by itself")).toBe(1);
    await redis.start();
    while (count("Redis is back") === 0) await Bun.sleep(10);
    // One thread may be back before the other.
    while ((await passOfNewKey()) !== QUOTA) await Bun.sleep(10);
    expect(count("Redis is back")).toBe(1);
  });

  test("carry out copies of a write once", async () => {
    const options = { body: { name: "Once", categoryId: 2 }, headers: { "Idempotency-Key": "once" } };
    const answers = await connections.callAll("POST /pets", options);
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect((await service.call("GET /pets?categoryId=2")).json).toHaveLength(1);
  });
});

test("with fewer connections than threads, there are as many threads as connections", async () => {
  const logged: string[] = [];
  await startService({ env: { DATABASE_URL: await newDatabase(), DATABASE_CONNECTIONS: "2", THREADS: "4" }, logged });
  const line = logged.map((text) => JSON.parse(text)).find(({ msg }) => msg === "all threads answer requests");
  expect(line).toMatchObject({ threads: 2 });
});
