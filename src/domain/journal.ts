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
  | {
      readonly kind: "key" | "import" | "animal" | "category" | "order";
      readonly id: string;
      readonly name?: string | undefined;
    }
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
  /**
   * Ascending, in the order of the changes. On PostgreSQL only changes to keys take turns: others that are made at the
   * same moment may be numbered in either order.
   */
  readonly id: bigint;
}

/** Goes with a write that a person may make, or a client of the API, whose calls are not in the journal. */
export interface Authored {
  /** Undefined: no person makes it. */
  readonly author?: Authorship | undefined;
}

/** The entry about something that was added, changed or removed; undefined if nothing is different. */
export function entryOfChange(
  action: string,
  { by, via, atMs }: Authorship,
  subject: JournalSubject,
  before: JournalContent | undefined,
  after: JournalContent | undefined,
): NewJournalEntry | undefined {
  const changed = Object.keys({ ...before, ...after }).filter(
    (name) => JSON.stringify(before?.[name] ?? null) !== JSON.stringify(after?.[name] ?? null),
  );
  if (changed.length === 0) return undefined;
  const only = (content: JournalContent): JournalContent =>
    Object.fromEntries(changed.map((name) => [name, content[name] ?? null]));
  return { by, via, atMs, action, subject, before: before && only(before), after: after && only(after) };
}
