import type { OperatorError, Remedy } from "../base/operator-error.ts";
import { type Sentences, sentenceFor } from "../base/text/sentences.ts";
import { ownCommand } from "./own-command.ts";

/** Names the database as the operator has given it. */
interface DatabaseNouns {
  readonly setting: string;
  /** False where an empty database is of no use, as for the source of a copy. */
  readonly mayCreate: boolean;
}

const OF_THE_SERVICE: DatabaseNouns = { setting: "DATABASE_URL", mayCreate: true };

/** A failure and its remedy in one line. */
export const textOfFailure = ({ message, remedy }: OperatorError, nouns = OF_THE_SERVICE): string =>
  remedy ? `${message}: ${textOfRemedy(remedy, nouns)}` : message;

/** Words a remedy with the commands of this program. */
export const textOfRemedy = (remedy: Remedy, nouns = OF_THE_SERVICE): string => sentenceFor(remedy, REMEDIES, nouns);

const REMEDIES: Sentences<Remedy, DatabaseNouns> = {
  migrate: () => `run ${ownCommand("migrate")}`,
  migrate_or_start: () => `run ${ownCommand("migrate")}, or start the service, which migrates it too`,
  migrate_as_owner: () =>
    `run ${ownCommand("migrate")} as the owner of the database, who can grant this role what it lacks`,
  migrate_on_primary: () => `run ${ownCommand("migrate")} on the primary`,
  migrate_after_lock: () => `end that, and run ${ownCommand("migrate")} again`,
  finish_copy: () => `run ${ownCommand("copy")} again`,
  restore_damaged: () =>
    `restore the latest backup with ${ownCommand("restore")}, which keeps the damaged file: later changes may still be readable there`,
  examine_damage: () =>
    `run ${ownCommand("doctor")} to see how badly, and restore the latest backup with ${ownCommand("restore")}`,
  examine: () => `run ${ownCommand("doctor")} to see what is wrong`,
  replace_foreign_log: ({ path }) =>
    `if you restored a backup by hand, use ${ownCommand("restore")}, or move ${path}-wal and ${path}-shm away and start again; otherwise, put back the database file that the log was written for`,
  name_backup: () => `name a backup, as ${ownCommand("backup")} makes them`,
  force_restore: () => "choose another backup, or restore it all the same with --force",
  set_scopes: () => `set the scopes of these keys again with ${ownCommand("keys edit --scopes")}`,
  rotate_keys: () => `give these keys a new secret with ${ownCommand("keys rotate")}`,
  file_missing: (_, nouns) => `check ${nouns.setting} and the current folder${orCreate("one", nouns)}`,
  database_empty: (_, nouns) => `check ${nouns.setting}${orCreate("its schema", nouns)}`,
  login_refused: (_, { setting }) => `correct the user and password in ${setting}`,
  database_missing: (_, { setting }) => `create it (CREATE DATABASE), or correct the name in ${setting}`,
  is_folder: (_, { setting }) => `name a file in ${setting}, such as one in that folder`,
  other_program: ({ path }, { setting }) => `set ${setting} to a file other than ${path}`,
  served: ({ then }, { setting }) =>
    then ? `stop it first, then ${then}` : `stop it first, or set another ${setting}`,
};

const orCreate = (created: string, { mayCreate }: DatabaseNouns): string =>
  mayCreate ? `, or run ${ownCommand("migrate")}, which creates ${created}` : "";
