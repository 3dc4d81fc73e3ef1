import { describe, expect, test } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Redis } from "ioredis";
import { temporaryFolder } from "../../harness/folder.ts";
import { EXECUTABLE, issueBoundlessKey, run, serve } from "../../harness/program/program.ts";
import { canMount, onSmallDisk } from "../../harness/program/small-disk.ts";
import { clientOf } from "../../harness/requests/client.ts";
import { openDatabaseFile } from "../../harness/rows/sqlite.ts";
import { emptyDatabaseMaker, withSql } from "../../harness/servers/postgres.ts";
import { hasRedis, redisDatabaseMaker } from "../../harness/servers/redis.ts";

const newDatabase = await emptyDatabaseMaker();

interface Result {
  readonly check: string;
  readonly result: "ok" | "warning" | "problem";
  readonly detail: string;
  readonly remedy?: string;
}

async function doctor(
  cwd: string,
  env: Record<string, string> = {},
): Promise<{ exitCode: number; problems: Result[]; warnings: Result[]; all: Result[] }> {
  const { exitCode, out, err } = await run(["doctor", "--json"], { cwd, env });
  expect(err).toBe("");
  const all = JSON.parse(out) as Result[];
  const those = (wanted: Result["result"]) => all.filter(({ result }) => result === wanted);
  return { exitCode, all, problems: those("problem"), warnings: those("warning") };
}

async function storeWithOrder(): Promise<{ cwd: string; file: string }> {
  const cwd = temporaryFolder();
  const secret = await issueBoundlessKey({ cwd });
  const service = await serve({ cwd });
  const store = clientOf(service, secret);
  const rex = await store.pets.create({ name: "Rex", categoryId: 1 }, { idempotencyKey: "a" });
  await store.orders.place({ petId: rex.id }, { idempotencyKey: "b" });
  await service.kill("SIGTERM");
  return { cwd, file: join(cwd, "data/animal-store.db") };
}

/** Changes a store as no part of the program would. */
function tamper(file: string, ...statements: string[]): void {
  const db = openDatabaseFile(file);
  db.run("PRAGMA ignore_check_constraints = ON");
  for (const statement of statements) db.run(statement);
  db.close(true);
}

describe("doctor", () => {
  test("finds nothing wrong with a sound store, beside a service and without one, and changes nothing", async () => {
    const { cwd, file } = await storeWithOrder();
    const before = readFileSync(file);
    const { exitCode, problems, warnings, all } = await doctor(cwd);
    expect([exitCode, problems, warnings]).toEqual([0, [], []]);
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
      "UPDATE orders SET moves = '{'",
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
      "histories of orders can be read",
      "saved responses can be read",
    ]);
    for (const { remedy } of problems) expect(remedy).toMatch(/\w{4}/);
    const { out } = await run(["doctor"], { cwd });
    expect(out).toMatch(/^problem {2}file permissions +others can read .*\n {9}→ chmod 600 /m);
    expect(out).toEndWith("\n13 problems found in 38 checks.\n");
    expect(statSync(file).mode & 0o777).toBe(0o644);
  });

  test("never makes a database, and reports invalid settings as a finding", async () => {
    const cwd = temporaryFolder();
    const { exitCode, problems } = await doctor(cwd);
    expect([exitCode, problems.length, problems[0]?.check]).toEqual([1, 1, "database file"]);
    expect(existsSync(join(cwd, "data"))).toBe(false);
    const invalid = await doctor(cwd, { PORT: "none" });
    expect(invalid.problems).toEqual([expect.objectContaining({ check: "settings" })]);
    expect(invalid.all).toHaveLength(2);
    writeFileSync(join(cwd, "text.db"), "x".repeat(8192));
    const foreign = await doctor(cwd, { DATABASE_URL: "sqlite:text.db" });
    expect(foreign.problems.map(({ check }) => check)).toContain("database can be read");
    writeFileSync(join(cwd, ".env"), "DATABASE_URL=sqlite:text.db\n");
    expect((await doctor(cwd)).problems).toEqual(foreign.problems);
  });
});

describe("doctor warns", () => {
  const warningsOf = async (cwd: string, env: Record<string, string>) => (await doctor(cwd, env)).warnings;

  test("of settings that do not fit how clients get here, with exit code 0", async () => {
    const { cwd } = await storeWithOrder();
    const beyond = await doctor(cwd, { HOST: "0.0.0.0" });
    expect([beyond.exitCode, beyond.warnings.map(({ remedy }) => remedy)]).toEqual([
      0,
      ["set PUBLIC_URL to the base address that clients use, such as https://api.example.com/v1"],
    ]);
    const [proxy, unreachable] = await warningsOf(cwd, { PUBLIC_URL: "https://127.0.0.1:1/v1" });
    expect([proxy?.remedy, unreachable?.detail]).toEqual([
      "set TRUSTED_PROXIES to the address of the proxy, such as 127.0.0.1",
      expect.stringMatching(/^no answer from https:\/\/127\.0\.0\.1:1\/v1\/key: /),
    ]);
    const { out } = await run(["doctor"], { cwd, env: { HOST: "0.0.0.0" } });
    expect(out).toMatch(/^warning {2}public address +PUBLIC_URL is not set/m);
    expect(out).toEndWith("\nNo problems and 1 warning found in 38 checks.\n");
  });

  test("of a public address that leads elsewhere, which is a problem, and of none that leads here", async () => {
    const { cwd } = await storeWithOrder();
    const service = await serve({ cwd });
    const here = await doctor(cwd, { PUBLIC_URL: `${service.origin}/v1` });
    expect([here.problems, here.warnings]).toEqual([[], []]);
    await service.kill("SIGTERM");
    for (const [answer, detail] of [
      [() => new Response("<html>"), /is answered by something else, with status 200$/],
      [() => Response.json({ hello: 1 }, { status: 401 }), /is answered by something else, with status 401$/],
      [() => Response.redirect("https://example.com/v1/key"), /redirects to https:\/\/example.com\/v1\/key$/],
    ] as const) {
      const other = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: answer });
      const { exitCode, problems } = await doctor(cwd, { PUBLIC_URL: `${other.url.origin}/v1` });
      expect([exitCode, problems.map((each) => each.detail)]).toEqual([1, [expect.stringMatching(detail)]]);
      await other.stop(true);
    }
  });

  test("of records from the future, which is a problem of the clock", async () => {
    const { cwd, file } = await storeWithOrder();
    tamper(file, `UPDATE keys SET last_used_at = ${Date.now() + 3_600_000}`);
    const { exitCode, problems } = await doctor(cwd);
    expect([exitCode, problems.map(({ check }) => check)]).toEqual([1, ["clock"]]);
    expect(problems[0]?.remedy).toContain("timedatectl set-ntp true");
  });

  test.skipIf(process.getuid?.() !== 0 || !Bun.which("setpriv"))(
    "of a file that its user may not write to",
    async () => {
      const { cwd } = await storeWithOrder();
      chmodSync(cwd, 0o755);
      chmodSync(join(cwd, "data"), 0o755);
      for (const name of readdirSync(join(cwd, "data"))) chmodSync(join(cwd, "data", name), 0o644);
      const user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", EXECUTABLE];
      const { out } = await run(["doctor", "--json"], { cwd, program: user });
      const found = (JSON.parse(out) as Result[]).find(({ check }) => check === "database can be written");
      expect([found?.result, found?.detail]).toEqual([
        "warning",
        "the user who runs this may not write to data/animal-store.db",
      ]);
    },
  );

  test.skipIf(!canMount)("of a disk with less space than a restore would need", async () => {
    const { file } = await storeWithOrder();
    await onSmallDisk("150m", async (cwd) => {
      copyFileSync(file, join(cwd, "a.db"));
      // Without taking any space.
      truncateSync(join(cwd, "a.db"), 2_500_000_000);
      const { all } = await doctor(cwd, { DATABASE_URL: "sqlite:a.db" });
      const found = all.find(({ check }) => check === "free disk space");
      expect([found?.result, found?.remedy]).toEqual(["warning", expect.stringContaining("a restore, or a backup")]);
      expect(found?.detail).toMatch(/^[\d.]+ MB, and the database has 2\.5 GB$/);
    });
  });

  test("of another name of the database that an interrupted restore left, which is a problem", async () => {
    const { cwd, file } = await storeWithOrder();
    linkSync(file, join(cwd, "data/animal-store-before-restore-20270131T093000.000Z.db"));
    const { problems } = await doctor(cwd);
    expect(problems.map(({ check, remedy }) => [check, remedy])).toEqual([
      ["leftovers beside the file", expect.stringContaining("it is no copy")],
    ]);
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
  const newRedis = await redisDatabaseMaker();

  test("says whether it can be reached, and how it keeps the counters", async () => {
    const { cwd } = await storeWithOrder();
    const reached = await doctor(cwd, { REDIS_URL: await newRedis() });
    expect([reached.exitCode, reached.all.slice(-5).map(({ check }) => check)]).toEqual([
      0,
      [
        "Redis can be reached",
        "Redis can count",
        "Redis forgets no counter",
        "Redis saves to disk",
        "clock agrees with Redis's",
      ],
    ]);
    expect(reached.all.at(-1)?.detail).toBe("the same as the clock of Redis");
    const gone = await doctor(cwd, { REDIS_URL: "redis://127.0.0.1:1" });
    expect(gone.problems.map(({ check }) => check)).toEqual(["Redis can be reached"]);
  });

  test("does not ask for the time where it may not", async () => {
    const { cwd } = await storeWithOrder();
    const url = new URL(await newRedis());
    const admin = new Redis(url.href);
    const user = `user_${crypto.randomUUID()}`;
    await admin.call("ACL", "SETUSER", user, "on", ">pw", "~*", "+@all", "-time");
    url.username = user;
    url.password = "pw";
    const { exitCode, all } = await doctor(cwd, { REDIS_URL: url.href });
    await admin.call("ACL", "DELUSER", user);
    admin.disconnect();
    expect([exitCode, all.at(-1)?.detail]).toEqual([0, "not compared: the user of Redis may not ask for the time"]);
  });
});
