import { expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { migrateDatabase } from "../../src/store/postgres/migrate.ts";
import { temporaryFolder } from "../harness/folder.ts";
import { run } from "../harness/program/program.ts";
import { breakAtStatement } from "../harness/servers/breaking-wire.ts";
import { hasOpenssl, newCertificate } from "../harness/servers/certificates.ts";
import { TestPostgres, withSql } from "../harness/servers/postgres.ts";

const cwd = temporaryFolder();
const certificate = hasOpenssl ? newCertificate("localhost") : undefined;

/** The role app needs its password. */
function accessRules(): string {
  const folder = temporaryFolder();
  const file = join(folder, "pg_hba.conf");
  writeFileSync(file, "host all app 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n");
  chmodSync(folder, 0o755);
  return file;
}

const server = await TestPostgres.start({
  isVolatile: true,
  settings: { hba_file: accessRules() },
  ...(certificate ? { certificate } : {}),
});
await withSql(server.url, (sql) => sql`CREATE ROLE app LOGIN PASSWORD 'right'`);
await run(["migrate"], { cwd });

const address = async (changes: Partial<URL>): Promise<string> =>
  Object.assign(new URL(await server.database()), changes).href;

/** Returns the error of a program that cannot use its database: one line, and never the password. */
async function lineOf(args: readonly string[], url: string): Promise<string> {
  const { exitCode, out, err } = await run(args, { cwd, env: { DATABASE_URL: url, PORT: "0" } });
  expect([exitCode, out]).toEqual([1, ""]);
  expect(err.trim().split("\n")).toHaveLength(1);
  expect(err).toStartWith("animal-store: cannot use the database postgres://");
  expect(err).not.toContain("hidden");
  return err;
}

for (const command of ["serve", "keys list", "copy"])
  test(`${command}: a server that drops the connection at any of the first statements is one line`, async () => {
    for (const n of command === "serve" ? [0, 1, 2, 3] : [1, 2, 3]) {
      const wire = await breakAtStatement(server.port, n, n % 2 ? "before" : "instead of the answer");
      const url = await address({ port: String(wire.port), password: "hidden", search: "?sslmode=disable" });
      // Only the others make a schema, which takes some statements.
      if (command === "keys list")
        await migrateDatabase(Object.assign(new URL(url), { port: server.port }).href, () => {});
      const args =
        command === "copy" ? ["copy", "--from", "sqlite:data/animal-store.db", "--to", url] : command.split(" ");
      expect(await lineOf(args, url)).toContain("closed the connection");
      expect(wire.statements()).toBe(n);
    }
  });

test("doctor: a server that drops the connection is a problem that it names", async () => {
  for (const n of [1, 2, 3]) {
    const wire = await breakAtStatement(server.port, n, "before");
    const url = await address({ port: String(wire.port), password: "hidden", search: "?sslmode=disable" });
    const { exitCode, out, err } = await run(["doctor"], { cwd, env: { DATABASE_URL: url } });
    expect([exitCode, err]).toEqual([1, ""]);
    expect(out).toMatch(/problem .*closed the connection/);
    expect(out).not.toContain("hidden");
  }
});

test.each([
  ["a wrong password", { username: "app", password: "hidden" }, "correct the user and password in DATABASE_URL"],
  [
    "a wrong database",
    { pathname: "/nowhere", password: "hidden" },
    'database "nowhere" does not exist: create it (CREATE DATABASE), or correct the name in DATABASE_URL',
  ],
  ["a wrong host", { hostname: "nowhere.invalid", password: "hidden" }, "the name nowhere.invalid cannot be resolved"],
  ["a wrong port", { port: "1", password: "hidden" }, "nothing listens at 127.0.0.1:1"],
])("%s is told at the start", async (_, changes, text) => {
  expect(await lineOf(["serve"], await address(changes))).toContain(text);
});

test.each([
  "sslmode=disable&sslrootcert=none.pem",
  "sslmode=prefer&sslrootcert=none.pem",
  "sslmode=disable&sslcert=none.pem&sslkey=none.pem",
])("%s: a file that does not exist is told at the start, also if nothing would use it", async (search) => {
  expect(await lineOf(["serve"], await address({ search }))).toContain("cannot read none.pem, which ssl");
});

test("a database with tables of another program is told at the start", async () => {
  const url = await server.database();
  await withSql(url, (sql) => sql`CREATE TABLE animals (id int)`);
  expect(await lineOf(["serve"], url)).toContain(
    'relation "animals" already exists: the database holds tables of another program, so use an empty one',
  );
});

test("a server that speaks otherwise than PostgreSQL is told at the start", async () => {
  // A request to authenticate in a way that there is not.
  const strange = Uint8Array.of(0x52, 0, 0, 0, 8, 0, 0, 0, 99);
  const other = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: { data: (socket) => void socket.write(strange) },
  });
  const url = await address({ port: String(other.port), password: "hidden", search: "?sslmode=disable" });
  expect(await lineOf(["serve"], url)).toContain(
    `: check whether 127.0.0.1:${other.port} is PostgreSQL and can be reached`,
  );
  other.stop(true);
});

test("a parameter of the address that is not known is told at the start", async () => {
  const url = await address({ password: "hidden", search: "?sslmod=require" });
  const { exitCode, err } = await run(["serve"], { cwd, env: { DATABASE_URL: url } });
  expect(exitCode).not.toBe(0);
  expect(err).toContain("DATABASE_URL has the parameter sslmod, which is not supported");
  expect(err).not.toContain("hidden");
});

test.skipIf(!certificate)(
  "a certificate that is not trusted, or is for another host, is told at the start",
  async () => {
    const other = newCertificate("localhost").authorityFile;
    const own = certificate?.authorityFile;
    for (const [hostname, search] of [
      ["localhost", `?sslmode=verify-full&sslrootcert=${other}`],
      ["localhost", `?sslmode=verify-ca&sslrootcert=${other}`],
      ["localhost", `?sslmode=require&sslrootcert=${other}`],
      ["localhost", "?sslmode=verify-full"],
      ["127.0.0.1", `?sslmode=verify-full&sslrootcert=${own}`],
    ] as const)
      expect(await lineOf(["keys", "list"], await address({ hostname, search }))).toContain("sslrootcert must name");
    expect(
      await lineOf(["keys", "list"], await address({ search: "?sslmode=verify-ca&sslrootcert=none.pem" })),
    ).toContain("cannot read none.pem, which sslrootcert names");
  },
);

test.skipIf(!certificate)("each sslmode connects as libpq would", async () => {
  const own = certificate?.authorityFile;
  const encrypted = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
  const { openSession } = await import("../../src/store/postgres/connections/connection.ts");
  for (const [hostname, search, ssl] of [
    ["127.0.0.1", "", true],
    ["127.0.0.1", "?sslmode=disable", false],
    ["127.0.0.1", "?sslmode=prefer", true],
    ["127.0.0.1", "?sslmode=require", true],
    ["127.0.0.1", `?sslmode=require&sslrootcert=${own}`, true],
    ["127.0.0.1", `?sslmode=verify-ca&sslrootcert=${own}`, true],
    ["localhost", `?sslmode=verify-full&sslrootcert=${own}`, true],
  ] as const) {
    const session = await openSession(await address({ hostname, search }), {});
    expect([search, ...(await session.run(encrypted))]).toEqual([search, { ssl }]);
    await session.close();
  }
});
