import * as fs from "node:fs";
import { OperatorError } from "../../../base/operator-error.ts";
import { reasonOf } from "../sql/attempt.ts";

/**
 * Follows symbolic links to a database file, because SQLite keeps the log beside the file, not beside the link. A path
 * that is no link stays as it is, and a link to a file that does not exist yet is followed too. Fails with an
 * OperatorError.
 */
export function realPathOf(path: string): string {
  if (!isSymbolicLink(path)) return path;
  try {
    return fs.statSync(path, { throwIfNoEntry: false }) ? fs.realpathSync(path) : realPathOf(targetOf(path));
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(`cannot follow the symbolic link ${path}: ${reasonOf(error)}`);
  }
}

/** Returns false also for a path that this user cannot look at, which is reported when the file is opened. */
function isSymbolicLink(path: string): boolean {
  try {
    return fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  } catch {
    return false;
  }
}

/** Returns the target of a link to nothing. A relative one begins at the real folder of the link. */
function targetOf(link: string): string {
  const target = fs.readlinkSync(link);
  if (target.startsWith("/")) return target;
  return `${fs.realpathSync(link.slice(0, link.lastIndexOf("/") + 1) || ".")}/${target}`;
}
