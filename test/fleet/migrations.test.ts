import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { POSTGRES_MIGRATIONS } from "../../src/store/migrations/postgres/index.ts";
import { openAnimalSnapshot } from "../../src/store/postgres/animal-snapshot.ts";
import { checkPostgres } from "../../src/store/postgres/checkup.ts";
import { openSession } from "../../src/store/postgres/connections/connection.ts";
import { PATIENCE } from "../../src/store/postgres/connections/lock-wait.ts";
import { watchedSession } from "../../src/store/postgres/connections/watched-session.ts";
import { migrateDatabase } from "../../src/store/postgres/migrate.ts";
import { appliedMigrations } from "../../src/store/postgres/schema/migration-target.ts";
import { type Migration, type Step, schemaState } from "../../src/store/schema/migrate.ts";
import { breakAtStatement } from "../harness/servers/breaking-wire.ts";
import { emptyDatabaseMaker, withSql } from "../harness/servers/postgres.ts";
import { TestProxy } from "../harness/servers/proxy.ts";
import { startService } from "../harness/service/service.ts";

const newDatabase = await emptyDatabaseMaker();

const NEXT = (POSTGRES_MIGRATIONS.at(-1)?.number ?? 0) + 1;
/** The migrations of this version, and one of the next. */
const withNext = (...steps: Step[]): readonly Migration[] => [
  ...POSTGRES_MIGRATIONS,
  { number: NEXT, name: "next", servesFrom: NEXT - 1, steps },
];
const ADD_COLUMN: Step = { kind: "sql", sql: "ALTER TABLE animals ADD COLUMN born_at bigint" };

/** Opens a session with a transaction in progress. */
async function inTransaction(url: string, statement: string) {
  const session = await openSession(url, { application_name: "a long report" });
  await session.run(`BEGIN; ${statement}`);
  return session;
}

describe("a migration that has to wait for a long transaction", () => {
  test("makes no request wait for it, and goes through when that ends", async () => {
    const service = await startService({ env: { DATABASE_URL: await newDatabase() } });
    const url = service.storage.DATABASE_URL;
    const report = await inTransaction(url, "SELECT * FROM animals");
    const progress: string[] = [];
    let isDone = false;
    const migrating = migrateDatabase(url, (message) => progress.push(message), {
      migrations: withNext(ADD_COLUMN),
      // The requests may take longer than a migration waits for a lock.
      patience: { ...PATIENCE, limitMs: 600_000 },
    }).finally(() => {
      isDone = true;
    });
    const statuses = new Set<number>();
    const create = () => service.call("POST /pets", { body: { name: "Rex", categoryId: 1 } });
    // The holder is unknown if the lock is released at that very moment.
    const holder =
      /^migration \d+ \(next\) waits for a lock, held by process \d+ \(a long report\), in a transaction for \d+ s$/;
    for (let i = 0; i < 60 || !progress.some((line) => holder.test(line)); i++)
      statuses.add((await (i % 3 ? service.call("GET /pets") : create())).status);
    expect([...statuses].sort()).toEqual([200, 201]);
    expect(isDone).toBe(false);
    await report.close();
    expect((await migrating).to).toBe(NEXT);
    expect((await service.call("GET /pets")).status).toBe(200);
    expect((await create()).status).toBe(201);
  });

  test("gives up in the end, names who holds the lock, and has changed nothing", async () => {
    const url = await newDatabase();
    await migrateDatabase(url, () => {});
    const report = await inTransaction(url, "SELECT * FROM animals");
    const migrating = migrateDatabase(url, () => {}, {
      migrations: withNext(ADD_COLUMN),
      // There is one attempt, and the holder is looked up halfway through it.
      patience: { ...PATIENCE, lockTimeoutMs: 3_000, limitMs: 500 },
    });
    await expect(migrating).rejects.toMatchObject({
      message: expect.stringMatching(/\(next\) waited \d+ s for a lock, held by process \d+ \(a long report\)/),
      remedy: { kind: "migrate_after_lock" },
    });
    await report.close();
    const [row] = await withSql(url, (sql) => sql`SELECT count(*)::int AS count FROM migrations`);
    expect(row.count).toBe(POSTGRES_MIGRATIONS.length);
  });
});

describe("a migration that another process is running", () => {
  test("is waited for, and not run again", async () => {
    const url = await newDatabase();
    await migrateDatabase(url, () => {});
    const other = await inTransaction(url, "SELECT pg_advisory_xact_lock(4705221190)");
    const { promise: waiting, resolve } = Promise.withResolvers<string>();
    const migrations = withNext(ADD_COLUMN);
    const both = [resolve, () => {}].map((onProgress) => migrateDatabase(url, onProgress, { migrations }));
    expect(await waiting).toMatch(
      /^waiting for another process that is migrating the database: .*process \d+ \(a long report\)/,
    );
    await other.close();
    const done = await Promise.all(both);
    expect(done.map(({ migrations: ran }) => ran.length).sort()).toEqual([0, 1]);
  });

  test("is not run again when the session that holds the migration lock is lost", async () => {
    const url = await newDatabase();
    await migrateDatabase(url, () => {});
    await withSql(url, (sql) => sql`CREATE TABLE runs (id int)`);
    const slow: Step = { kind: "sql", sql: "INSERT INTO runs VALUES (1); SELECT pg_sleep(0.5)" };
    const migrations = withNext(slow);
    const first = migrateDatabase(url, () => {}, { migrations }).catch(() => {});
    const lost = () =>
      withSql(
        url,
        (sql) => sql`SELECT pg_terminate_backend(l.pid) FROM pg_locks l, pg_stat_activity a
          WHERE l.locktype = 'advisory' AND a.query LIKE '%pg_sleep%' AND a.pid <> pg_backend_pid()
            AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
            AND a.datname = current_database()`,
      );
    while ((await lost()).length === 0) await Bun.sleep(5);
    await migrateDatabase(url, () => {}, { migrations });
    await first;
    const runs = await withSql(url, (sql) => sql`SELECT id FROM runs`);
    expect(runs).toHaveLength(1);
  });

  test("is waited for outside of a transaction, for whose end its index would wait", async () => {
    const url = await newDatabase();
    const other = await inTransaction(url, "SELECT pg_advisory_xact_lock(4705221190)");
    let isWaiting = false;
    const migrating = migrateDatabase(url, () => {
      isWaiting = true;
    });
    while (!isWaiting) await Bun.sleep(5);
    await Bun.sleep(1_000);
    const [waiter] = await withSql(
      url,
      (sql) => sql`SELECT count(*)::int AS count, max(clock_timestamp() - xact_start) > interval '0.9 s' AS is_old
        FROM pg_stat_activity WHERE application_name = 'animal-store migrate' AND datname = current_database()`,
    );
    expect([waiter.count, waiter.is_old ?? false]).toEqual([1, false]);
    await other.close();
    expect((await migrating).to).toBe(NEXT - 1);
  });

  test("is not waited for without end", async () => {
    const url = await newDatabase();
    const other = await inTransaction(url, "SELECT pg_advisory_xact_lock(4705221190)");
    const migrating = migrateDatabase(url, () => {}, { patience: { ...PATIENCE, migratorLimitMs: 200 } });
    await expect(migrating).rejects.toThrow(/another process has been migrating it for \d+ s: process/);
    await other.close();
  });
});

test("a server that says nothing any more after the login is given up, in one line", async () => {
  const address = new URL(await newDatabase());
  await migrateDatabase(address.href, () => {});
  const giveUpAt = async (n: number) => {
    const wire = await breakAtStatement(Number(address.port), n, "never");
    const silent = new URL(address);
    silent.port = String(wire.port);
    silent.search = "?sslmode=disable";
    await expect(migrateDatabase(silent.href, () => {}, { answerTimeoutMs: 2_000 })).rejects.toThrow(
      `no answer from 127.0.0.1:${wire.port} within 2 s: is it PostgreSQL, and can it be reached from here?`,
    );
    expect(wire.statements()).toBe(n);
  };
  await Promise.all([1, 2, 3].map(giveUpAt));
});

describe("a server that goes silent while it migrates", () => {
  /** New connections get no answer either. */
  const GIVES_UP_SOON = 1;
  /** A busy server needs time for a new connection. */
  const IS_PATIENT = 60;
  const silence = (port: number) => `no answer from 127.0.0.1:${port} within `;
  const through = (url: string, port: number, connectTimeout: number): string => {
    const address = new URL(url);
    address.port = String(port);
    address.search = `?sslmode=disable&connect_timeout=${connectTimeout}`;
    return address.href;
  };

  test("is given up, whichever statement gets no answer", async () => {
    const url = await newDatabase();
    const port = Number(new URL(url).port);
    const whole = await breakAtStatement(port, Number.POSITIVE_INFINITY, "never");
    await migrateDatabase(through(url, whole.port, IS_PATIENT), () => {});
    const last = whole.statements();
    // The end of the lock's session is the last; between the tenth and the one before, all create tables.
    const silentAt = [4, 5, 6, 7, 8, 9, 10, last - 2, last - 1, last];
    await Promise.all(
      silentAt.map(async (n) => {
        const wire = await breakAtStatement(port, n, "never");
        const migrating = migrateDatabase(through(await newDatabase(), wire.port, GIVES_UP_SOON), () => {}, {
          answerTimeoutMs: 500,
        });
        await expect(migrating).rejects.toThrow(silence(wire.port));
      }),
    );
  });

  test("is given up if only its open connections are dead, and not while it works", async () => {
    const url = await newDatabase();
    await migrateDatabase(url, () => {});
    // Many looks, all of which see it at work.
    const slow: Step = { kind: "sql", sql: "SELECT pg_sleep(0.5)" };
    const migrations = withNext(slow, ADD_COLUMN);
    const report = await inTransaction(url, "SELECT * FROM animals");
    const proxy = await TestProxy.start(Number(new URL(url).port));
    const progress: string[] = [];
    const onProgress = (message: string) => {
      progress.push(message);
      proxy.silence();
    };
    const options = { migrations, answerTimeoutMs: 4_000, lookIntervalMs: 50 };
    await expect(migrateDatabase(through(url, proxy.port, IS_PATIENT), onProgress, options)).rejects.toThrow(
      silence(proxy.port),
    );
    expect(progress).toEqual([expect.stringContaining("waits for a lock")]);
    await report.close();
    expect((await migrateDatabase(url, () => {}, { migrations })).to).toBe(NEXT);
  });
});

test("commands give up a server that goes silent, and wait for one that is at work", async () => {
  const url = await newDatabase();
  await migrateDatabase(url, () => {});
  const limits = { answerTimeoutMs: 4_000, lookIntervalMs: 50 };
  const proxy = await TestProxy.start(Number(new URL(url).port));
  const address = Object.assign(new URL(url), { port: String(proxy.port), search: "?sslmode=disable" }).href;
  const open = async () => watchedSession(await openSession(address, {}), address, limits);
  const [reading, writing, snapshot] = [await open(), await open(), await openAnimalSnapshot(address, limits)];
  const checkup = checkPostgres(address, 1, limits);
  await checkup.checks[0]?.run();
  await reading.run("SELECT pg_sleep(0.5)");
  const transaction = writing.transact(async (tx) => {
    await tx.run("SELECT pg_sleep(0.5)");
    await Bun.sleep(200);
    proxy.silence();
    await tx.run("SELECT 1");
  });
  await transaction.catch(() => {});
  const checked = Promise.resolve(checkup.checks[1]?.run());
  const asked = [transaction, reading.run("SELECT 1"), Promise.resolve(snapshot.count({})), checked];
  const messages = (await Promise.allSettled(asked)).map((each) => each.status === "rejected" && each.reason.message);
  const silence = expect.stringContaining(`no answer from 127.0.0.1:${proxy.port} within 4 s`);
  expect(messages).toEqual([silence, silence, silence, silence]);
  for (const each of [reading, writing, snapshot, checkup]) await each.close();
});

test("an index is not kept waiting by whoever looks what it waits for", async () => {
  const url = await newDatabase();
  await migrateDatabase(url, () => {});
  const report = await inTransaction(url, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT * FROM animals");
  const sql = "CREATE INDEX animals_by_category_alone ON animals (category_id)";
  const migrating = migrateDatabase(url, () => {}, {
    migrations: withNext({ kind: "index", sql }),
    patience: { ...PATIENCE, limitMs: 2_000 },
  }).catch((error: Error) => error.message);
  const looks = () =>
    withSql(
      url,
      (sql) => sql`SELECT state FROM pg_stat_activity
        WHERE query LIKE '%pg_blocking_pids%' AND datname = current_database() AND pid <> pg_backend_pid()`,
    );
  const states = new Set<string>();
  const done = migrating.then(() => true);
  while (!(await Promise.race([done, Bun.sleep(20)]))) for (const { state } of await looks()) states.add(state);
  await report.close();
  expect(await migrating).toMatch(/waited \d+ s for a lock, held by process \d+ \(a long report\)/);
  expect(states).toContain("idle");
  expect(states).not.toContain("idle in transaction");
});

test("those who migrate at the same time do not hold up each other's indexes", async () => {
  const url = await newDatabase();
  await migrateDatabase(url, () => {}, { migrations: POSTGRES_MIGRATIONS.slice(0, 2) });
  const patience = { ...PATIENCE, limitMs: 60_000 };
  const all = await Promise.all(Array.from({ length: 12 }, () => migrateDatabase(url, () => {}, { patience })));
  expect(all.filter(({ migrations }) => migrations.length > 0)).toHaveLength(1);
});

test("a database whose creation an earlier release began, and got no further than its table, is created", async () => {
  const url = await newDatabase();
  await withSql(
    url,
    (sql) =>
      sql`CREATE TABLE migrations (number bigint PRIMARY KEY, name text NOT NULL, digest text NOT NULL, applied_at bigint NOT NULL)`,
  );
  expect((await migrateDatabase(url, () => {})).to).toBe(NEXT - 1);
  expect((await migrateDatabase(url, () => {})).migrations).toEqual([]);
});

describe("a migration of a large table", () => {
  const ROWS = 50_000;
  /** The test takes 5 seconds, and much longer on a busy machine. */
  const TIMEOUT_MS = 180_000;
  const FILL: readonly Step[] = [
    ADD_COLUMN,
    { kind: "index", sql: "CREATE INDEX animals_without_birth ON animals (id) WHERE born_at IS NULL" },
    {
      kind: "fill",
      sql: "UPDATE animals SET born_at = id * 2 WHERE id IN (SELECT id FROM animals WHERE born_at IS NULL ORDER BY id LIMIT 5000)",
    },
    { kind: "index", sql: "CREATE INDEX animals_by_birth ON animals (born_at, id)" },
  ];
  /** Migrates in a separate process, which can be killed. */
  const migrateInProcess = (url: string) => {
    const script = `const { migrateDatabase } = await import(${JSON.stringify(join(import.meta.dir, "../../src/store/postgres/migrate.ts"))});
      await migrateDatabase(${JSON.stringify(url)}, console.error, { migrations: ${JSON.stringify(withNext(...FILL))} });
      process.exit(0);`;
    return Bun.spawn([process.execPath, "-e", script], { stdio: ["ignore", "inherit", "inherit"] });
  };
  /** The number of filled rows, without those of an unfinished step. */
  const filledIn = (url: string) =>
    withSql(url, async (sql) => {
      const [begun] = await sql`SELECT to_regclass('animals_without_birth') AS name`;
      if (begun.name === null) return 0;
      const [row] =
        await sql`SELECT coalesce(min(id) - 1, ${ROWS})::int AS count FROM animals WHERE born_at IS NULL AND id <= ${ROWS}`;
      return row.count as number;
    });

  test(
    "runs beside the service, which writes meanwhile, and goes on after kill -9",
    async () => {
      const service = await startService({ env: { DATABASE_URL: await newDatabase() } });
      const url = service.storage.DATABASE_URL;
      await withSql(url, (sql) =>
        sql.unsafe(
          `INSERT INTO animals (name, category_id, status) SELECT 'Rex', 1, 'available' FROM generate_series(1, ${ROWS})`,
        ),
      );
      let isOver = false;
      const statuses = new Map<number, number>();
      const writer = (async () => {
        while (!isOver) {
          const { status } = await service.call("POST /pets", { body: { name: "Rex", categoryId: 1 } });
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          await Bun.sleep(5);
        }
      })();

      const first = migrateInProcess(url);
      while ((await filledIn(url)) < 10_000) await Bun.sleep(20);
      first.kill("SIGKILL");
      await first.exited;
      const before = await filledIn(url);
      expect(before).toBeGreaterThanOrEqual(10_000);
      expect(before).toBeLessThan(ROWS);
      const session = await openSession(url, {});
      const state = async () => schemaState(await appliedMigrations(session), withNext(...FILL));
      expect(await state()).toMatchObject({ kind: "older", number: NEXT });

      expect(await migrateInProcess(url).exited).toBe(0);
      expect(await filledIn(url)).toBe(ROWS);
      expect(await state()).toEqual({ kind: "current", number: NEXT });
      isOver = true;
      await writer;
      expect([...statuses.keys()]).toEqual([201]);
      const indexes = await session.run<{ valid: boolean }>(
        "SELECT indisvalid AS valid FROM pg_index WHERE indexrelid IN ('animals_by_birth'::regclass, 'animals_without_birth'::regclass)",
      );
      expect(indexes.map(({ valid }) => valid)).toEqual([true, true]);
      await session.close();
    },
    TIMEOUT_MS,
  );

  test("makes an index again that an interrupted attempt has left behind", async () => {
    const url = await newDatabase();
    await migrateDatabase(url, () => {});
    await withSql(url, async (sql) => {
      await sql`INSERT INTO animals (name, category_id, status) VALUES ('Rex', 1, 'sold'), ('Rex', 1, 'sold')`;
      await sql.unsafe("CREATE UNIQUE INDEX CONCURRENTLY animals_by_itself ON animals (name)").catch(() => {});
      const [left] =
        await sql`SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = 'animals_by_itself'::regclass`;
      expect(left.valid).toBe(false);
    });
    const index = (sql: string): Step => ({ kind: "index", sql });
    const unique = withNext(index("CREATE UNIQUE INDEX animals_by_itself ON animals (name)"));
    await expect(migrateDatabase(url, () => {}, { migrations: unique })).rejects.toThrow(
      "could not create unique index",
    );
    const plain = withNext(index("CREATE INDEX animals_by_itself ON animals (name)"));
    await migrateDatabase(url, () => {}, { migrations: plain });
    await withSql(url, async (sql) => {
      const [made] =
        await sql`SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = 'animals_by_itself'::regclass`;
      expect(made.valid).toBe(true);
    });
  });
});
