import { existsSync } from "node:fs";
import { SQLITE_MIGRATIONS } from "../migrations/sqlite/index.ts";
import { MIGRATES, type Migrated, schemaState, workDue } from "../schema/migrate.ts";
import {
  LOCK_TIMEOUTS,
  openingFailure,
  openLocked,
  openReadOnly,
  preparePath,
  refuseForeign,
} from "./file/database.ts";
import { refuseUnusable } from "./file/file-access.ts";
import { closeOfCommand } from "./file/left-log.ts";
import { realPathOf } from "./file/real-path.ts";
import { AlreadyServed } from "./file/serving-lock.ts";
import { appliedMigrations } from "./schema/migration-target.ts";

/** Returns the migrations that a database file needs, which need not exist. Changes nothing. Fails with an OperatorError. */
export async function inspectFile(givenPath: string, { openMs } = LOCK_TIMEOUTS): Promise<Migrated> {
  const realPath = realPathOf(givenPath);
  refuseUnusable(realPath);
  if (!existsSync(realPath)) return workDue({ kind: "empty" }, SQLITE_MIGRATIONS);
  const path = await preparePath(givenPath, { create: false });
  try {
    using db = openReadOnly(path, openMs);
    refuseForeign(db, path);
    return workDue(schemaState(appliedMigrations(db), SQLITE_MIGRATIONS), SQLITE_MIGRATIONS);
  } catch (error) {
    throw openingFailure(path, error);
  }
}

/**
 * Brings a database file up to date, or makes one. Returns what there was to do. Fails with an OperatorError, also when
 * a service serves the file and it is not up to date.
 */
export async function migrateFile(givenPath: string, timeouts = LOCK_TIMEOUTS): Promise<Migrated> {
  const due = await inspectFile(givenPath, timeouts);
  const deadlineMs = performance.now() + timeouts.openMs;
  for (let left = due; left.migrations.length > 0; left = await inspectFile(givenPath, timeouts)) {
    try {
      const { db, unlock } = await openLocked(givenPath, MIGRATES, timeouts, "migrate or start the new version");
      unlock();
      closeOfCommand(db);
    } catch (error) {
      // Another process may be migrating it, too.
      if (!(error instanceof AlreadyServed) || performance.now() >= deadlineMs) throw error;
    }
  }
  return due;
}
