import type { Database } from "bun:sqlite";
import { closeNow, closeWithoutCheckpoint } from "../file/close.ts";
import { type LockTimeouts, openForWriting } from "../file/database.ts";
import { type DatabaseFiles, FileWatch, refuse, whyMoved } from "../file/identity.ts";
import { asUnavailable, isSyncFailure, reasonOf } from "../sql/attempt.ts";
import { setBusyTimeout } from "../sql/pragmas.ts";
import type { Write } from "../tables/write.ts";
import { raiseBeforeCheckpoint } from "../wal/generation.ts";
import { followCheckpoints, walIndexAt } from "../wal/index.ts";
import { rewriteLog } from "../wal/rewrite-log.ts";
import { type CommitNote, noteCommits } from "../wal/version.ts";
import { checkpointsOf } from "./checkpoints.ts";
import { type GroupCommitParts, groupCommit, type Locked, sameForAll, type WriteOutcomes } from "./group-commit.ts";

/** The memory in which the thread notes the effects of its commits, and the WAL index from which it derives them. */
export interface NoteTarget {
  readonly walIndexAddress: number;
  readonly note: CommitNote;
}

/** The database that the thread opens. */
export interface WriterSettings {
  readonly files: DatabaseFiles;
  readonly timeouts: LockTimeouts;
  readonly noteTarget: NoteTarget | undefined;
  /** False if a sync has failed under an earlier writer, and the database was not opened again since. */
  readonly isTrusted: boolean;
}

type Open = ReturnType<typeof openNow>;

/** The recovery after a failed sync, as the connection knows it. */
interface Trust {
  /** Why nothing may be acknowledged; undefined while all is well. */
  distrust(): string | undefined;
  onSyncFailure(reason: string): void;
}

/** The connection that writes. */
export class WriterConnection {
  #open: Open | undefined;
  #wasReplaced = false;

  constructor(
    private readonly settings: WriterSettings,
    private readonly trust: Trust,
  ) {}

  /** Opens the database unless it is open. Throws when that fails, and the next call tries again. */
  open(deadlineMs = performance.now() + this.settings.timeouts.writeMs): Open {
    this.#open ??= openNow(this.settings, this.trust, deadlineMs);
    return this.#open;
  }

  write(writes: readonly Write[], deadlineMs: number): WriteOutcomes | Locked {
    const refusal = this.#refusal();
    if (refusal !== undefined) return allUnavailable(writes, refusal, "nothing");
    let open: Open;
    try {
      open = this.open(deadlineMs);
    } catch (error) {
      return allUnavailable(writes, reasonOf(error), "nothing");
    }
    const outcomes = open.writeTogether(writes, deadlineMs);
    const reason = open.watch.whyReplacedAfterCommit();
    this.#wasReplaced = reason !== undefined;
    return reason === undefined ? outcomes : allUnavailable(writes, reason, "unknown");
  }

  /** Throws when a checkpoint was due and failed. */
  checkpointIfDue(writes: number): void {
    const checkpoints = this.#open?.checkpoints;
    if (checkpoints && this.#isTrusted) this.#checkpoint(() => checkpoints.afterCommit(writes));
  }

  /** Writes all of the log to disk again, so that the connections can be closed. Throws when that fails. */
  secureLog(): void {
    refuse(whyMoved(this.settings.files));
    rewriteLog(this.open().db, this.settings.files.log.path);
  }

  /**
   * Opens the database again, while nobody else has it open. The log is then the only thing that counts, and all of it
   * will be written to the database file once more, whatever was written before. Throws when that fails.
   */
  reopen(): void {
    const { path } = this.settings.files.database;
    if (this.#open && !closeWithoutCheckpoint(path, this.#open.db))
      throw new Error(`${path} cannot be opened to close it without a checkpoint`);
    this.#open = undefined;
    const { writeMs } = this.settings.timeouts;
    this.#open = openNow(this.settings, this.trust, performance.now() + writeMs);
    if (this.#open.checkpoints.progress().checkpointed > 0)
      throw new Error("another process has the database open: end it, so that the log can be read from its beginning");
  }

  /** Checks the database that was opened again. Throws when it must not be trusted. */
  check(): void {
    const { db, checkpoints } = this.open();
    const [problem] = db.query("PRAGMA quick_check(1)").values()[0] as [string];
    if (problem !== "ok") throw new Error(`the database is damaged: ${problem}. Restore a backup`);
    try {
      checkpoints.run();
    } catch (error) {
      // Any other failure does no harm: the log is whole, and the next checkpoint begins where this one did.
      if (isSyncFailure(error)) throw asUnavailable(error);
    }
  }

  /** Throws when the last checkpoint failed. */
  close(): void {
    const open = this.#open;
    if (!open) return;
    try {
      if (this.#isTrusted) this.#checkpoint(open.checkpoints.run);
    } finally {
      if (this.#isTrusted && open.watch.whyOverwritten() === undefined) closeNow(open.db);
      else closeWithoutCheckpoint(this.settings.files.database.path, open.db);
    }
  }

  get #isTrusted(): boolean {
    return this.trust.distrust() === undefined;
  }

  #checkpoint(run: () => void): void {
    try {
      run();
    } catch (error) {
      if (isSyncFailure(error)) this.trust.onSyncFailure(reasonOf(asUnavailable(error)));
      throw asUnavailable(error);
    }
  }

  #refusal(): string | undefined {
    const distrust = this.trust.distrust();
    if (distrust !== undefined) return `the database has to be opened again first, because of ${distrust}`;
    return this.#wasReplaced ? this.#open?.watch.whyReplaced() : undefined;
  }
}

function openNow(settings: WriterSettings, trust: Trust, deadlineMs: number) {
  const { files, timeouts, noteTarget } = settings;
  refuse(whyMoved(files));
  const waitMs = Math.min(Math.max(0, Math.ceil(deadlineMs - performance.now())), timeouts.writeMs);
  using onFailure = new DisposableStack();
  const db = openForWriting(files.database.path, { ...timeouts, openMs: waitMs, writeMs: waitMs });
  onFailure.use(db);
  // The process that left this log behind, or a command that has written to it since it was secured, may have seen a
  // sync fail: SQLite takes the pages of such a commit from the log all the same when it is opened anew.
  if (Bun.file(files.log.path).size > 0) rewriteLog(db, files.log.path);
  setBusyTimeout(db, 0);
  const watch = new FileWatch(files);
  const onSyncFailure = (error: unknown) => trust.onSyncFailure(reasonOf(error));
  const following = followLog(db, noteTarget);
  const writeTogether = groupCommit(db, { ...following, onSyncFailure });
  const checkpoints = checkpointsOf(db, () => {
    refuse(watch.whyOverwritten());
    return raiseBeforeCheckpoint(db, following.noteCommit);
  });
  onFailure.move();
  return { db, writeTogether, checkpoints, watch };
}

/** Follows the head of the WAL index for the writer, where it can be mapped. */
function followLog(db: Database, target: NoteTarget | undefined): Omit<GroupCommitParts, "onSyncFailure"> {
  if (!target) return { noteCommit: (_, transaction) => transaction() };
  const head = walIndexAt(target.walIndexAddress);
  return { noteCommit: noteCommits(head, target.note, db), wasCheckpointed: followCheckpoints(head) };
}

const allUnavailable = (writes: readonly Write[], message: string, changed: "nothing" | "unknown"): WriteOutcomes =>
  sameForAll(writes, { kind: "unavailable", message, changed });
