import { isRole } from "../../domain/console-role.ts";
import type {
  Authorship,
  JournalContent,
  JournalEntry,
  JournalSubject,
  NewJournalEntry,
} from "../../domain/journal.ts";
import type { Row, SqlValue, Table } from "./table.ts";

// The table of the journal and the mapping of its rows. rows.ts lists it with the others.

const JOURNAL_VALUES: Readonly<Record<string, (entry: NewJournalEntry) => SqlValue>> = {
  made_at: ({ atMs }) => BigInt(atMs),
  author: ({ by }) => by,
  via: ({ via }) => via,
  role: ({ role }) => role ?? null,
  action: ({ action }) => action,
  subject_kind: ({ subject }) => subject.kind,
  subject_id: ({ subject }) => (subject.kind === "store" ? null : subject.id),
  subject_name: ({ subject }) => (subject.kind === "store" ? null : (subject.name ?? null)),
  before: ({ before }) => contentValue(before),
  after: ({ after }) => contentValue(after),
};

const contentValue = (content: JournalContent | undefined): string | null =>
  content === undefined ? null : JSON.stringify(content);

/** The columns of a new entry; the database assigns the id. */
export const NEW_JOURNAL_ENTRY: readonly string[] = Object.keys(JOURNAL_VALUES);

export const JOURNAL: Table = {
  name: "journal",
  columns: ["id", ...NEW_JOURNAL_ENTRY],
  key: ["id"],
  isAppendOnly: true,
};

/** The values of a new entry, in the order of NEW_JOURNAL_ENTRY. */
export const journalValues = (entry: NewJournalEntry): SqlValue[] =>
  Object.values(JOURNAL_VALUES).map((valueIn) => valueIn(entry));

export const journalEntryOf = (row: Row): JournalEntry => ({
  id: row.id as bigint,
  atMs: Number(row.made_at),
  by: row.author as string,
  via: row.via as Authorship["via"],
  role: isRole(row.role) ? row.role : undefined,
  action: row.action as string,
  subject: subjectOf(row),
  before: contentOf(row.before),
  after: contentOf(row.after),
});

const subjectOf = ({ subject_kind: kind, subject_id: id, subject_name: name }: Row): JournalSubject =>
  (id === null ? { kind } : { kind, id, name: name ?? undefined }) as JournalSubject;

const contentOf = (value: Row[string] | undefined): JournalContent | undefined =>
  typeof value === "string" ? (JSON.parse(value) as JournalContent) : undefined;
