import {
  closeSync,
  existsSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { OperatorError } from "../../domain/operator-error.ts";
import { OWNER_ONLY, syncFile, syncFolder } from "../files.ts";
import { reasonOf } from "./attempt.ts";
import type { BackupOutcome, BackupRequest } from "./backup-thread.ts";
import { preparePath } from "./database.ts";

/** A copy that is not finished, beside where it is to be: hidden, and with the id of the process that makes it. */
const PARTIAL = /^\..+\.(\d+)-[0-9a-f]+\.partial(-journal)?$/;
const partialOf = (file: string): string =>
  join(dirname(file), `.${basename(file)}.${process.pid}-${crypto.randomUUID().slice(0, 8)}.partial`);

const BACKUP_THREAD = new URL("./backup-thread.ts", import.meta.url).href;
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Writes a consistent copy of a database into a new file that only its owner can read, whether a service runs or not.
 * When this resolves, the copy has been checked and is on disk; under its name there is never anything else. The
 * schema is copied as it is, so the version that created the database can use the copy. Fails with an OperatorError.
 */
export async function backupSqlite(givenPath: string, file: string): Promise<void> {
  if (existsSync(file)) throw alreadyExists(file);
  const path = await preparePath(givenPath, { create: false });
  const partial = partialOf(file);
  try {
    removeAbandoned(dirname(file));
    closeSync(openSync(partial, "wx", OWNER_ONLY));
  } catch (error) {
    throw new OperatorError(`cannot back up to ${file}: ${explain(error, dirname(file))}`);
  }
  try {
    await removedOnSignal(partial, () => copyInThread(path, partial));
    syncFile(partial);
    publish(partial, file);
    syncName(file);
  } catch (error) {
    removePartial(partial);
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(`cannot back up ${givenPath} to ${file}: ${reasonOf(error)}`);
  }
}

const alreadyExists = (file: string): OperatorError =>
  new OperatorError(`${file} already exists: choose another file name`);

function explain(error: unknown, folder: string): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return `there is no folder ${folder}: create it first`;
  if (code === "EACCES" || code === "EROFS") return `you may not write to the folder ${folder}`;
  return reasonOf(error);
}

/** In a thread, because SQLite does not return until it is done, and a signal must be heard meanwhile. */
async function copyInThread(path: string, partial: string): Promise<void> {
  const thread = new Worker(BACKUP_THREAD);
  try {
    const outcome = await new Promise<BackupOutcome>((resolve, reject) => {
      thread.addEventListener("message", ({ data }: MessageEvent<BackupOutcome>) => resolve(data));
      thread.addEventListener("error", ({ message }) => reject(new Error(message)));
      thread.postMessage({ path, partial } satisfies BackupRequest);
    });
    if (outcome.failure !== undefined) throw new Error(outcome.failure);
  } finally {
    thread.terminate();
  }
}

/** A signal ends the process as it would have without us, and nothing is left behind. */
async function removedOnSignal(partial: string, work: () => Promise<void>): Promise<void> {
  const onSignal = (signal: NodeJS.Signals): void => {
    removePartial(partial);
    for (const each of SIGNALS) process.off(each, onSignal);
    process.kill(process.pid, signal);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  try {
    await work();
  } finally {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  }
}

/** Gives the copy its name, without replacing a file that has been made meanwhile. */
function publish(partial: string, file: string): void {
  try {
    linkSync(partial, file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" || existsSync(file)) throw alreadyExists(file);
    // Some file systems have no links.
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "EOPNOTSUPP" && code !== "ENOSYS") throw error;
    renameSync(partial, file);
    return;
  }
  unlinkSync(partial);
}

/** A name that may not outlive a power cut is none: a backup either succeeds, or leaves nothing. */
function syncName(file: string): void {
  try {
    syncFolder(dirname(file));
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
}

function removePartial(partial: string): void {
  for (const file of [partial, `${partial}-journal`]) rmSync(file, { force: true });
}

/** What a kill or a power cut has left of earlier backups in a folder. */
export function abandonedBackups(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => isAbandoned(join(folder, name), Number(PARTIAL.exec(name)?.[1])))
    .map((name) => join(folder, name));
}

/** Containers may share a folder, and not their process ids: a copy that another one is writing is new, at least. */
const ABANDONED_AFTER_MS = 60_000;

function isAbandoned(path: string, pid: number): boolean {
  if (Number.isNaN(pid) || (pid !== process.pid && isRunning(pid))) return false;
  return Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > ABANDONED_AFTER_MS;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function removeAbandoned(folder: string): void {
  for (const path of abandonedBackups(folder)) rmSync(path, { force: true });
}
