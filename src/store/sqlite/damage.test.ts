import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { copyFileSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../test/harness/folder.ts";
import { SIGNED } from "../../../test/harness/rows/author.ts";
import { DAMAGES, damageFile, sequence } from "../../../test/harness/rows/damage.ts";
import { OperatorError } from "../../base/operator-error.ts";
import { runChecks } from "../../domain/checkup/checkup.ts";
import { newKey } from "../../domain/keys/key.ts";
import { checkSqlite } from "./checkup.ts";
import { openLocked } from "./file/database.ts";
import { openForCommand } from "./store.ts";

const folder = temporaryFolder();

/** A store with something in every table, stopped cleanly. */
async function makeStore(name: string, animals: number): Promise<string> {
  const path = join(folder, name);
  const store = await openForCommand(path, { create: true });
  const quotas = { perMinute: 1, perDay: 1 };
  for (let i = 0; i < 20; i++) {
    const id = `key_${String(i).padStart(12, "0")}`;
    const key = newKey({ name: `key ${i}`, plan: "free", quotas, createdAtMs: 1, expiresAtMs: undefined });
    await store.keys.create({ ...SIGNED, key: { ...key, id }, digest: String(i).padStart(64, "0") });
    const fields = { name: `first ${i}`, categoryId: BigInt(i), status: "available" as const };
    await store.animals.create(fields, { keyId: id, value: `v${i}`, fingerprint: "f", nowMs: i });
    await store.orders.place({ animalId: BigInt(i + 1), nowMs: i + 1 });
  }
  await store.close();
  const db = new Database(path);
  db.run(`INSERT INTO animals (name, category_id, status) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${animals})
    SELECT 'Animal ' || i, i % 100, CASE i % 3 WHEN 0 THEN 'sold' WHEN 1 THEN 'available' ELSE 'pending' END FROM n`);
  db.run("PRAGMA wal_checkpoint(TRUNCATE)");
  copyFileSync(path, `${path}.clean`);
  return `${path}.clean`;
}

const small = await makeStore("small.db", 100);
const large = await makeStore("large.db", 20_000);

/** A copy that nothing has opened yet: a connection that is gone may have left its mark on another. */
function copied(path: string): string {
  const copy = join(temporaryFolder(), "copy.db");
  copyFileSync(path, copy);
  return copy;
}

async function refusalToStart(original: string): Promise<string | undefined> {
  try {
    const { db, unlock } = await openLocked(copied(original));
    db.close();
    unlock();
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(OperatorError);
    return (error as Error).message;
  }
}

async function problemsIn(path: string): Promise<string[]> {
  const checkup = checkSqlite(copied(path), []);
  const problems: string[] = [];
  for await (const { name, finding } of runChecks(checkup.checks))
    if (finding.kind === "problem" && name !== "file permissions") problems.push(`${name}: ${finding.detail}`);
  await checkup.close();
  return problems;
}

/** Every answer that the store could give, by table and by index; a text that says so if one cannot be given. */
function answersOf(path: string): string {
  const db = new Database(copied(path), { readonly: true });
  try {
    return ["animals", "orders", "keys", "secrets", "saved_responses"]
      .flatMap((table) => [`SELECT * FROM ${table}`, `SELECT count(*) FROM ${table}`])
      .concat(
        "SELECT * FROM animals WHERE status IN ('available', 'pending', 'sold') ORDER BY status, id",
        "SELECT * FROM animals INDEXED BY animals_by_category WHERE category_id < 1000 ORDER BY category_id, status, id",
        "SELECT * FROM orders INDEXED BY orders_by_status WHERE status = 'placed'",
      )
      .map((sql) => JSON.stringify(db.query(sql).all()))
      .join("\n");
  } catch (error) {
    return `broken: ${(error as Error).message}`;
  } finally {
    db.close();
  }
}

/** Counts how much of the damage at random places is noticed. */
async function tally(original: string, kind: string, rounds: number) {
  const random = sequence(rounds + kind.length);
  const path = join(folder, "damaged.db");
  const right = answersOf(original);
  const counts = { broken: 0, atStart: 0, byDoctor: 0, wrong: 0, wrongUnnoticed: 0 };
  for (let round = 0; round < rounds; round++) {
    if (!damageFile(original, path, kind, random)) continue;
    const answers = answersOf(path);
    const problems = await problemsIn(path);
    const refusal = await refusalToStart(path);
    if (answers === right && problems.length === 0 && refusal === undefined) continue;
    counts.broken++;
    if (refusal !== undefined) counts.atStart++;
    if (problems.length > 0) counts.byDoctor++;
    if (answers === right) continue;
    counts.wrong++;
    if (problems.length === 0) counts.wrongUnnoticed++;
  }
  return counts;
}

test("an intact file starts, and doctor finds nothing", async () => {
  for (const path of [small, large]) {
    expect(await refusalToStart(path)).toBeUndefined();
    expect(await problemsIn(path)).toEqual([]);
  }
});

/** The pages of a table or an index. */
const pagesOf = (db: Database, name: string): number[] =>
  (db.query("SELECT pageno FROM dbstat WHERE name = ?").all(name) as { pageno: number }[]).map(({ pageno }) => pageno);

/** Inside a name, for one, no check can tell a wrong letter from a right one. */
const UNDETECTABLE = "a flipped bit";

test.each(Object.keys(DAMAGES).filter((kind) => kind !== UNDETECTABLE))(
  "doctor finds whatever gives a wrong answer, and a start most of it in a small file: %s",
  async (kind) => {
    const inSmall = await tally(small, kind, 15);
    expect([inSmall.wrongUnnoticed, inSmall.broken > 2]).toEqual([0, true]);
    expect(inSmall.atStart).toBeGreaterThanOrEqual(inSmall.byDoctor * 0.8);
    const inLarge = await tally(large, kind, 5);
    expect([inLarge.wrongUnnoticed, inLarge.broken > 2]).toEqual([0, true]);
    if (kind === "a missing end") expect(inLarge.atStart).toBe(inLarge.broken);
  },
);

test("a start finds an index that has lost an end of its table, or the other way round, in a large file", async () => {
  for (const change of [
    "DELETE FROM animals WHERE id = (SELECT id FROM animals ORDER BY category_id DESC, status DESC, id DESC LIMIT 1)",
    "UPDATE animals SET status = 'sold' WHERE id = (SELECT min(id) FROM animals)",
    "INSERT INTO animals (name, category_id, status) VALUES ('late', 5, 'pending')",
  ]) {
    const path = copied(large);
    const db = new Database(path);
    db.run(change);
    db.run("PRAGMA wal_checkpoint(TRUNCATE)");
    const after = readFileSync(path);
    const stale = readFileSync(large);
    // All pages of the index as they were: it no longer knows what has changed.
    for (const page of pagesOf(db, "animals_by_category"))
      stale.copy(after, (page - 1) * 4096, (page - 1) * 4096, page * 4096);
    const damaged = join(temporaryFolder(), "stale.db");
    writeFileSync(damaged, after);
    expect(await refusalToStart(damaged)).toContain("the index animals_by_category does not match the table animals");
  }
});

test("what a start finds is one line that says what to do", async () => {
  const path = join(folder, "short.db");
  copyFileSync(large, path);
  truncateSync(path, 100 * 4096);
  expect(await refusalToStart(path)).toMatch(/copy\.db: the database file is damaged \(.+\)$/);
  const bytes = readFileSync(large);
  // Also in what is left of the definition before a column was added.
  const before = "CHECK (status IN ('";
  const next = (from: number) => bytes.indexOf(`${before}available'`, from);
  for (let at = next(0); at >= 0; at = next(at)) bytes[at + before.length] = "A".charCodeAt(0);
  writeFileSync(path, bytes);
  expect(await refusalToStart(path)).toContain("the definition of animals has changed");
});
