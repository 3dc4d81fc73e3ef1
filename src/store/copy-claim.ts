import type { Database } from "bun:sqlite";
import { OperatorError } from "../domain/operator-error.ts";
import type { Connection, Session } from "./postgres/connection.ts";
import { type Row, STORE_ID, selectFact, TABLES, upsertFact } from "./rows.ts";
import { raiseGeneration } from "./sqlite/generation.ts";

/** The target must be empty, or hold an unfinished copy of this same source. */
export async function claimTarget(db: Database, target: Session): Promise<void> {
  const { value: source } = db.query(selectFact("?")).get(STORE_ID) as { value: string };
  await refuseUsedTarget(target);
  await target.run("CREATE TABLE IF NOT EXISTS copies (source text PRIMARY KEY, finished_at bigint)");
  const [earlier] = await target.run<Row>("SELECT source, finished_at FROM copies");
  if (earlier?.finished_at)
    throw new OperatorError(
      "a copy into this database has already been completed: serve from it, or use an empty database",
    );
  if (earlier?.source === source || (earlier && isOfEarlierRelease(db, String(earlier.source)))) return;
  if (earlier || (await hasRows(target))) throw new OperatorError("the target database is not empty: use a new one");
  await target.run("INSERT INTO copies (source) VALUES ($1)", [source]);
}

/** Gives a source an id, which stays the same whatever is deleted from it. */
export function identify(db: Database): void {
  db.transaction(() => {
    if (db.query(selectFact("?")).get(STORE_ID)) return;
    raiseGeneration(db);
    db.query(upsertFact(() => "?")).run(STORE_ID, crypto.randomUUID());
  }).immediate();
}

/** Until 1.1.0, a source was known by when it was created, and by its oldest key: keys could not be deleted. */
function isOfEarlierRelease(db: Database, source: string): boolean {
  const created = db.query("SELECT applied_at, digest FROM migrations WHERE number = 1").get() as Row;
  const [appliedAt, digest, keyId = ""] = source.split(" ");
  if (appliedAt !== String(created.applied_at) || digest !== created.digest) return false;
  return keyId === "" || db.query("SELECT 1 FROM keys WHERE id = ?").get(keyId) !== null;
}

async function hasRows(target: Connection): Promise<boolean> {
  const rows = await target.run(TABLES.map(({ name }) => `(SELECT 1 FROM ${name} LIMIT 1)`).join(" UNION ALL "));
  return rows.length > 0;
}

/** A service that has the target open already would not notice that a copy has begun. */
async function refuseUsedTarget(target: Session): Promise<void> {
  for (let look = 1; await isUsed(target); look++) {
    if (look === LOOKS_AT_USERS)
      throw new OperatorError("a service or another command is using the target database: stop it first");
    await Bun.sleep(LOOK_INTERVAL_MS);
  }
}

/** The server takes a moment to notice that a session has ended, also the one that has just created the schema. */
const LOOKS_AT_USERS = 10;
const LOOK_INTERVAL_MS = 100;

async function isUsed(target: Session): Promise<boolean> {
  const [others] = await target.run<{ count: bigint }>(`SELECT count(*) AS count FROM pg_stat_activity
    WHERE datname = current_database() AND application_name LIKE 'animal-store%' AND application_name <> 'animal-store doctor' AND pid <> pg_backend_pid()`);
  return others !== undefined && others.count > 0n;
}
