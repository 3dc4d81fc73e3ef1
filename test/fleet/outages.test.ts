import { describe, expect, test } from "bun:test";
import { temporaryFolder } from "../harness/folder.ts";
import { issueBoundlessKey, type RunningService, run, serve } from "../harness/program/program.ts";
import { TestPostgres, withSql } from "../harness/servers/postgres.ts";
import { TestProxy } from "../harness/servers/proxy.ts";
import { hasRedis, TestRedis } from "../harness/servers/redis.ts";

const cwd = temporaryFolder();
const postgres = await TestPostgres.start();
const redis = hasRedis ? await TestRedis.start() : undefined;
const database = await postgres.database();

const secret = await issueBoundlessKey({ cwd, env: { DATABASE_URL: database } });
const headers = { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" };

interface Sample {
  readonly status: number;
  readonly name: string | undefined;
  readonly hasRetryAfter: boolean;
  readonly hasLimits: boolean;
}

/** Reads and writes until told to stop, each write with a unique name. */
function load(service: RunningService, clients: number) {
  const samples: Sample[] = [];
  let isOver = false;
  let next = 0;
  const work = Array.from({ length: clients }, async (_, client) => {
    while (!isOver) {
      const name = client % 2 ? `animal ${++next}` : undefined;
      const response = await fetch(`${service.origin}/v1/pets?${name ? "" : "limit=1"}`, {
        headers,
        ...(name ? { method: "POST", body: JSON.stringify({ name, categoryId: 1 }) } : {}),
      });
      await response.text();
      samples.push({
        status: response.status,
        name,
        hasRetryAfter: response.headers.has("retry-after"),
        hasLimits: response.headers.has("x-ratelimit-remaining"),
      });
      if (response.status !== 200 && response.status !== 201) await Bun.sleep(5);
    }
  });
  return {
    samples,
    async stop(): Promise<Sample[]> {
      isOver = true;
      await Promise.all(work);
      return samples;
    },
  };
}

const until = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await condition())) await Bun.sleep(10);
};

const isReady = async (service: RunningService) => (await fetch(`${service.origin}/readyz`)).status === 200;

const namesInDatabase = (): Promise<string[]> =>
  withSql(database, async (sql) => {
    const rows = await sql<{ name: string }[]>`SELECT name FROM animals`;
    return rows.map((row) => row.name);
  });

describe("when PostgreSQL fails", () => {
  for (const [how, down, up] of [
    ["is restarted", () => postgres.stop(), () => postgres.start()],
    ["crashes", () => postgres.crash(), () => postgres.start()],
    ["hangs", async () => postgres.pause(), async () => postgres.resume()],
  ] as const)
    test(`PostgreSQL ${how}: 503 with Retry-After while it is away, /readyz says no, it recovers, no acknowledged write is lost and none doubled`, async () => {
      await withSql(database, (sql) => sql`TRUNCATE animals, orders RESTART IDENTITY`);
      const service = await serve({ cwd, env: { DATABASE_URL: database, LOG_LEVEL: "silent" } });
      const traffic = load(service, 8);
      await until(() => traffic.samples.length > 100);
      await down();
      const outageAt = traffic.samples.length;
      await until(() => traffic.samples.slice(outageAt).filter((sample) => sample.status === 503).length > 8);
      expect(await isReady(service)).toBe(false);
      expect((await fetch(`${service.origin}/healthz`)).status).toBe(200);
      await up();
      await until(() => isReady(service));
      const backAt = traffic.samples.length;
      await until(() => traffic.samples.slice(backAt).filter((sample) => sample.status === 201).length > 50);
      const samples = await traffic.stop();
      expect(new Set(samples.map((sample) => sample.status))).toEqual(new Set([200, 201, 503]));
      for (const sample of samples)
        expect([sample.status, sample.hasRetryAfter, sample.hasLimits]).toEqual([
          sample.status,
          sample.status === 503,
          true,
        ]);
      const kept = await namesInDatabase();
      expect(new Set(kept).size).toBe(kept.length);
      for (const sample of samples) if (sample.status === 201) expect(kept).toContain(sample.name as string);
      await service.kill("SIGKILL");
    });

  test("PostgreSQL out of connections: load is shed with 503 instead of queueing without bound", async () => {
    const service = await serve({
      cwd,
      env: { DATABASE_URL: database, DATABASE_CONNECTIONS: "1", LOG_LEVEL: "silent" },
    });
    expect((await fetch(`${service.origin}/v1/pets`, { headers })).status).toBe(200);
    postgres.pause();
    const statuses = await Promise.all(
      Array.from({ length: 250 }, async (_, i) => {
        // Identical requests would share a response.
        const response = await fetch(`${service.origin}/v1/pets?categoryId=${i}`, { headers });
        return response.status;
      }),
    );
    // All requests must end while the server still hangs.
    postgres.resume();
    expect(new Set(statuses)).toEqual(new Set([503]));
    await until(() => isReady(service));
    expect((await fetch(`${service.origin}/v1/pets`, { headers })).status).toBe(200);
    await service.kill("SIGKILL");
  });

  test("a write that a proxy may have sent to another instance before is never said to have changed nothing", async () => {
    const env = { DATABASE_URL: database, LOG_LEVEL: "silent" };
    const direct = await serve({ cwd, env });
    const proxied = await serve({ cwd, env: { ...env, TRUSTED_PROXIES: "127.0.0.1" } });
    const writes = {
      "POST /pets": { name: "Rex", categoryId: 1 },
      "PATCH /pets/1": { name: "Max" },
      "DELETE /pets/1": undefined,
    };
    const messageOf = async (
      service: RunningService,
      [line, body]: [string, object | undefined],
      more: Record<string, string>,
    ): Promise<string> => {
      const [method = "", path] = line.split(" ");
      const options = { method, headers: { ...headers, ...more }, ...(body ? { body: JSON.stringify(body) } : {}) };
      const response = await fetch(`${service.origin}/v1${path}`, options);
      expect(response.status).toBe(503);
      return ((await response.json()) as { message: string }).message;
    };
    // Look the key up before PostgreSQL is gone.
    for (const service of [direct, proxied])
      expect((await fetch(`${service.origin}/v1/pets?limit=1`, { headers })).status).toBe(200);
    await postgres.stop();
    const key = { "Idempotency-Key": crypto.randomUUID() };
    for (const write of Object.entries(writes)) {
      expect(await messageOf(direct, write, key)).toContain("nothing was changed");
      expect(await messageOf(proxied, write, {})).toContain("nothing was changed");
      expect(await messageOf(proxied, write, key)).toContain("may or may not have been made");
    }
    await postgres.start();
    await Promise.all([direct.kill("SIGKILL"), proxied.kill("SIGKILL")]);
  });

  test("PostgreSQL whose connections go silent: they are replaced, and it recovers by itself", async () => {
    const proxy = await TestProxy.start(postgres.port);
    const address = database.replace(`:${postgres.port}/`, `:${proxy.port}/`);
    const service = await serve({ cwd, env: { DATABASE_URL: address, LOG_LEVEL: "silent" } });
    await Promise.all(Array.from({ length: 30 }, () => fetch(`${service.origin}/v1/pets`, { headers })));
    proxy.silence();
    expect((await fetch(`${service.origin}/v1/pets`, { headers })).status).toBe(503);
    await until(async () => (await fetch(`${service.origin}/v1/pets`, { headers })).status === 200);
    await service.kill("SIGKILL");
  });

  test("PostgreSQL that is not there at the start is one clear line, without the password", async () => {
    const { exitCode, err } = await run(["serve"], {
      cwd,
      env: { DATABASE_URL: "postgres://u:hidden@127.0.0.1:1/x", PORT: "0" },
    });
    expect(exitCode).toBe(1);
    expect(err).toStartWith("animal-store: cannot use the database postgres://127.0.0.1:1/x");
    expect(err.trim().split("\n")).toHaveLength(1);
    expect(err).not.toContain("hidden");
  });
});

test("variables that other PostgreSQL programs read, and parameters that are ours, change nothing about a connection", async () => {
  const other = "postgres://nobody@127.0.0.1:1/elsewhere?unknown=true";
  const env = { POSTGRES_URL: other, PGURL: other, TLS_DATABASE_URL: other, PGHOST: "127.0.0.2", PGPORT: "1" };
  const names = { PGUSER: "nobody", PGDATABASE: "elsewhere", PGPASSWORD: "wrong", PGSSLMODE: "require" };
  for (const parameters of ["", "?pgbouncer=true", "?prepare=false&connect_timeout=3"]) {
    const DATABASE_URL = `${database}${parameters}`;
    const { exitCode, err } = await run(["keys", "list"], { cwd, env: { ...env, ...names, DATABASE_URL } });
    expect([exitCode, err]).toEqual([0, ""]);
  }
});

describe.skipIf(!hasRedis)("when Redis fails", () => {
  const server = redis as TestRedis;

  for (const [how, down, up] of [
    ["stops", () => server.stop(), () => server.start()],
    ["hangs", async () => server.pause(), async () => server.resume()],
    ["restarts", () => server.stop().then(() => server.start()), async () => {}],
  ] as const)
    test(`Redis ${how} under load: no 5xx, the headers stay, one log line and a metric say so, and it recovers by itself`, async () => {
      const service = await serve({
        cwd,
        env: { DATABASE_URL: database, REDIS_URL: server.url, METRICS_PORT: "0", LOG_LEVEL: "info" },
      });
      const metrics = /Metrics +(\S+)/.exec(service.banner)?.[1] as string;
      const isDegraded = async () => /^animal_store_meter_degraded 1$/m.test(await (await fetch(metrics)).text());
      const traffic = load(service, 6);
      await until(() => traffic.samples.length > 100);
      await down();
      if (how !== "restarts") {
        await until(isDegraded);
        const outageAt = traffic.samples.length;
        await until(() => traffic.samples.length > outageAt + 100);
        expect(service.logged().match(/this instance counts requests by itself/g)).toHaveLength(1);
      }
      await up();
      await until(async () => !(await isDegraded()));
      const backAt = traffic.samples.length;
      await until(() => traffic.samples.length > backAt + 50);
      const samples = await traffic.stop();
      expect(new Set(samples.map((sample) => sample.status))).toEqual(new Set([200, 201]));
      expect(samples.every((sample) => sample.hasLimits)).toBe(true);
      await service.kill("SIGKILL");
    });

  test("Redis whose connection goes silent: it is replaced, and it recovers by itself", async () => {
    const proxy = await TestProxy.start(server.port);
    const env = { DATABASE_URL: database, REDIS_URL: `redis://127.0.0.1:${proxy.port}`, LOG_LEVEL: "info" };
    const service = await serve({ cwd, env });
    expect((await fetch(`${service.origin}/v1/pets`, { headers })).status).toBe(200);
    proxy.silence();
    await until(async () => {
      expect((await fetch(`${service.origin}/v1/pets`, { headers })).status).toBe(200);
      return service.logged().includes("Redis is back");
    });
    expect(service.logged().match(/this instance counts requests by itself/g)).toHaveLength(1);
    await service.kill("SIGKILL");
  });

  test("Redis that is not there at the start is no reason not to start", async () => {
    const service = await serve({
      cwd,
      env: { DATABASE_URL: database, REDIS_URL: "redis://127.0.0.1:1", LOG_LEVEL: "silent" },
    });
    const response = await fetch(`${service.origin}/v1/pets`, { headers });
    expect([response.status, response.headers.has("x-ratelimit-limit")]).toEqual([200, true]);
    await service.kill("SIGTERM");
  });
});
