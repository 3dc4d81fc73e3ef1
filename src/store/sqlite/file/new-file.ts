import { closeSync, mkdirSync, openSync, rmdirSync } from "node:fs";
import { dirname } from "node:path";
import { OperatorError } from "../../../base/operator-error.ts";
import { OWNER_ONLY, syncFolder } from "../../files/files.ts";
import { absolutePath } from "../../urls/database-url.ts";
import { reasonNotMade } from "./file-access.ts";

const OWNER_ONLY_FOLDER = 0o700;

/**
 * Makes an empty file for a database, and the folders above it, so that a power cut takes none of them away again.
 * SQLite gives the log the permissions of the file. Fails with an OperatorError.
 */
export function createFile(path: string): void {
  const folder = dirname(absolutePath(path));
  try {
    makeFolder(folder);
  } catch (error) {
    throw new OperatorError(`cannot create the folder ${folder}: ${reasonNotMade(error)}`);
  }
  try {
    closeSync(openSync(path, "wx", OWNER_ONLY));
    syncFolder(folder);
  } catch (error) {
    // Another process has just made it.
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return;
    throw new OperatorError(`cannot create the database ${absolutePath(path)}: ${reasonNotMade(error)}`);
  }
}

/**
 * Makes a folder for its owner alone, unless it exists, and syncs the entry of each new folder in its parent. Returns
 * the folders that were made, each before its parent.
 */
export function makeFolder(folder: string): string[] {
  const topmost = mkdirSync(folder, { recursive: true, mode: OWNER_ONLY_FOLDER });
  const all: string[] = [];
  if (topmost === undefined) return all;
  for (let made = folder; ; made = dirname(made)) {
    syncFolder(dirname(made));
    all.push(made);
    if (made === topmost || made === dirname(made)) return all;
  }
}

/** Removes folders that are empty, so that work that has failed leaves nothing behind. */
export function removeFolders(made: readonly string[]): void {
  for (const folder of made)
    try {
      rmdirSync(folder);
    } catch {
      return;
    }
}
