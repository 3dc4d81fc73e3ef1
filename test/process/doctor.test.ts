import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../harness/folder.ts";
import { databaseMaker, withSql } from "../harness/postgres.ts";
import { issueBoundlessKey, run, serve } from "../harness/program.ts";
import { hasRedis, redisDatabaseMaker } from "../harness/redis.ts";

const newDatabase = await databaseMaker();

interface Result {
  readonly check: string;
  readonly result: "ok" | "problem";
  readonly detail: string;
  readonly remedy?: string;
}

async function doctor(
  cwd: string,
  env: Record<string, string> = {},
): Promise<{ exitCode: number; problems: Result[]; all: Result[] }> {
  const { exitCode, out, err } = await run(["doctor", "--json"], { cwd, env });
  expect(err).toBe("");
  const all = JSON.parse(out) as Result[];
  return { exitCode, all, problems: all.filter(({ result }) => result === "problem") };
}

async function storeWithOrder(): Promise<{ cwd: string; file: string }> {
  const cwd = temporaryFolder();
  const secret = await issueBoundlessKey({ cwd });
  const service = await serve({ cwd });
  const headers = { Authorization: `Bearer ${secret}`, "Content-Type": "application/json", "Idempotency-Key": "a" };
  await fetch(`${service.origin}/v1/pets`, { method: "POST", headers, body: '{"name":"Rex","categoryId":1}' });
  await fetch(`${service.origin}/v1/store/orders`, {
    method: "POST",
    headers: { ...headers, "Idempotency-Key": "b" },
    body: '{"petId":1}',
  });
  await service.kill("SIGTERM");
  return { cwd, file: join(cwd, "data/animal-store.db") };
}

/** Changes a store as no part of the program would. */
function tamper(file: string, ...statements: string[]): void {
  const db = new Database(file);
  db.run("PRAGMA ignore_check_constraints = ON");
  for (const statement of statements) db.run(statement);
  db.close(true);
}

describe("doctor", () => {
  test("finds nothing wrong with a sound store, beside a service and without one, and changes nothing", async () => {
    const { cwd, file } = await storeWithOrder();
    const before = readFileSync(file);
    const { exitCode, problems, all } = await doctor(cwd);
    expect([exitCode, problems]).toEqual([0, []]);
    expect(all.length).toBeGreaterThan(20);
    expect(readFileSync(file).equals(before)).toBe(true);
    const service = await serve({ cwd });
    expect((await doctor(cwd)).problems).toEqual([]);
    await service.kill("SIGTERM");
    const { out, exitCode: code } = await run(["doctor"], { cwd });
    expect(code).toBe(0);
    expect(out).toMatch(/^ok {7}integrity +pages, tables and indexes agree$/m);
    expect(out).toEndWith(`\n\nNo problems found in ${all.length} checks.\n`);
  });

  test("says what breaks the rules of the store, and what to do about it", async () => {
    const { cwd, file } = await storeWithOrder();
    tamper(
      file,
      "UPDATE animals SET status = 'available' WHERE id = 1",
      "UPDATE orders SET updated_at = placed_at - 1",
      "UPDATE animals SET folded_name = 'Rex'",
      "INSERT INTO secrets (digest, key_id) SELECT 'short', id FROM keys",
      "INSERT INTO orders (animal_id, status, placed_at, updated_at) VALUES (7, 'cancelled', 1, 1)",
      "UPDATE saved_responses SET content = '{' WHERE idempotency_key = 'a'",
      "UPDATE tallies SET minute_used = -1",
      "UPDATE keys SET scopes = 'pets:read pets:fly'",
      "UPDATE sqlite_sequence SET seq = 0 WHERE name = 'orders'",
    );
    chmodSync(file, 0o644);
    writeFileSync(`${join(cwd, "data")}/.old.db.999999999-0000abcd.partial`, "");
    Bun.spawnSync(["touch", "-d", "2020-01-01", `${join(cwd, "data")}/.old.db.999999999-0000abcd.partial`]);
    const { exitCode, problems } = await doctor(cwd);
    expect(exitCode).toBe(1);
    expect(problems.map(({ check }) => check)).toEqual([
      "file permissions",
      "leftovers beside the file",
      "references",
      "ids are assigned once",
      "an animal in an open order is pending",
      "an order belongs to an animal",
      "orders are updated after they are placed",
      "scopes of keys are well-formed",
      "secrets are well-formed",
      "counters are well-formed",
      "animals are found by their names",
      "saved responses can be read",
    ]);
    for (const { remedy } of problems) expect(remedy).toMatch(/\w{4}/);
    const { out } = await run(["doctor"], { cwd });
    expect(out).toMatch(/^problem {2}file permissions +others can read .*\n {9}→ chmod 600 /m);
    expect(out).toEndWith("\n12 problems found in 29 checks.\n");
    expect(statSync(file).mode & 0o777).toBe(0o644);
  });

  test("never makes a database, and reports invalid settings as a finding", async () => {
    const cwd = temporaryFolder();
    const { exitCode, problems } = await doctor(cwd);
    expect([exitCode, problems.length, problems[0]?.check]).toEqual([1, 1, "database file"]);
    expect(existsSync(join(cwd, "data"))).toBe(false);
    const invalid = await doctor(cwd, { PORT: "none" });
    expect(invalid.all).toEqual([expect.objectContaining({ check: "settings", result: "problem" })]);
    writeFileSync(join(cwd, "text.db"), "x".repeat(8192));
    const foreign = await doctor(cwd, { DATABASE_URL: "sqlite:text.db" });
    expect(foreign.problems.map(({ check }) => check)).toContain("database can be read");
    writeFileSync(join(cwd, ".env"), "DATABASE_URL=sqlite:text.db\n");
    expect((await doctor(cwd)).problems).toEqual(foreign.problems);
  });
});

describe("doctor on PostgreSQL", () => {
  /** Except for one that the tests' own server has, for speed. */
  const namesOf = (problems: readonly Result[]): string[] =>
    problems.map(({ check }) => check).filter((check) => check !== "acknowledged writes survive a crash");

  test("says what to grant to a role that may not use the sequences", async () => {
    const cwd = temporaryFolder();
    const url = new URL(await newDatabase());
    await issueBoundlessKey({ cwd, env: { DATABASE_URL: url.href } });
    const role = `role_${crypto.randomUUID().replaceAll("-", "")}`;
    await withSql(url.href, (sql) =>
      sql.unsafe(`CREATE ROLE ${role} LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role}`),
    );
    url.username = role;
    const { problems } = await doctor(cwd, { DATABASE_URL: url.href });
    expect(problems.find(({ check }) => check === "ids are assigned once")).toMatchObject({
      detail: "permission denied for the sequence of the table animals",
      remedy: "GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO the role of the service",
    });
  });

  test("finds nothing wrong with a sound store, and what is wrong with another", async () => {
    const cwd = temporaryFolder();
    const env = { DATABASE_URL: await newDatabase() };
    const empty = await doctor(cwd, env);
    expect(namesOf(empty.problems)).toEqual(["schema"]);
    // A start may be told not to migrate.
    expect(empty.problems.find(({ check }) => check === "schema")?.remedy).toBe("run animal-store migrate");
    await issueBoundlessKey({ cwd, env });
    const sound = await doctor(cwd, env);
    expect(namesOf(sound.problems)).toEqual([]);
    await withSql(env.DATABASE_URL, async (sql) => {
      await sql`INSERT INTO animals (id, name, category_id, status) VALUES (5, 'Rex', 1, 'available')`;
      await sql`INSERT INTO orders (animal_id, status, placed_at, updated_at) VALUES (5, 'approved', 1, 1)`;
      await sql`DROP INDEX orders_by_status`;
      await sql`INSERT INTO saved_responses SELECT id, 'x', '', 1, '{' FROM keys`;
    });
    const broken = await doctor(cwd, env);
    expect(broken.exitCode).toBe(1);
    expect(namesOf(broken.problems)).toEqual([
      "indexes",
      "ids are assigned once",
      "an animal in an open order is pending",
      "saved responses can be read",
    ]);
  });

  test("says when the server cannot be reached, without its password", async () => {
    const env = { DATABASE_URL: "postgres://nobody:hunter2@127.0.0.1:1/none" };
    const { exitCode, problems } = await doctor(temporaryFolder(), env);
    expect([exitCode, problems.map(({ check }) => check)]).toEqual([1, ["database can be reached"]]);
    expect(JSON.stringify(problems)).not.toContain("hunter2");
  });
});

describe.skipIf(!hasRedis)("doctor on Redis", async () => {
  const newRedis = hasRedis ? await redisDatabaseMaker() : async () => "";

  test("says whether it can be reached, and how it keeps the counters", async () => {
    const { cwd } = await storeWithOrder();
    const reached = await doctor(cwd, { REDIS_URL: await newRedis() });
    expect([reached.exitCode, reached.all.slice(-4).map(({ check }) => check)]).toEqual([
      0,
      ["Redis can be reached", "Redis can count", "Redis forgets no counter", "Redis saves to disk"],
    ]);
    const gone = await doctor(cwd, { REDIS_URL: "redis://127.0.0.1:1" });
    expect(gone.problems.map(({ check }) => check)).toEqual(["Redis can be reached"]);
  });
});
