import type { Role } from "./console-role.ts";

// The journal: every change that a person makes, from the command line or the console. Of the calls of the API, only
// rotations are in it.

export const AUTHOR_MAX_CODE_POINTS = 100;

/** The person who makes a change, and the time: part of every such change, down to its transaction. */
export interface Authorship {
  /** The system user, or the name that the setting OPERATOR or a session of the console gives. */
  readonly by: string;
  /**
   * It is "service" only for the operator's key, which the service issues when it is first started, and "key" only for
   * a key whose holder has rotated its secret.
   */
  readonly via: "command" | "console" | "service" | "key";
  /** The role in which somebody signed in to the console. Undefined for everything else, and in older entries. */
  readonly role?: Role | undefined;
  readonly atMs: number;
}

export type Author = Omit<Authorship, "atMs">;

/** A change, named after the command that makes it. */
export type JournalAction =
  | `keys ${"create" | "edit" | "rotate" | "suspend" | "resume" | "unban" | "revoke" | "delete"}`
  | `animals ${"add" | "update" | "delete" | "import" | "undo"}`
  | `categories ${"name" | "unname"}`
  | "orders update"
  | StoreAction;

/** A change to the store as a whole. */
export type StoreAction =
  | "console"
  | "console sign-in"
  | "console sign-out"
  | "copy"
  | "copy --animals"
  | "copy --animals --replace"
  | "restore";

/** The thing that was changed. Its name is the one that it had before. */
export type JournalSubject =
  | {
      readonly kind: "key" | "import" | "animal" | "category" | "order";
      readonly id: string;
      readonly name?: string | undefined;
    }
  | { readonly kind: "store" };

/** Names and values as a person reads them, never a secret nor its digest. */
export type JournalContent = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/** An entry to be appended, in the same transaction as the change. */
export interface NewJournalEntry extends Authorship {
  readonly action: JournalAction;
  readonly subject: JournalSubject;
  /** The values that differ, before and after the change; undefined if there was nothing. */
  readonly before?: JournalContent | undefined;
  readonly after?: JournalContent | undefined;
}

export interface JournalEntry extends Omit<NewJournalEntry, "action"> {
  /**
   * Ascending, in the order of the changes. On PostgreSQL only changes to keys take turns: others that are made at the
   * same moment may be numbered in either order.
   */
  readonly id: bigint;
  /** A JournalAction, or one that another release wrote. */
  readonly action: string;
}

/** A write that either a person makes or a client of the API, whose calls are not in the journal. */
export interface Authored {
  /** Undefined for a client of the API. */
  readonly author?: Authorship | undefined;
}

/** The entry about something that was added, changed or removed; undefined if nothing is different. */
export function entryOfChange(
  action: JournalAction,
  { by, via, role, atMs }: Authorship,
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
  return { by, via, role, atMs, action, subject, before: before && only(before), after: after && only(after) };
}

/** The entry about a change to the store as a whole. */
export const entryOfStore = (
  action: StoreAction,
  { by, via, role, atMs }: Authorship,
  content: Pick<NewJournalEntry, "before" | "after">,
): NewJournalEntry => ({ by, via, role, atMs, action, subject: { kind: "store" }, ...content });
