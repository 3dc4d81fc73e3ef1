import { existsSync, lstatSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { OperatorError } from "../../../base/operator-error.ts";
import { type BackupSeries, backupName, expiredBackups, unusedTime } from "../../../domain/backup-series.ts";
import { AlreadyExists, type PartialFile } from "../../files/partial-file.ts";
import { absolutePath } from "../../urls/database-url.ts";
import { openReadOnly, preparePath } from "../file/database.ts";
import { reasonOf } from "../sql/attempt.ts";
import { type CopyingOptions, copyDatabase } from "./backup.ts";

// A series of backups of one database in a folder. The oldest are deleted once there are enough newer ones.

export type FolderBackup = Awaited<ReturnType<typeof backupIntoFolder>>;

export interface FolderBackupOptions extends CopyingOptions {
  /** The number of backups of this database to keep, with the new one. Undefined: all. */
  readonly keep: number | undefined;
  readonly nowMs: () => number;
}

/**
 * Makes a backup under a name that says when, and then deletes the oldest ones of this very database. Nothing is
 * deleted if the backup fails. Fails with an OperatorError.
 */
export async function backupIntoFolder(
  givenPath: string,
  folder: string,
  { keep, nowMs, ...options }: FolderBackupOptions,
) {
  const path = await preparePath(givenPath, { create: false });
  const series = seriesOf(path);
  let atMs = nowMs();
  while (existsSync(join(folder, backupName(series, atMs)))) atMs++;
  using partial = await copyDatabase(givenPath, join(folder, backupName(series, atMs)), options);
  const made = publish(partial, folder, series, { atMs, nowMs: nowMs() });
  if (keep === undefined) return { file: join(folder, made), deleted: [], fromFuture: undefined };
  return { file: join(folder, made), ...deleteExpired(folder, series, { keep, made, nowMs: nowMs() }) };
}

/** Identifies a database by its path and its time of creation: another one at that path was created at another time. */
function seriesOf(path: string): BackupSeries {
  const identity = `${absolutePath(path)}\0${createdAt(path)}`;
  return {
    database: basename(path)
      .replace(/\.(db|sqlite3?)$/, "")
      .slice(0, 100),
    id: new Bun.CryptoHasher("sha256").update(identity).digest("hex").slice(0, 8),
  };
}

function createdAt(path: string): unknown {
  try {
    using db = openReadOnly(path);
    return (db.query("SELECT min(applied_at) AS at FROM migrations").get() as { at: bigint }).at;
  } catch (error) {
    throw new OperatorError(`cannot back up ${path}: ${reasonOf(error)}`, { kind: "examine" });
  }
}

/** Another backup may have been begun in the same millisecond, and may be deleted already. */
function publish(
  partial: PartialFile,
  folder: string,
  series: BackupSeries,
  times: { readonly atMs: number; readonly nowMs: number },
): string {
  for (let ms = unusedTime(series, readdirSync(folder), times); ; ms++) {
    const name = backupName(series, ms);
    try {
      partial.publish(join(folder, name));
      return name;
    } catch (error) {
      if (!(error instanceof AlreadyExists)) throw error;
    }
  }
}

/** Returns the older backups that were deleted: none if there is one that claims to be from the future. */
function deleteExpired(
  folder: string,
  series: BackupSeries,
  options: { readonly keep: number; readonly made: string; readonly nowMs: number },
) {
  const expired = expiredBackups(series, readdirSync(folder), options);
  if (expired.kind === "unknown") return { deleted: [], fromFuture: join(folder, expired.fromFuture) };
  const files = expired.names.map((name) => join(folder, name));
  const deleted = files.filter((file) => {
    try {
      if (!lstatSync(file, { throwIfNoEntry: false })?.isFile()) return false;
      rmSync(file, { force: true });
      return true;
    } catch (error) {
      throw new OperatorError(
        `the backup ${join(folder, options.made)} was made, but an old one cannot be deleted: ${reasonOf(error)}. Delete it by hand, or make the folder writable`,
      );
    }
  });
  return { deleted, fromFuture: undefined };
}
