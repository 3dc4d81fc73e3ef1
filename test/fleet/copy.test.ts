import { expect, test } from "bun:test";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { openSource } from "../../src/store/postgres/transfer.ts";
import { temporaryFolder } from "../harness/folder.ts";
import { EXECUTABLE, run, serve, withoutProgress } from "../harness/program/program.ts";
import { stopWhen } from "../harness/program/turns.ts";
import { unfinish } from "../harness/rows/copy.ts";
import { openDatabaseFile } from "../harness/rows/sqlite.ts";
import { breakAtStatement } from "../harness/servers/breaking-wire.ts";
import { hasPgbouncer, TestPgbouncer } from "../harness/servers/pgbouncer.ts";
import { emptyDatabaseMaker } from "../harness/servers/postgres.ts";

const newDatabase = await emptyDatabaseMaker();

/** A store with animals, a category, orders, keys, saved responses and counters, and a deleted id. */
async function filledStore(animals: number): Promise<{ cwd: string; secret: string }> {
  const cwd = temporaryFolder();
  await run(["migrate"], { cwd });
  const { out } = await run(
    ["keys", "create", "--name", "Ünïcode 🐾", "--plan", "free", "--expires", "2999-01-01", "--json"],
    { cwd },
  );
  const { secret } = JSON.parse(out);
  const service = await serve({ cwd });
  const headers = { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" };
  const post = (target: string, body: string, more = {}) =>
    fetch(`${service.origin}/v1${target}`, { method: "POST", headers: { ...headers, ...more }, body });
  await post("/pets", '{"name":"日本 🐕","categoryId":-9223372036854775808}', { "Idempotency-Key": "first" });
  await post("/store/orders", '{"petId":1}');
  await fetch(`${service.origin}/v1/categories/-9223372036854775808`, {
    method: "PUT",
    headers,
    body: '{"name":"狗 🐕"}',
  });
  await service.kill("SIGTERM");
  const db = openDatabaseFile(join(cwd, "data/animal-store.db"));
  db.run(`INSERT INTO animals (name, category_id, status) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${animals})
    SELECT 'Animal ' || i, 9223372036854775807 - i, 'sold' FROM n`);
  db.run("DELETE FROM animals WHERE id = (SELECT max(id) FROM animals)");
  db.close();
  return { cwd, secret };
}

/** A busy server may need more than the usual time for a new connection. */
const patient = (to: string) => (to.includes("?") ? to : `${to}?connect_timeout=60`);
const copyArguments = (to: string) => ["copy", "--from", "sqlite:data/animal-store.db", "--to", patient(to)];

/**
 * Begins copies from and to servers that accept connections and are silent from a statement on. They wait for half a
 * minute, while the other tests run.
 */
async function beginSilenced() {
  const store = temporaryFolder();
  await run(["migrate"], { cwd: store });
  const begin = async (what: string, at: number | string, database: string, argumentsFor = copyArguments) => {
    const cwd = temporaryFolder();
    cpSync(store, cwd, { recursive: true });
    const address = new URL(database);
    const wire = await breakAtStatement(Number(address.port), at, "never");
    address.port = String(wire.port);
    address.search = "?sslmode=disable&connect_timeout=1";
    return { what, database, cwd, outcome: run(argumentsFor(address.href), { cwd }) };
  };
  const source = await newDatabase();
  await run(["migrate"], { cwd: store, env: { DATABASE_URL: source } });
  const copyFrom = (url: string) => ["copy", "--from", url, "--to", "sqlite:copy.db"];
  return Promise.all([
    begin("a target, at once", 0, await newDatabase()),
    begin("a target, after its first statements", 3, await newDatabase()),
    begin("a source, in its transaction", "LOCK TABLE", source, copyFrom),
    begin("a target, in its transaction", "LOCK TABLE", await newDatabase()),
  ]);
}

const silenced = await beginSilenced();

/** Some animals have arrived in the target. */
const hasAnimals = async (sql: SQL): Promise<boolean> =>
  (await sql`SELECT 1 FROM animals LIMIT 1`.catch(() => [])).length > 0;

test("copy moves everything, reports counts and checksums, and the service continues with the next id", async () => {
  const { cwd, secret } = await filledStore(5000);
  const to = await newDatabase();
  const { exitCode, out, err } = await run([...copyArguments(to), "--json"], { cwd });
  expect([exitCode, err]).toEqual([0, ""]);
  const copied = JSON.parse(out) as { table: string; rows: number }[];
  expect(copied.map(({ table, rows }) => [table, rows])).toEqual([
    ["keys", 1],
    ["secrets", 1],
    ["animals", 5000],
    ["categories", 1],
    ["orders", 1],
    ["saved_responses", 1],
    ["tallies", 1],
    ["journal", 1],
    ["imports", 0],
    ["import_ranges", 0],
    ["key_usage_minutes", 1],
    ["key_usage_hours", 1],
    ["key_usage_days", 1],
    ["usage_minutes", 1],
    ["usage_hours", 1],
    ["kept_requests", 3],
  ]);
  const service = await serve({ cwd, env: { DATABASE_URL: to } });
  const headers = { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" };
  const listed = await fetch(`${service.origin}/v1/pets?limit=2`, { headers });
  expect(await listed.text()).toBe(
    '[{"id":1,"name":"日本 🐕","categoryId":-9223372036854775808,"status":"pending"},{"id":2,"name":"Animal 1","categoryId":9223372036854775806,"status":"sold"}]',
  );
  expect(listed.headers.get("x-ratelimit-remaining")).toBe("56");
  expect(await (await fetch(`${service.origin}/v1/categories`, { headers })).text()).toBe(
    '[{"id":-9223372036854775808,"name":"狗 🐕"}]',
  );
  const replay = await fetch(`${service.origin}/v1/pets`, {
    method: "POST",
    headers: { ...headers, "Idempotency-Key": "first" },
    body: '{"name":"日本 🐕","categoryId":-9223372036854775808}',
  });
  expect([replay.status, replay.headers.get("idempotency-replayed")]).toEqual([201, "true"]);
  const created = await fetch(`${service.origin}/v1/pets`, {
    method: "POST",
    headers,
    body: '{"name":"Next","categoryId":1}',
  });
  expect(await created.json()).toMatchObject({ id: 5002 });
  await service.kill("SIGTERM");
  expect((await run(copyArguments(to), { cwd })).err).toContain("has already been completed");
});

test("a copy that was killed is finished by running it again, even if the source has changed since", async () => {
  const { cwd } = await filledStore(12_000);
  const to = await newDatabase();
  const sql = new SQL(to, { max: 1 });
  const child = Bun.spawn([EXECUTABLE, ...copyArguments(to)], { cwd, stdout: "ignore", stderr: "ignore" });
  await stopWhen(child, () => hasAnimals(sql));
  child.kill("SIGKILL");
  await child.exited;
  expect((await run(["serve"], { cwd, env: { DATABASE_URL: to, PORT: "0" } })).err).toContain(
    "was not finished: run animal-store copy again",
  );
  // In between, an animal has changed, its order was replaced by another, and a saved response has expired.
  const [order] =
    await sql`INSERT INTO orders (id, animal_id, status, placed_at, updated_at) VALUES (1, 1, 'placed', 0, 0) RETURNING id`;
  expect(String(order?.id)).toBe("1");
  await sql`INSERT INTO saved_responses SELECT id, 'expired', '', 0, '{}' FROM keys`;
  const db = openDatabaseFile(join(cwd, "data/animal-store.db"));
  db.run("UPDATE animals SET status = 'available' WHERE id = 5");
  db.run("UPDATE orders SET status = 'cancelled' WHERE id = 1");
  db.run("INSERT INTO orders (animal_id, status, placed_at, updated_at) VALUES (1, 'placed', 1, 1)");
  db.close();
  const { exitCode, out, err } = await run(copyArguments(to), { cwd });
  expect([exitCode, err]).toEqual([0, ""]);
  expect(out).toMatch(/animals +12,000 +[0-9a-f]{16}/);
  expect(out).toContain("Both databases hold the same data.");
  expect([...(await sql`SELECT count(*)::int AS count FROM animals`)]).toEqual([{ count: 12_000 }] as never);
  expect([...(await sql`SELECT status FROM animals WHERE id = 5`)]).toEqual([{ status: "available" }] as never);
  await sql.close();
});

test("a copy is continued although the oldest key was deleted, also one that an earlier release began, and no other", async () => {
  const { cwd } = await filledStore(10);
  await run(["keys", "create", "--name", "second", "--plan", "free"], { cwd });
  const to = await newDatabase();
  expect((await run(copyArguments(to), { cwd })).exitCode).toBe(0);
  const sql = new SQL(to, { max: 1 });
  const db = openDatabaseFile(join(cwd, "data/animal-store.db"));
  const created = db.query("SELECT applied_at || ' ' || digest AS text FROM migrations WHERE number = 1").get();
  const keyId = () =>
    (db.query("SELECT id FROM keys ORDER BY created_at LIMIT 1").get() as { id: string } | null)?.id as string;
  const again = async (source?: string) => {
    await unfinish(sql);
    await sql`UPDATE copies SET source = coalesce(${source ?? null}, source)`;
    return (await run(copyArguments(to), { cwd })).err;
  };
  const [{ source }] = (await sql`SELECT source FROM copies`) as [{ source: string }];
  expect(await again(`${(created as { text: string }).text} ${keyId()}`)).toBe("");
  for (const table of ["saved_responses", "tallies", "secrets"])
    db.run(`DELETE FROM ${table} WHERE key_id = ?`, [keyId()]);
  db.run("DELETE FROM keys WHERE id = ?", [keyId()]);
  expect(await again(source)).toBe("");
  expect([...(await sql`SELECT name FROM keys`)]).toEqual([{ name: "second" }] as never);
  for (const other of [crypto.randomUUID(), `1 ${source} ${keyId()}`])
    expect(await again(other)).toContain("the target database is not empty");
  db.close();
  await sql.close();
});

test("keys cannot be changed during a copy, so none is lost", async () => {
  const { cwd, secret } = await filledStore(12_000);
  const [key] = JSON.parse((await run(["keys", "list", "--json"], { cwd })).out) as { id: string }[];
  const to = await newDatabase();
  const sql = new SQL(to, { max: 1 });
  const child = Bun.spawn([EXECUTABLE, ...copyArguments(to)], { cwd, stdout: "ignore", stderr: "inherit" });
  await stopWhen(child, () => hasAnimals(sql));
  const attempts = await Promise.all([
    run(["keys", "revoke", key?.id as string, "--yes"], { cwd }),
    run(["keys", "create", "--name", "late", "--plan", "free"], { cwd }),
  ]);
  for (const { exitCode, err } of attempts)
    expect([exitCode, err]).toEqual([
      1,
      "animal-store: another process is writing to the database, such as a copy: nothing was changed; try again when it is done\n",
    ]);
  child.kill("SIGCONT");
  expect(await child.exited).toBe(0);
  expect([...(await sql`SELECT name, revoked_at FROM keys`)]).toEqual([
    { name: "Ünïcode 🐾", revoked_at: null },
  ] as never);
  // From here on, the target is the store, and the key can be revoked there.
  const env = { DATABASE_URL: to };
  expect((await run(["keys", "revoke", key?.id as string, "--yes"], { cwd, env })).exitCode).toBe(0);
  const service = await serve({ cwd, env });
  const answer = await fetch(`${service.origin}/v1/pets`, { headers: { Authorization: `Bearer ${secret}` } });
  expect(answer.status).toBe(401);
  await service.kill("SIGTERM");
  await sql.close();
});

test("a row that is written to the target during a copy is found at the end", async () => {
  const { cwd } = await filledStore(12_000);
  const to = await newDatabase();
  const sql = new SQL(to, { max: 1 });
  const child = Bun.spawn([EXECUTABLE, ...copyArguments(to)], { cwd, stdout: "pipe", stderr: "pipe" });
  await stopWhen(child, () => hasAnimals(sql));
  // Keys are copied and could have been verified before this.
  await sql`INSERT INTO keys (id, name, plan, per_minute, per_day, created_at) VALUES ('key_intruder', 'x', 'free', 1, 1, 1)`;
  child.kill("SIGCONT");
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  expect([await child.exited, out, withoutProgress(err)]).toEqual([
    1,
    "",
    expect.stringContaining("the table keys has 1 rows in the source and 2 in the target, which are not the same"),
  ]);
  expect(await sql`SELECT 1 FROM copies WHERE finished_at IS NOT NULL`).toHaveLength(0);
  await sql.close();
});

test("copy refuses a source that is served, a target that is not empty, and itself", async () => {
  const { cwd } = await filledStore(10);
  const to = await newDatabase();
  const service = await serve({ cwd });
  expect((await run(copyArguments(to), { cwd })).err).toContain("another process is already serving");
  await service.kill("SIGTERM");
  const other = await serve({ cwd, env: { DATABASE_URL: to } });
  expect((await run(copyArguments(to), { cwd })).err).toContain("is using the target database: stop it first");
  await other.kill("SIGTERM");
  await run(["keys", "create", "--name", "x", "--plan", "free"], { cwd, env: { DATABASE_URL: to } });
  expect((await run(copyArguments(to), { cwd })).err).toContain("the target database is not empty");
  expect((await run(["copy", "--from", to, "--to", to], { cwd })).err).toContain("are the same database");
  expect((await run(["copy", "--from", "sqlite:none.db", "--to", to], { cwd })).err).toContain(
    `there is no database at ${join(cwd, "none.db")}`,
  );
  for (const args of [["copy"], ["copy", "--form", "x"], ["copy", "--from", "sqlite:a", "--to", "mysql://x"]])
    expect((await run(args, { cwd })).exitCode).toBe(2);
});

test.skipIf(!hasPgbouncer)(
  "behind PgBouncer, a service is found by its heartbeat and not by the connections that are kept after its end",
  async () => {
    const cwd = temporaryFolder();
    const database = await newDatabase();
    const pooled = `${(await TestPgbouncer.start(database, "transaction")).url}?pgbouncer=true`;
    const sql = new SQL(database, { max: 1 });
    const kept = () =>
      sql`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'animal-store%'`;
    const copyTo = (file: string, from = database) => run(["copy", "--from", from, "--to", `sqlite:${file}`], { cwd });
    const start = async () => {
      const service = await serve({ cwd, env: { DATABASE_URL: pooled } });
      while ((await sql`SELECT 1 FROM instances WHERE stopped_at IS NULL`).length === 0) await Bun.sleep(20);
      return service;
    };

    const stopped = await start();
    expect((await copyTo("running.db")).err).toMatch(/using the source database.*: stop it first/);
    await stopped.kill("SIGTERM");
    expect((await kept()).length).toBeGreaterThan(0);
    for (const [file, from] of [
      ["stopped.db", database],
      ["pooled.db", pooled],
    ] as const)
      expect(await copyTo(file, from)).toMatchObject({ exitCode: 0, err: "" });

    const killed = await start();
    await killed.kill("SIGKILL");
    await sql`UPDATE instances SET seen_at = seen_at + 3600000`;
    const { exitCode, err } = await copyTo("killed.db");
    expect([exitCode, err]).toEqual([
      1,
      expect.stringMatching(
        /was there \d+ s ago, is using the source database: stop it first, or if it was killed, wait 30 s/,
      ),
    ]);
    await sql`UPDATE instances SET seen_at = seen_at - 3631000`;
    expect((await kept()).length).toBeGreaterThan(0);
    expect(await copyTo("killed.db")).toMatchObject({ exitCode: 0, err: "" });

    // A copy looks again at its end, inside of its transaction: at who is there then.
    const source = await openSource(database);
    const late = new SQL(database, { max: 1, connection: { application_name: "animal-store late (pooled)" } });
    await late.unsafe("BEGIN");
    await expect(async () => source.refuseUse()).toThrow("is using the source database");
    await late.unsafe("ROLLBACK");
    await source.refuseUse();
    await Promise.all([late.close(), source.close(), sql.close()]);
  },
);

test("copy gives up a server that goes silent, in one line, and can be run again", async () => {
  const noAnswer =
    /^animal-store: (cannot use the database \S+: )?no answer from 127\.0\.0\.1:\d+.*: is it PostgreSQL, .*\n$/;
  for (const { what, outcome } of silenced)
    expect([what, await outcome]).toEqual([what, { exitCode: 1, out: "", err: expect.stringMatching(noAnswer) }]);
  const { database, cwd } = silenced.at(-1) as (typeof silenced)[number];
  expect(await run(copyArguments(database), { cwd })).toMatchObject({ exitCode: 0, err: "" });
});
