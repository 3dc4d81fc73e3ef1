import * as fs from "node:fs";
import { type DatabaseRemedy, OperatorError } from "../../../base/operator-error.ts";
import { userName } from "../../../base/system/system-user.ts";
import { absolutePath } from "../../urls/database-url.ts";
import { UnusableDatabase } from "../../urls/unusable-database.ts";

// Finds out whether the user who runs this may use a file. SQLite only says that it is "unable to open" it, and a file
// in a folder without access looks as if it did not exist.

interface Objection {
  readonly detail: string;
  readonly remedy: string | DatabaseRemedy;
}

const AS_SERVICE_USER = "run this as the user of the service, or give this user access with chown or chmod";

/** Returns why this user cannot use what is at a path; undefined if nothing is there, or nothing is wrong. */
export function objectionToFile(path: string, mode: "read" | "write" = "read"): Objection | undefined {
  const name = absolutePath(path);
  let verb = "looked at";
  try {
    const stats = fs.statSync(path, { throwIfNoEntry: false });
    if (stats?.isDirectory()) return { detail: `${name} is a folder`, remedy: { kind: "is_folder" } };
    verb = mode === "read" ? "read" : "written to";
    fs.accessSync(path, mode === "read" ? fs.constants.R_OK : fs.constants.R_OK | fs.constants.W_OK);
    return undefined;
  } catch (error) {
    if (!isDenied(error)) return undefined;
    return { detail: `${name} cannot be ${verb} by ${thisUser()}`, remedy: AS_SERVICE_USER };
  }
}

/** Throws an OperatorError. */
export function refuseUnusable(path: string, mode: "read" | "write" = "read"): void {
  const objection = objectionToFile(path, mode);
  if (!objection) return;
  const { detail, remedy } = objection;
  throw typeof remedy === "string" ? new OperatorError(`${detail}: ${remedy}`) : new UnusableDatabase(detail, remedy);
}

/** Words why a folder or a file could not be made. */
export const reasonNotMade = (error: unknown): string =>
  isDenied(error) ? `${thisUser()} may not write there: ${AS_SERVICE_USER}` : (error as Error).message;

function isDenied(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "EACCES" || code === "EPERM";
}

function thisUser(): string {
  const uid = process.getuid?.();
  return uid === undefined ? "this user" : `this user (${userName(uid) ?? `uid ${uid}`})`;
}
