import type { Database } from "bun:sqlite";
import type { AnimalSnapshot } from "../ports/store.ts";
import { CHANGES_NO_SCHEMA } from "../schema/migrate.ts";
import { snapshotReads } from "../sql/tables/snapshot.ts";
import { closeWithoutCheckpoint } from "./file/close.ts";
import { openForWriting, openShared } from "./file/database.ts";
import { attempt } from "./sql/attempt.ts";
import { SQLITE } from "./sql/dialect.ts";
import { performer } from "./sql/work.ts";

/** Opens a snapshot of the animals in a file, whether a service runs on it or not. Fails with an OperatorError. */
export const openAnimalSnapshot = async (givenPath: string): Promise<AnimalSnapshot> =>
  snapshotIn(await openShared(givenPath, CHANGES_NO_SCHEMA));

/**
 * Opens a snapshot in the process that serves the file. The log is not checked again: each check would leave a
 * descriptor open for as long as the process runs.
 */
export const openServedSnapshot = async (path: string): Promise<AnimalSnapshot> =>
  attempt(() => snapshotIn(openForWriting(path)));

/** From here on a connection only reads, and shows this moment. If that fails, it is closed. */
export function beginSnapshot(db: Database): Database {
  using onFailure = new DisposableStack();
  onFailure.use(db);
  db.run("PRAGMA query_only = ON");
  db.run("BEGIN");
  // The first read fixes the moment.
  db.query("SELECT 1 FROM animals LIMIT 1").get();
  onFailure.move();
  return db;
}

function snapshotIn(opened: Database): AnimalSnapshot {
  const db = beginSnapshot(opened);
  const perform = performer(db);
  return {
    ...snapshotReads(SQLITE, (work) => attempt(() => perform(work))),
    close: () => void closeWithoutCheckpoint(db.filename, db),
  };
}
