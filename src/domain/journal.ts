// The journal: every change that a person makes, from the command line or the console. The API's calls are not in it.

export const AUTHOR_MAX_CODE_POINTS = 100;

/** Who makes a change, and when: goes with every change that a person makes, down to its transaction. */
export interface Authorship {
  /** The system user, or the name that the setting OPERATOR or a session of the console gives. */
  readonly by: string;
  /** The service itself issues the operator's key, when it is first started. */
  readonly via: "command" | "console" | "service";
  readonly atMs: number;
}

export type Author = Omit<Authorship, "atMs">;

/** What a change was made to: nothing else is in the journal. A name is the one that it had before. */
export type JournalSubject =
  | { readonly kind: "key" | "import"; readonly id: string; readonly name?: string | undefined }
  /** Of the store as a whole, such as a copy that was made of another one. */
  | { readonly kind: "store" };

/** Names and values as a person reads them, never a secret nor its digest. */
export type JournalContent = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/** An entry to be appended, in the same transaction as the change. */
export interface NewJournalEntry extends Authorship {
  /** A verb, as the command that makes it: "keys revoke", "animals import". */
  readonly action: string;
  readonly subject: JournalSubject;
  /** What is different after it, before; undefined if there was nothing. */
  readonly before?: JournalContent | undefined;
  readonly after?: JournalContent | undefined;
}

export interface JournalEntry extends NewJournalEntry {
  /** Ascending, in the order of the changes. */
  readonly id: bigint;
}
