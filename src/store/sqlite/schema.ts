import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { OperatorError } from "../../base/operator-error.ts";
import { SQLITE_MIGRATIONS } from "../migrations/sqlite/index.ts";
import { type Migrated, schemaState, workDue } from "../schema/migrate.ts";
import { absolutePath } from "../urls/database-url.ts";
import { LOCK_TIMEOUTS, openLocked, preparePath, refuseForeign } from "./file/database.ts";
import { refuseUnusable } from "./file/file-access.ts";
import { realPathOf } from "./file/real-path.ts";
import { AlreadyServed } from "./file/serving-lock.ts";
import { appliedMigrations } from "./migration/target.ts";
import { reasonOf } from "./sql/attempt.ts";
import { setBusyTimeout } from "./sql/pragmas.ts";

/** Returns the migrations that a database file needs, which need not exist. Changes nothing. Fails with an OperatorError. */
export async function inspectFile(givenPath: string, { openMs } = LOCK_TIMEOUTS): Promise<Migrated> {
  const realPath = realPathOf(givenPath);
  refuseUnusable(realPath);
  if (!existsSync(realPath)) return workDue({ kind: "empty" }, SQLITE_MIGRATIONS);
  const path = await preparePath(givenPath, { create: false });
  let db: Database | undefined;
  try {
    db = new Database(path, { readonly: true, safeIntegers: true, strict: true });
    setBusyTimeout(db, openMs);
    refuseForeign(db, path);
    return workDue(schemaState(appliedMigrations(db), SQLITE_MIGRATIONS), SQLITE_MIGRATIONS);
  } catch (error) {
    if (error instanceof OperatorError) throw error.of(absolutePath(path));
    refuseUnusable(path, "write");
    throw new OperatorError(`cannot open the database ${absolutePath(path)}: ${reasonOf(error)}`);
  } finally {
    db?.close();
  }
}

/**
 * Brings a database file up to date, or makes one. Returns what there was to do. Fails with an OperatorError, also when
 * a service serves the file and it is not up to date.
 */
export async function migrateFile(givenPath: string, timeouts = LOCK_TIMEOUTS): Promise<Migrated> {
  const path = await preparePath(givenPath, { create: true });
  const due = await inspectFile(path, timeouts);
  const deadlineMs = performance.now() + timeouts.openMs;
  for (let left = due; left.migrations.length > 0; left = await inspectFile(path, timeouts)) {
    try {
      const { db, unlock } = await openLocked(path, timeouts);
      db.close();
      unlock();
    } catch (error) {
      // Another process may be migrating it, too.
      if (!(error instanceof AlreadyServed)) throw error;
      if (performance.now() >= deadlineMs) throw new AlreadyServed(path, "migrate or start the new version");
    }
  }
  return due;
}
