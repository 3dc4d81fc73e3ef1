import { actAs, type SystemUser } from "../../../base/system/acting-user.ts";
import { runThread } from "../../../base/worker/thread.ts";
import { closeWithoutCheckpoint } from "../file/close.ts";
import { failedCheck } from "../file/damage.ts";
import { refuseMoved } from "../file/moved.ts";
import { connect } from "../sql/connect.ts";
import { COMMAND_TIMEOUT_MS, keepLogFile, setBusyTimeout } from "../sql/pragmas.ts";
import { beginGeneration } from "../wal/generation.ts";

// The thread that makes a backup.

export interface BackupRequest {
  readonly path: string;
  /** An empty file, which becomes the copy. */
  readonly partial: string;
  /** True for a file that is not in use, and may be on a read-only disk. */
  readonly isReadOnly: boolean;
  /** The user whom root acts as from the moment when the file is open. */
  readonly owner?: SystemUser | undefined;
}

export type BackupMethods = {
  /** Returns when the copy is complete, and nothing is wrong with it. */
  copy(request: BackupRequest): void;
};

runThread<undefined, BackupMethods, Record<never, never>>(() => ({
  copy(request) {
    copy(request);
    check(request.partial);
  },
  async close() {},
}));

function copy({ path, partial, isReadOnly, owner }: BackupRequest): void {
  using onEnd = new DisposableStack();
  const db = connect(path, isReadOnly ? { readonly: true } : { readwrite: true });
  onEnd.defer(() => closeWithoutCheckpoint(path, db));
  setBusyTimeout(db, COMMAND_TIMEOUT_MS);
  if (!isReadOnly) keepLogFile(db);
  refuseMoved(db, path);
  if (owner) {
    // The first read opens the log, which only root may be able to.
    db.query("SELECT 1 FROM sqlite_schema").get();
    actAs(owner);
  }
  db.run("VACUUM INTO ?", [partial]);
}

/** A second per million animals, which is more than the copy takes, so that no copy turns out to be broken when it is needed. */
function check(partial: string): void {
  using db = connect(partial, { readwrite: true });
  const damage = failedCheck(db, 1, "quick_check");
  if (damage !== undefined)
    throw new Error(`the copy is damaged (${damage}): the database is probably damaged, too, so check it`);
  // A new generation makes it a store of its own, to which the original's log does not belong. No journal is needed
  // for a file that is deleted if this fails, and whose name and contents are synced afterwards.
  db.run("PRAGMA journal_mode = OFF");
  db.run("PRAGMA synchronous = OFF");
  beginGeneration(db);
}
