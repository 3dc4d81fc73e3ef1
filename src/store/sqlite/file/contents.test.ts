import { describe, expect, test } from "bun:test";
import { copyFileSync, openSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../../test/harness/folder.ts";
import { SIGNED } from "../../../../test/harness/rows/author.ts";
import { newKey } from "../../../domain/keys/key.ts";
import { PLANS } from "../../../domain/keys/plan.ts";
import { backupSqlite } from "../backup/backup.ts";
import { openForCommand, openForServing } from "../store.ts";
import { raiseGeneration } from "../wal/generation.ts";
import { FileContents } from "./contents.ts";
import { openForWriting } from "./database.ts";

async function newStore() {
  const path = join(temporaryFolder(), "store.db");
  await (await openForCommand(path, { create: true })).close();
  return { path, contents: new FileContents(openSync(path, "r")) };
}

/** Writes as a command does, or a service after a checkpoint. */
function write(path: string, times = 1): void {
  const db = openForWriting(path);
  for (let i = 0; i < times; i++) {
    db.transaction(() => raiseGeneration(db)).immediate();
    db.run("PRAGMA wal_checkpoint(TRUNCATE)");
  }
  db.close();
}

describe("a file that is overwritten in its place", () => {
  test("by a backup is noticed", async () => {
    const { path, contents } = await newStore();
    const backup = join(temporaryFolder(), "backup.db");
    await backupSqlite(path, backup);
    expect(contents.isOverwritten()).toBe(false);
    copyFileSync(backup, path);
    expect(contents.isOverwritten()).toBe(true);
  });

  test("by an older copy of itself, or by another store, is noticed until it is undone", async () => {
    const { path, contents } = await newStore();
    const [older, newer] = ["older.db", "newer.db"].map((name) => join(temporaryFolder(), name)) as [string, string];
    copyFileSync(path, older);
    write(path);
    copyFileSync(path, newer);
    expect(contents.isOverwritten()).toBe(false);
    for (const other of [older, (await newStore()).path]) {
      copyFileSync(other, path);
      expect(contents.isOverwritten()).toBe(true);
      copyFileSync(newer, path);
      expect(contents.isOverwritten()).toBe(false);
    }
  });

  test("or emptied is noticed", async () => {
    const { path, contents } = await newStore();
    truncateSync(path, 0);
    expect(contents.isOverwritten()).toBe(true);
    writeFileSync(path, "x".repeat(63));
    expect(contents.isOverwritten()).toBe(true);
  });

  test("after a sync that failed may be as it was before", async () => {
    const { path, contents } = await newStore();
    const older = join(temporaryFolder(), "older.db");
    copyFileSync(path, older);
    write(path, 3);
    expect(contents.isOverwritten()).toBe(false);
    copyFileSync(older, path);
    contents.forget();
    expect(contents.isOverwritten()).toBe(false);
  });
});

test("checkpoints and commands never look like it", async () => {
  const { path, contents } = await newStore();
  const store = await openForServing(path);
  const keyOf = () => newKey({ name: "k", plan: "free", quotas: PLANS.free, createdAtMs: 0, expiresAtMs: undefined });
  for (let round = 0; round < 20; round++) {
    const command = await openForCommand(path, { create: false });
    const writes = Array.from({ length: 200 }, (_, i) =>
      store.animals.create({ name: `${i}`.padEnd(250, "x"), categoryId: BigInt(i), status: "available" }),
    );
    await command.keys.create({ ...SIGNED, key: keyOf(), digest: `${round}` });
    let isOver = false;
    const looking = (async () => {
      for (; !isOver; await Bun.sleep(0)) {
        expect(contents.isOverwritten()).toBe(false);
        store.check();
      }
    })();
    await Promise.all(writes);
    isOver = true;
    await looking;
    await command.close();
  }
  await store.close();
});

const REX = { name: "Rex", categoryId: 1n, status: "available" } as const;

test("nor does a file with an empty log and the journal of the transaction before it, as a power cut may leave them", async () => {
  const other = await newStore();
  const served = await openForServing(other.path);
  await served.animals.create(REX);
  const headOfLog = readFileSync(`${other.path}-wal`).subarray(0, 32);
  await served.close();
  for (const log of [headOfLog, ""]) {
    const path = join(temporaryFolder(), "store.db");
    await backupSqlite(other.path, path);
    writeFileSync(`${path}-wal`, log);
    writeFileSync(`${path}-journal`, "");
    const store = await openForServing(path);
    await store.animals.create(REX);
    store.check();
    await store.close();
  }
});
