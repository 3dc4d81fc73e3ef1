/** The remedy for a database that cannot be used. Its text names the setting that the database was given by. */
export type DatabaseRemedy =
  /** `database_empty`: it has no schema. */
  | { readonly kind: "file_missing" | "database_empty" | "login_refused" | "database_missing" | "is_folder" }
  | { readonly kind: "other_program"; readonly path: string }
  /** `then` says what to do once the other process is stopped. */
  | { readonly kind: "served"; readonly then?: string | undefined };

/** A remedy that the operator can apply after a failure or a finding. Each face words it: cli/remedies.ts names the commands. */
export type Remedy =
  | DatabaseRemedy
  /** `migrate_after_lock`: another session holds a lock. */
  | { readonly kind: `migrate${"" | "_or_start" | "_as_owner" | "_on_primary" | "_after_lock"}` }
  | { readonly kind: "finish_copy" | "restore_damaged" | "examine_damage" | "examine" }
  /** The write-ahead log beside this database was written for another file. */
  | { readonly kind: "replace_foreign_log"; readonly path: string }
  | { readonly kind: "name_backup" | "force_restore" | "set_scopes" | "rotate_keys" };

/** A failure that the operator can fix: one line that says what is wrong, and what to do unless the remedy does. */
export class OperatorError extends Error {
  override readonly name = "OperatorError";

  constructor(
    message: string,
    readonly remedy?: Remedy,
  ) {
    super(message);
  }

  /** The same failure of something: its name comes first. */
  of(subject: string): OperatorError {
    return new OperatorError(`${subject}: ${this.message}`, this.remedy);
  }
}
