import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { newKey } from "../../src/domain/keys/key.ts";
import { PLANS } from "../../src/domain/keys/plan.ts";
import { copyStore } from "../../src/store/copy/copy.ts";
import { openForCommand as openPostgres, openForServing as servePostgres } from "../../src/store/postgres/store.ts";
import { openForCommand as openSqlite, openForServing as serveSqlite } from "../../src/store/sqlite/store.ts";
import { temporaryFolder } from "../harness/folder.ts";
import { SIGNED } from "../harness/rows/author.ts";
import { openDatabaseFile } from "../harness/rows/sqlite.ts";
import { databaseMaker, withSql } from "../harness/servers/postgres.ts";
import { journalContract } from "./contract/journal.contract.ts";

const newDatabase = await databaseMaker();
const folder = temporaryFolder();
let files = 0;
const newPath = () => join(folder, `${++files}.db`);

journalContract("SQLite, for serving", () => serveSqlite(newPath()));
journalContract("SQLite, for a command", () => openSqlite(newPath(), { create: true }));
journalContract("PostgreSQL", async () => servePostgres(await newDatabase(), { connections: 5 }));

const newKeyToCreate = () => ({
  ...SIGNED,
  key: newKey({ name: "x", plan: "free", quotas: PLANS.free, createdAtMs: 1, expiresAtMs: undefined }),
  digest: crypto.randomUUID(),
});

/** For each kind of database: a store, and statements on it that pass by the program. */
const KINDS = [
  {
    kind: "SQLite",
    async open() {
      const path = newPath();
      const store = await openSqlite(path, { create: true });
      const run = async (sql: string): Promise<unknown[]> => {
        const db = openDatabaseFile(path);
        try {
          return db.query(sql).all();
        } finally {
          db.close();
        }
      };
      return { store, run };
    },
    failing: `CREATE TRIGGER full BEFORE INSERT ON journal BEGIN SELECT RAISE(ABORT, 'full'); END`,
  },
  {
    kind: "PostgreSQL",
    async open() {
      const url = await newDatabase();
      const store = await openPostgres(url, { create: true });
      const run = (sql: string): Promise<unknown[]> => withSql(url, async (client) => [...(await client.unsafe(sql))]);
      return { store, run };
    },
    failing: "ALTER TABLE journal ADD CHECK (author = 'nobody') NOT VALID",
  },
];

describe.each(KINDS)("the journal on $kind", ({ kind, open, failing }) => {
  test("is only ever added to: the database itself refuses to change or delete an entry", async () => {
    const { store, run } = await open();
    await store.keys.create(newKeyToCreate());
    const before = await run("SELECT * FROM journal");
    expect(before).toHaveLength(1);
    for (const sql of [
      "UPDATE journal SET author = 'nobody'",
      "DELETE FROM journal",
      "DELETE FROM journal WHERE id > 0",
      ...(kind === "PostgreSQL" ? ["TRUNCATE journal"] : []),
    ])
      expect(await run(sql).catch(String)).toContain("the journal is append-only");
    if (kind === "SQLite")
      await run(
        "INSERT OR REPLACE INTO journal SELECT id, 0, 'nobody', via, action, subject_kind, NULL, NULL, NULL, NULL, NULL FROM journal",
      );
    expect(await run("SELECT * FROM journal")).toEqual(before);
    await store.close();
  });

  test("is part of the change: when its entry cannot be written, nothing is changed", async () => {
    const { store, run } = await open();
    const created = newKeyToCreate();
    await store.keys.create(created);
    await run(failing);
    const command = { ...SIGNED, keyId: created.key.id };
    const revision = await store.keys.revision();
    for (const change of [
      () => store.keys.create(newKeyToCreate()),
      () => store.keys.edit({ ...command, name: "y" }),
      () => store.keys.rotate({ ...command, digest: "d", oldSecretsExpireAtMs: 1 }),
      () => store.keys.suspend(command),
      () => store.keys.unban(command),
      () => store.keys.revoke(command),
    ])
      await expect(change()).rejects.toThrow();
    expect(await store.keys.list()).toEqual([created.key]);
    expect(await store.keys.secretsOf(created.key.id)).toHaveLength(1);
    expect(await store.keys.revision()).toBe(revision);
    expect(await run("SELECT * FROM journal")).toHaveLength(1);
    await store.close();
  });
});

/** Copies a file to a database; it may be interrupted as soon as all entries of the journal are there. */
function copy(path: string, url: string, { isInterrupted = false } = {}) {
  const interrupt = new AbortController();
  return copyStore(
    { kind: "sqlite", path },
    { kind: "postgres", url },
    {
      author: SIGNED,
      signal: interrupt.signal,
      onProgress({ table, step, done, total }) {
        if (isInterrupted && table === "journal" && step === "copy" && done === total)
          interrupt.abort(new Error("stop"));
      },
    },
  );
}

async function storeWithKeys(count: number): Promise<string> {
  const path = newPath();
  const store = await openSqlite(path, { create: true });
  for (let i = 0; i < count; i++) await store.keys.create(newKeyToCreate());
  await store.close();
  return path;
}

test("a copy takes the journal with it, also when it is continued, and adds that it was made, with the next id", async () => {
  const path = await storeWithKeys(3);
  const url = await newDatabase();
  await expect(copy(path, url, { isInterrupted: true })).rejects.toThrow("stop");
  expect(await withSql(url, async (sql) => (await sql`SELECT 1 FROM journal`).length)).toBe(3);
  const source = await openSqlite(path, { create: false });
  await source.keys.create(newKeyToCreate());
  const entries = (await source.journal.list({ size: 10 })).rows;
  await source.close();
  const copied = await copy(path, url);
  expect(copied.find(({ table }) => table === "journal")?.rows).toBe(4);
  const target = await openPostgres(url);
  const [made, ...others] = (await target.journal.list({ afterId: entries.at(-1)?.id, size: 10 })).rows;
  expect(made).toMatchObject({ id: (entries.at(-1)?.id as bigint) + 1n, action: "copy", subject: { kind: "store" } });
  expect(others).toEqual([]);
  expect((await target.journal.list({ size: 4 })).rows).toEqual([...entries]);
  await target.close();
});

test("a copy that was begun is not continued over entries that the source does not have", async () => {
  const path = await storeWithKeys(1);
  const url = await newDatabase();
  await expect(copy(path, url, { isInterrupted: true })).rejects.toThrow("stop");
  await withSql(
    url,
    (sql) =>
      sql`INSERT INTO journal (id, made_at, author, via, action, subject_kind) VALUES (9, 1, 'x', 'command', 'copy', 'store')`,
  );
  await expect(copy(path, url)).rejects.toMatchObject({
    reason: { kind: "differs", table: "journal", sourceRows: 1, targetRows: 2 },
  });
});
