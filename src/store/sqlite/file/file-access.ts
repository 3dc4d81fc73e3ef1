import * as fs from "node:fs";
import { OperatorError } from "../../../base/operator-error.ts";
import { userName } from "../../../base/system/system-user.ts";
import { absolutePath } from "../../urls/database-url.ts";

// Whether the user who runs this may use a file at all. SQLite says of most that it is "unable to open" it, and of a
// file in a closed folder, as everybody does who asks, that there is none.

export interface Objection {
  readonly detail: string;
  readonly remedy: string;
}

const AS_SERVICE_USER = "run this as the user of the service, or give this user access with chown or chmod";

/** Why what is at a path is no file that this user can use; undefined if nothing is there, or nothing is wrong. */
export function objectionToFile(path: string, mode: "read" | "write" = "read"): Objection | undefined {
  const name = absolutePath(path);
  try {
    const stats = fs.statSync(path, { throwIfNoEntry: false });
    if (stats?.isDirectory())
      return { detail: `${name} is a folder`, remedy: "name a file in DATABASE_URL, such as one in that folder" };
  } catch (error) {
    return isDenied(error)
      ? { detail: `${name} cannot be looked at by ${thisUser()}`, remedy: AS_SERVICE_USER }
      : undefined;
  }
  try {
    fs.accessSync(path, mode === "read" ? fs.constants.R_OK : fs.constants.R_OK | fs.constants.W_OK);
    return undefined;
  } catch (error) {
    const verb = mode === "read" ? "read" : "written to";
    return isDenied(error)
      ? { detail: `${name} cannot be ${verb} by ${thisUser()}`, remedy: AS_SERVICE_USER }
      : undefined;
  }
}

/** Throws an OperatorError. */
export function refuseUnusable(path: string, mode: "read" | "write" = "read"): void {
  const objection = objectionToFile(path, mode);
  if (objection) throw new OperatorError(`${objection.detail}: ${objection.remedy}`);
}

/** What is said of a folder or a file that could not be made. */
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
