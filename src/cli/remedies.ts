import type { DatabaseRemedy, OperatorError, Remedy } from "../base/operator-error.ts";
import { ownCommand } from "./own-command.ts";

/** How the database was given. */
interface DatabaseNouns {
  readonly setting: string;
  /** False where an empty database is of no use, as for the source of a copy. */
  readonly mayCreate: boolean;
}

const OF_THE_SERVICE: DatabaseNouns = { setting: "DATABASE_URL", mayCreate: true };

/** A failure and its remedy in one line. */
export const textOfFailure = ({ message, remedy }: OperatorError, nouns = OF_THE_SERVICE): string =>
  remedy ? `${message}: ${textOfRemedy(remedy, nouns)}` : message;

/** What to do, in the words of the command line. */
export function textOfRemedy(remedy: Remedy, nouns = OF_THE_SERVICE): string {
  const migrate = ownCommand("migrate");
  switch (remedy.kind) {
    case "migrate":
      return `run ${migrate}`;
    case "migrate_or_start":
      return `run ${migrate}, or start the service, which migrates it too`;
    case "migrate_as_owner":
      return `run ${migrate} as the owner of the database, who can grant this role what it lacks`;
    case "migrate_on_primary":
      return `run ${migrate} on the primary`;
    case "migrate_after_lock":
      return `end that, and run ${migrate} again`;
    case "finish_copy":
      return `run ${ownCommand("copy")} again`;
    case "restore_damaged":
      return `restore the latest backup with ${ownCommand("restore")}, which keeps the damaged file: later changes may still be readable there`;
    case "examine_damage":
      return `run ${ownCommand("doctor")} to see how badly, and restore the latest backup with ${ownCommand("restore")}`;
    case "examine":
      return `run ${ownCommand("doctor")} to see what is wrong`;
    case "replace_foreign_log":
      return `if you restored a backup by hand, use ${ownCommand("restore")}, or move ${remedy.path}-wal and ${remedy.path}-shm away and start again; otherwise, put back the database file that the log was written for`;
    case "name_backup":
      return `name a backup, as ${ownCommand("backup")} makes them`;
    case "force_restore":
      return "choose another backup, or restore it all the same with --force";
    case "set_scopes":
      return `set the scopes of these keys again with ${ownCommand("keys edit --scopes")}`;
    case "rotate_keys":
      return `give these keys a new secret with ${ownCommand("keys rotate")}`;
    default:
      return textOfDatabaseRemedy(remedy, nouns);
  }
}

function textOfDatabaseRemedy(remedy: DatabaseRemedy, { setting, mayCreate }: DatabaseNouns): string {
  const orCreate = (what: string): string =>
    mayCreate ? `, or run ${ownCommand("migrate")}, which creates ${what}` : "";
  switch (remedy.kind) {
    case "file_missing":
      return `check ${setting} and the current folder${orCreate("one")}`;
    case "database_empty":
      return `check ${setting}${orCreate("its schema")}`;
    case "login_refused":
      return `correct the user and password in ${setting}`;
    case "database_missing":
      return `create it (CREATE DATABASE), or correct the name in ${setting}`;
    case "is_folder":
      return `name a file in ${setting}, such as one in that folder`;
    case "other_program":
      return `set ${setting} to a file other than ${remedy.path}`;
    case "served":
      return remedy.then ? `stop it first, then ${remedy.then}` : `stop it first, or set another ${setting}`;
  }
}
