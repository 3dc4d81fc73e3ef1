import { OperatorError } from "../../base/operator-error.ts";

/** The remedy for a database that cannot be used. Its text names the setting that gave the address. */
export type DatabaseRemedy =
  /** The file does not exist, or the database has no schema. */
  | { readonly kind: "file_missing" }
  | { readonly kind: "database_empty" }
  | { readonly kind: "login_refused" }
  | { readonly kind: "database_missing" }
  | { readonly kind: "is_folder" }
  | { readonly kind: "other_program"; readonly path: string }
  /** `then` says what to do once the other process is stopped. */
  | { readonly kind: "served"; readonly then?: string | undefined };

/** The nouns of whoever shows the remedy. */
export interface DatabaseNouns {
  readonly setting: string;
  /** An empty database would do, so its creation is suggested. It is no use as the source of a copy. */
  readonly mayCreate: boolean;
}

const OF_THE_SERVICE: DatabaseNouns = { setting: "DATABASE_URL", mayCreate: true };

export function textOfRemedy(remedy: DatabaseRemedy, { setting, mayCreate } = OF_THE_SERVICE): string {
  const orCreate = (what: string): string => (mayCreate ? `, or run animal-store migrate, which creates ${what}` : "");
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

/** A database that cannot be used as it was given. The message has the setting of the service. */
export class UnusableDatabase extends OperatorError {
  constructor(
    readonly detail: string,
    readonly remedy: DatabaseRemedy,
  ) {
    super(`${detail}: ${textOfRemedy(remedy)}`);
  }

  /** The same, with the name of the database in front. */
  of(database: string): UnusableDatabase {
    return new UnusableDatabase(`${database}: ${this.detail}`, this.remedy);
  }

  textFor(nouns: DatabaseNouns): string {
    return `${this.detail}: ${textOfRemedy(this.remedy, nouns)}`;
  }
}
