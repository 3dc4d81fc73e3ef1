import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { OperatorError } from "../../domain/operator-error.ts";
import { absolutePath } from "../database-url.ts";
import { OWNER_ONLY, syncFolder } from "../files.ts";
import { reasonOf } from "./attempt.ts";

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
    throw new OperatorError(`cannot create the folder ${folder}: ${reasonOf(error)}`);
  }
  try {
    closeSync(openSync(path, "wx", OWNER_ONLY));
    syncFolder(folder);
  } catch (error) {
    // Another process has just made it.
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return;
    throw new OperatorError(`cannot create the database ${path}: ${reasonOf(error)}`);
  }
}

/** The entry of each new folder is in the one above it. */
function makeFolder(folder: string): void {
  const topmost = mkdirSync(folder, { recursive: true, mode: OWNER_ONLY_FOLDER });
  if (topmost === undefined) return;
  for (let made = folder; ; made = dirname(made)) {
    syncFolder(dirname(made));
    if (made === topmost || made === dirname(made)) return;
  }
}
