import type { CopyingOptions } from "./sqlite/backup/backup.ts";
import type { FolderBackup, FolderBackupOptions } from "./sqlite/backup/folder.ts";
import type { Restored, RestoreOptions } from "./sqlite/backup/restore.ts";

export type { CopyingOptions, FolderBackup, Restored };

// Backups of an embedded database, by its path. A database server has tools of its own for them.

/**
 * Writes a checked copy of a database into a new file that only its owner can read, whether a service runs or not.
 * Fails with an OperatorError; then nothing is left of the copy.
 */
export const backUpToFile = async (path: string, file: string, options: CopyingOptions): Promise<void> =>
  (await import("./sqlite/backup/backup.ts")).backupSqlite(path, file, options);

/**
 * Writes a copy under a name with its time, then deletes the oldest backups of the same database beyond `keep`. Deletes
 * nothing if the backup fails. Fails with an OperatorError.
 */
export const backUpToFolder = async (
  path: string,
  folder: string,
  options: FolderBackupOptions,
): Promise<FolderBackup> => (await import("./sqlite/backup/folder.ts")).backupIntoFolder(path, folder, options);

/**
 * Puts a checked copy of a backup in the place of a database, which is kept aside. Refuses while a service runs on the
 * database, and a backup that is damaged. Fails with an OperatorError; then the database is as it was.
 */
export const restoreFromFile = async (path: string, file: string, options: RestoreOptions): Promise<Restored> =>
  (await import("./sqlite/backup/restore.ts")).restoreSqlite(path, file, options);
