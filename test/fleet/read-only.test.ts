import { expect, test } from "bun:test";
import { migrateDatabase } from "../../src/store/postgres/migrate.ts";
import { openForServing } from "../../src/store/postgres/store.ts";
import { emptyDatabaseMaker, TestPostgres, withSql } from "../harness/servers/postgres.ts";
import { TestProxy } from "../harness/servers/proxy.ts";
import { startService } from "../harness/service/service.ts";

const newDatabase = await emptyDatabaseMaker();

/** A database in use, with an animal and a key with quotas that are never reached. */
async function usedDatabase(url: string) {
  const service = await startService({ env: { DATABASE_URL: url } });
  expect((await service.call("POST /pets", { body: ANIMAL })).status).toBe(201);
  await service.stop();
  return service.boundless;
}

const ANIMAL = { name: "Rex", categoryId: 1 };

/** Creates a role with only the privileges that a service needs. Returns its address. */
async function asNewRole(url: string): Promise<URL> {
  const role = `role_${crypto.randomUUID().replaceAll("-", "")}`;
  await withSql(url, (sql) =>
    sql.unsafe(`CREATE ROLE ${role} LOGIN;
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role};
      GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO ${role}`),
  );
  const address = new URL(url);
  address.username = role;
  return address;
}

const levelsAndMessages = (logged: readonly string[]): string[] =>
  logged
    .map((line) => JSON.parse(line) as { level: string; msg: string })
    .filter(({ level }) => level === "warn" || level === "error")
    .map(({ msg }) => msg);

const READ_ONLY = /^the database is read-only/;

test("a role that may create nothing serves, and waits for nobody who migrates", async () => {
  const url = await newDatabase();
  await migrateDatabase(url, () => {});
  const address = await asNewRole(url);
  await expect(withSql(address.href, (sql) => sql`CREATE TABLE x (y int)`)).rejects.toThrow("permission denied");
  await withSql(url, async (sql) => {
    await sql`SELECT pg_advisory_lock(4705221190)`;
    const service = await startService({ env: { DATABASE_URL: address.href } });
    expect((await service.call("POST /pets", { body: ANIMAL })).status).toBe(201);
    expect((await service.call("POST /store/orders", { body: { petId: 1 } })).status).toBe(201);
    expect((await service.call("GET /pets")).json).toHaveLength(1);
    await service.stop();
  });
});

test("a role that may create nothing is told who creates the schema of an empty database", async () => {
  const address = await asNewRole(await newDatabase());
  await expect(startService({ env: { DATABASE_URL: address.href } })).rejects.toMatchObject({
    message: expect.stringContaining("permission denied for schema public"),
    remedy: { kind: "migrate_as_owner" },
  });
});

test("on a primary that is set to be read-only, reads are served, and one line says that writes are not", async () => {
  const url = await newDatabase();
  const secret = await usedDatabase(url);
  const address = await asNewRole(url);
  await withSql(url, (sql) => sql.unsafe(`ALTER ROLE ${address.username} SET default_transaction_read_only = on`));
  const logged: string[] = [];
  const service = await startService({ env: { DATABASE_URL: address.href }, logged, secret });
  expect((await service.call("GET /pets")).json).toHaveLength(1);
  const refused = await service.call("POST /pets", { body: ANIMAL });
  expect([refused.status, refused.json.message]).toEqual([503, expect.stringContaining("nothing was changed")]);
  expect((await fetch(`${service.origin}/readyz`)).status).toBe(200);
  // The counters have changed, so a stop would try to save them.
  await service.stop();
  const messages = levelsAndMessages(logged).filter((message) => !message.startsWith("REDIS_URL is not set"));
  expect(messages).toEqual([expect.stringMatching(READ_ONLY), "request failed"]);
});

test("a standby serves reads, and once it is promoted also writes", async () => {
  const primary = await TestPostgres.start();
  const url = await primary.database();
  const secret = await usedDatabase(url);
  const standby = await primary.startStandby();
  const address = new URL(url);
  address.port = String(standby.port);
  const logged: string[] = [];
  const service = await startService({ env: { DATABASE_URL: address.href }, logged, secret });
  const create = () => service.call("POST /pets", { body: ANIMAL, headers: { "Idempotency-Key": "one" } });
  expect((await service.call("GET /pets")).json).toHaveLength(1);
  const refused = await create();
  expect([refused.status, refused.json.message]).toEqual([503, expect.stringContaining("nothing was changed")]);
  expect((await fetch(`${service.origin}/readyz`)).status).toBe(200);

  await primary.stop();
  await standby.promote();
  while ((await create()).status !== 201) await Bun.sleep(20);
  while (!logged.some((line) => line.includes("takes writes again"))) await Bun.sleep(20);
  expect((await service.call("GET /pets")).json).toHaveLength(2);
  await service.stop();
  expect(levelsAndMessages(logged).filter((message) => READ_ONLY.test(message))).toHaveLength(1);
});

/** The processes of a server that work for pools; other connections are short. */
const poolsAt = (url: string, condition = "true"): Promise<number[]> =>
  withSql(url, async (sql) => {
    const found: { pid: number }[] = await sql.unsafe(`SELECT pid FROM pg_stat_activity
      WHERE application_name LIKE 'animal-store%' AND application_name NOT LIKE '%beside' AND ${condition} ORDER BY pid`);
    return found.map(({ pid }) => pid);
  });

const turnReadOnly = (server: TestPostgres) =>
  server.admin(async (sql) => {
    await sql`ALTER SYSTEM SET default_transaction_read_only = on`;
    await sql`SELECT pg_reload_conf()`;
  });

const at = (port: number, url: string): string => Object.assign(new URL(url), { port: String(port) }).href;

test("connections to a primary that turns read-only are replaced without waiting for a write that fails", async () => {
  const primary = await TestPostgres.start({ isVolatile: true });
  const url = await primary.database();
  const store = await openForServing(url, { connections: 1 });
  await store.check();
  const [before, ...others] = await poolsAt(url);
  expect(others).toEqual([]);
  await turnReadOnly(primary);
  while ((await poolsAt(url)).includes(before as number)) await store.check();
  expect(store.isReadOnly()).toBe(true);
  await store.close();
});

test("a primary that has turned read-only is read from no longer than the address leads to it, although nobody writes", async () => {
  const primary = await TestPostgres.start();
  const url = await primary.database();
  const secret = await usedDatabase(url);
  const standby = await primary.startStandby();
  const wire = await TestProxy.start(primary.port);
  const logged: string[] = [];
  const service = await startService({ env: { DATABASE_URL: at(wire.port, url) }, secret, logged });
  const nameOfFirst = async () => (await service.call("GET /pets")).json[0].name;
  expect(await nameOfFirst()).toBe("Rex");
  await turnReadOnly(primary);
  // Once the switch was noticed and connections are this old, they are new ones, which lead to the former primary again.
  while (!levelsAndMessages(logged).some((message) => READ_ONLY.test(message))) await Bun.sleep(20);
  while ((await poolsAt(url, "backend_start > clock_timestamp() - interval '1.5 s'")).length > 0) await Bun.sleep(20);
  await standby.promote();
  await withSql(at(standby.port, url), (sql) => sql`UPDATE animals SET name = 'Max'`);
  expect(await nameOfFirst()).toBe("Rex");
  wire.targetPort = standby.port;
  while ((await nameOfFirst()) !== "Max") await Bun.sleep(20);
  await service.stop();
});

test("a pool of a server that stays read-only keeps its connections, however often it looks where the address leads", async () => {
  const server = await TestPostgres.start({ isVolatile: true });
  const url = await server.database();
  await migrateDatabase(url, () => {});
  await turnReadOnly(server);
  const wire = await TestProxy.start(server.port);
  const store = await openForServing(at(wire.port, url), { connections: 1 });
  await store.check();
  expect(store.isReadOnly()).toBe(true);
  const before = await poolsAt(url);
  expect(before).toHaveLength(1);
  for (const accepted = wire.accepted; wire.accepted < accepted + 2; await Bun.sleep(20)) await store.check();
  expect(await poolsAt(url)).toEqual(before);
  await store.close();
});
