import { statSync } from "node:fs";
import { dirname } from "node:path";
import { OperatorError } from "../../../base/operator-error.ts";
import { actAsRoot, actingAs, isRoot, type SystemUser } from "../../../base/system/acting-user.ts";
import { userName } from "../../../base/system/system-user.ts";
import { SupervisedWorker } from "../../../base/worker/supervised-worker.ts";
import { beginFile, type PartialFile } from "../../files/partial-file.ts";
import { preparePath } from "../file/database.ts";
import { reasonOf } from "../sql/attempt.ts";
import type { BackupMethods, BackupRequest } from "./backup-thread.ts";

const BACKUP_THREAD = new URL("./backup-thread.ts", import.meta.url).href;
const REPORT_INTERVAL_MS = 100;

export interface CopyingOptions {
  /** Receives the number of bytes copied so far, and of all. */
  readonly onCopied?: ((done: number, total: number) => void) | undefined;
  /** Aborts the copy, which then fails with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Writes a consistent copy of a database into a new file that only its owner can read, whether a service runs or not.
 * When this resolves, the copy has been checked and is on disk; under its name there is never anything else. The
 * schema is copied as it is, so the version that created the database can use the copy. Fails with an OperatorError.
 */
export async function backupSqlite(givenPath: string, file: string, options: CopyingOptions = {}): Promise<void> {
  using partial = await copyDatabase(givenPath, file, options);
  partial.publish();
}

/** Returns the checked copy before it has its name. */
export async function copyDatabase(givenPath: string, file: string, options: CopyingOptions): Promise<PartialFile> {
  const path = await preparePath(givenPath, { create: false });
  const owner = ownerToActAs(dirname(file));
  const partial = actingAs(owner, () => beginFile(file));
  try {
    await copyInto(partial, { path, isReadOnly: false, owner }, options);
    return partial;
  } catch (error) {
    if (options.signal?.aborted) throw options.signal.reason;
    throw new OperatorError(`cannot back up ${givenPath} to ${file}: ${explain(error, dirname(file))}`);
  } finally {
    if (owner) actAsRoot();
  }
}

/**
 * Returns the owner of a folder that root writes to, if that is somebody else: they could put a link in the place of
 * the unfinished file, which SQLite follows. Fails with an OperatorError.
 */
function ownerToActAs(folder: string): SystemUser | undefined {
  const owner = isRoot() ? statSync(folder, { throwIfNoEntry: false }) : undefined;
  return owner && owner.uid !== 0 ? refuseUnableToActAs({ uid: owner.uid, gid: owner.gid }) : undefined;
}

/** Returns the user. Fails with an OperatorError, as in a container whose root may not change users. */
export function refuseUnableToActAs({ uid, gid }: SystemUser): SystemUser {
  try {
    return actingAs({ uid, gid }, () => ({ uid, gid }));
  } catch (error) {
    throw new OperatorError(`root cannot act as ${nameOfUser(uid)} here (${reasonOf(error)}): run this as that user`);
  }
}

export const nameOfUser = (uid: number): string => userName(uid) ?? `user ${uid}`;

function explain(error: unknown, folder: string): string {
  const reason = reasonOf(error);
  return /disk is full/.test(reason) ? `${reason}. Free some space in ${folder}: older backups are kept` : reason;
}

/**
 * Makes the copy and checks it. A copy that fails or is interrupted leaves nothing behind; nor does the end of the
 * process when its terminal is closed.
 */
export async function copyInto(
  partial: PartialFile,
  source: Omit<BackupRequest, "partial">,
  { onCopied = () => {}, signal }: CopyingOptions,
): Promise<void> {
  const total = Bun.file(source.path).size + Bun.file(`${source.path}-wal`).size;
  const report = () => onCopied(Math.min(total, Bun.file(partial.path).size), total);
  const reporting = setInterval(report, REPORT_INTERVAL_MS);
  const onHangup = (hangup: NodeJS.Signals): void => {
    partial.remove();
    process.off("SIGHUP", onHangup);
    process.kill(process.pid, hangup);
  };
  process.on("SIGHUP", onHangup);
  try {
    signal?.throwIfAborted();
    await copyInThread({ ...source, partial: partial.path }, signal);
  } catch (error) {
    partial.remove();
    throw error;
  } finally {
    clearInterval(reporting);
    process.off("SIGHUP", onHangup);
  }
}

/** Runs in a thread, because SQLite blocks until it is done, and signals must be handled meanwhile. */
async function copyInThread(request: BackupRequest, signal: AbortSignal | undefined): Promise<void> {
  const thread = new SupervisedWorker<undefined, BackupMethods, Record<never, never>>({
    script: BACKUP_THREAD,
    name: "backup",
    data: undefined,
    handlers: {},
    onDeath: () => {},
  });
  const aborted = new Promise<never>((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  try {
    await Promise.race([thread.remote.call("copy", request), aborted]);
  } finally {
    await thread.end(0);
  }
}
