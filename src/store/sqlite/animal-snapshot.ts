import type { Database } from "bun:sqlite";
import type { AnimalSnapshot } from "../ports/store.ts";
import { CHANGES_NO_SCHEMA } from "../schema/migrate.ts";
import { snapshotReads } from "../sql/tables/snapshot.ts";
import { closeNow } from "./file/close.ts";
import { openForWriting, openShared } from "./file/database.ts";
import { attempt } from "./sql/attempt.ts";
import { SQLITE } from "./sql/dialect.ts";
import { worker } from "./tables/work.ts";

/** Opens a snapshot of the animals in a file, whether a service runs on it or not. Fails with an OperatorError. */
export const openAnimalSnapshot = async (givenPath: string): Promise<AnimalSnapshot> =>
  snapshotIn(await openShared(givenPath, CHANGES_NO_SCHEMA));

/**
 * Opens a snapshot in the process that serves the file. The log is not checked again: each check would leave a
 * descriptor open for as long as the process runs.
 */
export const openServedSnapshot = async (path: string): Promise<AnimalSnapshot> =>
  attempt(() => snapshotIn(openForWriting(path)));

function snapshotIn(db: Database): AnimalSnapshot {
  try {
    db.run("PRAGMA query_only = ON");
    db.run("BEGIN");
    // The first read fixes the moment of the snapshot.
    db.query("SELECT 1 FROM animals LIMIT 1").get();
  } catch (error) {
    closeNow(db);
    throw error;
  }
  const perform = worker(db);
  return {
    ...snapshotReads(SQLITE, (work) => attempt(() => perform(work))),
    close: () => closeNow(db),
  };
}
