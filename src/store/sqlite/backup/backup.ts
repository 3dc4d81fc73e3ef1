import { dirname } from "node:path";
import { OperatorError } from "../../../base/operator-error.ts";
import { SupervisedWorker } from "../../../base/worker/supervised-worker.ts";
import { beginFile, type PartialFile } from "../../files/partial-file.ts";
import { preparePath } from "../file/database.ts";
import { reasonOf } from "../sql/attempt.ts";
import type { BackupMethods, BackupRequest } from "./backup-thread.ts";

const BACKUP_THREAD = new URL("./backup-thread.ts", import.meta.url).href;
const REPORT_INTERVAL_MS = 100;

/** Receives the number of bytes copied so far, and of all. */
export type OnCopied = (done: number, total: number) => void;

export interface CopyingOptions {
  readonly onCopied?: OnCopied | undefined;
  /** Aborts the copy, which then fails with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Writes a consistent copy of a database into a new file that only its owner can read, whether a service runs or not.
 * When this resolves, the copy has been checked and is on disk; under its name there is never anything else. The
 * schema is copied as it is, so the version that created the database can use the copy. Fails with an OperatorError.
 */
export async function backupSqlite(givenPath: string, file: string, options: CopyingOptions = {}): Promise<void> {
  const partial = await copyDatabase(givenPath, file, options);
  publishOrRemove(partial, () => partial.publish());
}

/** Returns the checked copy before it has its name: to be published or removed. */
export async function copyDatabase(givenPath: string, file: string, options: CopyingOptions): Promise<PartialFile> {
  const path = await preparePath(givenPath, { create: false });
  const partial = beginFile(file);
  try {
    await copyIntoPartial({ path, partial: partial.path, isReadOnly: false }, partial.remove, options);
    return partial;
  } catch (error) {
    if (options.signal?.aborted) throw options.signal.reason;
    throw new OperatorError(`cannot back up ${givenPath} to ${file}: ${explain(error, dirname(file))}`);
  }
}

function explain(error: unknown, folder: string): string {
  const reason = reasonOf(error);
  return /disk is full/.test(reason) ? `${reason}. Free some space in ${folder}: older backups are kept` : reason;
}

/** Removes a copy that does not get its name. */
export function publishOrRemove<T>(partial: PartialFile, publish: () => T): T {
  try {
    return publish();
  } catch (error) {
    partial.remove();
    throw error;
  }
}

/** Makes the copy and checks it. A copy that fails or is interrupted leaves nothing behind. */
export async function copyIntoPartial(
  request: BackupRequest,
  remove: () => void,
  { onCopied = () => {}, signal }: CopyingOptions,
): Promise<void> {
  const total = Bun.file(request.path).size + Bun.file(`${request.path}-wal`).size;
  const report = () => onCopied(Math.min(total, Bun.file(request.partial).size), total);
  const reporting = setInterval(report, REPORT_INTERVAL_MS);
  try {
    signal?.throwIfAborted();
    await removedOnHangup(remove, () => copyInThread(request, signal));
  } catch (error) {
    remove();
    throw error;
  } finally {
    clearInterval(reporting);
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

/** Closing the terminal ends the process, and nothing is left behind. */
async function removedOnHangup(remove: () => void, work: () => Promise<void>): Promise<void> {
  const onHangup = (signal: NodeJS.Signals): void => {
    remove();
    process.off("SIGHUP", onHangup);
    process.kill(process.pid, signal);
  };
  process.on("SIGHUP", onHangup);
  try {
    await work();
  } finally {
    process.off("SIGHUP", onHangup);
  }
}
