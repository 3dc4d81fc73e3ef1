import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { StoreUnavailable } from "../../../src/store/ports/store.ts";
import { clientMaker } from "../../../src/store/postgres/connections/client.ts";
import { DEADLINE_MS, Pool, SWEEP_INTERVAL_MS } from "../../../src/store/postgres/connections/pool.ts";
import { openPool } from "../../../src/store/postgres/database.ts";
import { migrateDatabase } from "../../../src/store/postgres/migrate.ts";
import { MIGRATES } from "../../../src/store/schema/migrate.ts";
import { breakAtStatement } from "../../harness/servers/breaking-wire.ts";
import { hasPgbouncer, TestPgbouncer } from "../../harness/servers/pgbouncer.ts";
import { TestPostgres, withSql } from "../../harness/servers/postgres.ts";
import { TestProxy } from "../../harness/servers/proxy.ts";

const MAX_CONNECTIONS = 12;
/** PostgreSQL keeps these for its superuser, and our roles in these tests are others. */
const RESERVED = 3;

const server = await TestPostgres.start({
  isVolatile: true,
  settings: { max_connections: String(MAX_CONNECTIONS), superuser_reserved_connections: String(RESERVED) },
});
const database = await server.database();
await withSql(database, async (sql) => {
  await sql`CREATE ROLE app LOGIN`;
  await sql`CREATE TABLE things (id bigint PRIMARY KEY)`;
  await sql`GRANT ALL ON things TO app`;
});
const admin = new SQL(database, { max: 1 });
/** Within a transaction, a session would always see the same activity. */
const observer = new SQL(database, { max: 1 });
afterAll(() => Promise.all([admin.close({ timeout: 0 }), observer.close({ timeout: 0 })]));

const asApp = Object.assign(new URL(database), { username: "app" }).href;
const through = (port: number, url = asApp): string => Object.assign(new URL(url), { port: String(port) }).href;

let pools = 0;
const pool = async (url = asApp, connections = 2, deadlineMs = 60_000): Promise<Pool> =>
  new Pool(await clientMaker(url), { connections, settings: {}, name: `animal-store test ${++pools}`, deadlineMs });

const failureOf = (promise: Promise<unknown>): Promise<StoreUnavailable> =>
  promise.then(
    () => {
      throw new Error("it succeeded");
    },
    (error) => {
      expect(error).toBeInstanceOf(StoreUnavailable);
      return error as StoreUnavailable;
    },
  );

/** Statements of ours that the server is still busy with. */
const atWork = async (): Promise<number> =>
  (await observer`SELECT 1 FROM pg_stat_activity WHERE application_name LIKE 'animal-store test%' AND state <> 'idle'`)
    .length;

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await Bun.sleep(10);
}

const ids = async (): Promise<number[]> =>
  (await admin`SELECT id::int FROM things ORDER BY id`).map((row: { id: number }) => row.id);

describe("a deadline that passes", () => {
  beforeAll(async () => void (await admin`TRUNCATE things`));

  test("passes soon enough that a caller is answered within 2 s", () => {
    expect(DEADLINE_MS + SWEEP_INTERVAL_MS).toBeLessThan(2_000);
  });

  const pooled = async () => `${(await TestPgbouncer.start(asApp, "transaction")).url}?pgbouncer=true`;
  for (const [where, url, isThere] of [
    ["PostgreSQL", async () => asApp, true],
    ["PgBouncer", pooled, hasPgbouncer],
  ] as const)
    test.skipIf(!isThere)(
      `through ${where}: nothing is left of it on the server, nor of what was sent behind it`,
      async () => {
        const ours = await pool(await url(), 1, DEADLINE_MS);
        await ours.read("SELECT 1");
        await admin.unsafe("BEGIN; LOCK TABLE things");
        const failures = await Promise.all([
          failureOf(ours.write("INSERT INTO things VALUES ($1)", [1])),
          failureOf(ours.write("INSERT INTO things VALUES ($1)", [2])),
          failureOf(ours.transact((tx) => tx.run("INSERT INTO things VALUES ($1)", [3]))),
          failureOf(ours.read("SELECT * FROM things")),
        ]);
        // A transaction whose COMMIT was never sent, and a statement that never left, have changed nothing.
        expect(failures.map(({ changed }) => changed)).toEqual(["unknown", "unknown", "nothing", "nothing"]);
        await until(async () => (await atWork()) === 0);
        await admin.unsafe("COMMIT");
        expect([...(await ours.read("SELECT 1 AS one"))]).toEqual([{ one: 1 }]);
        expect(await ids()).toEqual([]);
        await ours.close();
      },
    );
});

describe("what a failure says about changes", () => {
  beforeAll(async () => void (await admin`TRUNCATE things`));

  test("nothing: no connection, a rejected statement, a transaction before its COMMIT", async () => {
    const nowhere = await pool(through(1));
    expect(await failureOf(nowhere.write("INSERT INTO things VALUES (1)"))).toMatchObject({ changed: "nothing" });
    await nowhere.close();
    const ours = await pool();
    await ours.write("INSERT INTO things VALUES (1)");
    await expect(ours.write("INSERT INTO things VALUES (1)")).rejects.toMatchObject({ errno: "23505" });
    const interrupted = ours.transact(async (tx) => {
      const [row] = await tx.run<{ pid: number }>("INSERT INTO things VALUES (2) RETURNING pg_backend_pid() AS pid");
      await admin`SELECT pg_terminate_backend(${row?.pid})`;
      await tx.run("SELECT 1");
    });
    expect(await failureOf(interrupted)).toMatchObject({ changed: "nothing" });
    expect(await ids()).toEqual([1]);
    await ours.close();
  });

  test("unknown: a statement, or a COMMIT, whose answer is lost", async () => {
    for (const [n, work] of [
      [2, (ours: Pool) => ours.write("INSERT INTO things VALUES ($1)", [3])],
      [3, (ours: Pool) => ours.transact((tx) => tx.run("INSERT INTO things VALUES (4)"))],
    ] as const) {
      const wire = await breakAtStatement(server.port, n, "instead of the answer");
      const ours = await pool(through(wire.port), 1);
      expect(await failureOf(work(ours))).toMatchObject({ changed: "unknown" });
      await ours.close();
    }
  });

  test("a COMMIT that the server answers with ROLLBACK is a failure", async () => {
    const ours = await pool();
    const swallowed = ours.transact(async (tx) => {
      await tx.run("INSERT INTO things VALUES (5)");
      await tx.run("SELECT 1 / 0").catch(() => {});
    });
    expect(await failureOf(swallowed)).toMatchObject({ changed: "nothing" });
    expect(await ids()).not.toContain(5);
    await ours.close();
  });
});

/** Keeps a pool busy until it has opened so many connections: on a busy machine, work may be done before it has. */
async function opened(pool: Pool, connections: number): Promise<void> {
  while (pool.stats.open < connections)
    await Promise.all(
      Array.from({ length: connections }, () => pool.transact((tx) => tx.run("SELECT pg_sleep(0.05)"))),
    );
}

describe("connections that were lost", () => {
  test("a read is sent again when its connection breaks; a write is not", async () => {
    const proxy = await TestProxy.start(server.port);
    const ours = await pool(through(proxy.port), 1);
    await ours.read("SELECT 1");
    const slow = ours.read("SELECT pg_sleep(0.2), 1 AS one");
    const write = failureOf(ours.write("SELECT pg_sleep(0.2)"));
    await until(async () => (await atWork()) > 0);
    proxy.cut();
    expect([...(await slow)]).toMatchObject([{ one: 1 }]);
    expect(await write).toMatchObject({ changed: "unknown" });
    await ours.close();
  });

  test("idle ones whose server has gone without a word are not handed out", async () => {
    const proxy = await TestProxy.start(server.port);
    const ours = await pool(through(proxy.port), 3);
    await opened(ours, 3);
    proxy.silence();
    await Bun.sleep(2_100);
    // One of those would fail at its deadline.
    await Promise.all([1, 2, 3].map(() => ours.write("SELECT 1")));
    await ours.close();
  });

  test("after a server has turned read-only, its connections are replaced, since there may be another one now", async () => {
    const proxy = await TestProxy.start(server.port);
    const ours = await pool(through(proxy.port), 2);
    await opened(ours, 2);
    // An attempt that took too long was given up, and its connection ends a moment later.
    await until(async () => proxy.connections === 2);
    await ours.write("SET default_transaction_read_only = on");
    await ours.write("SET default_transaction_read_only = on");
    await Bun.sleep(1_000);
    let refused = 0;
    for (let i = 0; i < 10; i++)
      await ours.write("INSERT INTO things VALUES ($1)", [100 + i]).catch((error: StoreUnavailable) => {
        expect(error).toMatchObject({ changed: "nothing" });
        refused++;
      });
    expect(refused).toBe(1);
    await ours.close();
  });

  test("an attempt to connect that hangs is given up soon, whatever connect_timeout allows", async () => {
    const proxy = await TestProxy.start(server.port);
    proxy.newConnections = "swallowed";
    const ours = await pool(`${through(proxy.port)}?connect_timeout=60`, 1, DEADLINE_MS);
    expect(await failureOf(ours.write("SELECT 1"))).toMatchObject({ changed: "nothing" });
    proxy.newConnections = "carried";
    await Bun.sleep(700);
    expect([...(await ours.read("SELECT 1 AS one"))]).toEqual([{ one: 1 }]);
    await ours.close();
  });

  test("after a restart of the server, every statement succeeds at once", async () => {
    const ours = await pool(asApp, 3);
    await Promise.all([1, 2, 3].map(() => ours.transact((tx) => tx.run("SELECT pg_sleep(0.05)"))));
    await server.stop();
    expect(await failureOf(ours.write("SELECT 1"))).toMatchObject({ changed: "nothing" });
    await server.start();
    await Bun.sleep(250);
    for (let i = 0; i < 20; i++) await Promise.all([1, 2, 3].map(() => ours.write("SELECT 1")));
    await ours.close();
  });
});

describe("a server that is out of connections", () => {
  const others: SQL[] = [];

  /** Takes connections until only so many are left. The server may take a moment to notice that one was closed. */
  const leave = (count: number): Promise<void> =>
    until(async () => {
      const sql = new SQL(asApp, { max: 1 });
      const isConnected = await sql.connect().then(
        () => others.push(sql) > 0,
        () => false,
      );
      if (!isConnected) await sql.close({ timeout: 0 });
      return others.length === MAX_CONNECTIONS - RESERVED - count;
    });

  afterAll(() => Promise.all(others.splice(0).map((sql) => sql.close({ timeout: 0 }))));

  test("a start that gets one connection works, and nothing fails for want of more", async () => {
    await withSql(database, (sql) => sql.unsafe("GRANT ALL ON SCHEMA public TO app"));
    await migrateDatabase(asApp, () => {});
    await leave(1);
    const ours = await openPool(asApp, 10, { rules: MIGRATES });
    for (let i = 0; i < 10; i++)
      await Promise.all(Array.from({ length: 20 }, () => ours.write("SELECT pg_sleep(0.001)")));
    await Promise.all(Array.from({ length: 5 }, () => ours.transact((tx) => tx.run("SELECT 1"))));
    expect(ours.stats).toEqual({ open: 1, inUse: 0, waiting: 0 });
    await ours.close();
  });

  test("a start that gets none ends with one line", async () => {
    await leave(0);
    await expect(openPool(asApp, 10, { rules: MIGRATES })).rejects.toThrow(
      /cannot use the database .*no connection left.*DATABASE_CONNECTIONS/,
    );
  });
});

test("a standstill of this process fails nothing that was answered meanwhile", async () => {
  const ours = await pool(asApp, 1, DEADLINE_MS);
  await ours.read("SELECT 1");
  const answer = ours.write("SELECT pg_sleep(0.3)");
  await until(async () => (await atWork()) > 0);
  Bun.sleepSync(2_000);
  await answer;
  await ours.close();
});

test("beyond so many at once, load is shed", async () => {
  const ours = await pool(asApp, 1);
  const all = Array.from({ length: 150 }, () => ours.read("SELECT pg_sleep(0.001)"));
  const results = await Promise.allSettled(all);
  expect(results.filter(({ status }) => status === "rejected")).toHaveLength(50);
  expect(await failureOf(all[149] as Promise<unknown>)).toMatchObject({ message: "too many statements at once" });
  await ours.close();
});

test("integers of 64 bits, texts and nulls are exact, whatever a statement was called with before", async () => {
  const ours = await pool(asApp, 1);
  const echo = "SELECT $1::bigint AS number, $2::text AS text";
  for (const [number, text] of [
    [1, "1"],
    [2 ** 31, null],
    [9_007_199_254_740_993n, "Zoë 🐾"],
    [null, "null"],
    [-(2n ** 63n), ""],
  ] as const)
    expect([...(await ours.read(echo, [number, text]))]).toEqual([
      { number: number === null ? null : BigInt(number), text },
    ]);
  await ours.close();
});
