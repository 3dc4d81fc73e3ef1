import type { ConsoleSession } from "../../domain/console-session.ts";
import type { Authorship, NewJournalEntry } from "../../domain/journal.ts";
import type { NewConsoleLink } from "../ports/store.ts";
import { insertInto, type Row, type Table } from "./table.ts";

// The tables of the console's links and sessions, what their rows mean, and what the journal says about them. They are
// not copied with a store, and not restored: whoever is signed in is so at one place, until they are signed out.

const COLUMNS = ["digest", "name", "expires_at"];
const LINKS: Table = { name: "console_links", columns: COLUMNS, key: ["digest"] };
const SESSIONS: Table = { name: "console_sessions", columns: COLUMNS, key: ["digest"] };
export const CONSOLE_TABLES: readonly Table[] = [LINKS, SESSIONS];

export const consoleSessionOf = (row: Row): ConsoleSession => ({
  name: row.name as string,
  expiresAtMs: Number(row.expires_at),
});

export const sessionStatements = (placeholder: (n: number) => string) => {
  const [one, two] = [placeholder(1), placeholder(2)];
  return {
    insertLink: insertInto(LINKS, COLUMNS, placeholder),
    /** The one who deletes it has it. */
    takeLink: `DELETE FROM console_links WHERE digest = ${one} AND expires_at > ${two} RETURNING name`,
    insertSession: insertInto(SESSIONS, COLUMNS, placeholder),
    get: `SELECT name, expires_at FROM console_sessions WHERE digest = ${one}`,
    prolong: `UPDATE console_sessions SET expires_at = ${two} WHERE digest = ${one} AND expires_at < ${two}`,
    delete: `DELETE FROM console_sessions WHERE digest = ${one}`,
    deleteAll: "DELETE FROM console_sessions RETURNING 1",
    deleteAllLinks: "DELETE FROM console_links",
    sweepLinks: `DELETE FROM console_links WHERE expires_at <= ${one}`,
    sweepSessions: `DELETE FROM console_sessions WHERE expires_at <= ${one}`,
  };
};

export const entryOfLink = ({ by, via, atMs, name, expiresAtMs }: NewConsoleLink): NewJournalEntry => ({
  by,
  via,
  atMs,
  action: "console",
  subject: { kind: "store" },
  after: { for: name, linkWorksUntil: new Date(expiresAtMs).toISOString() },
});

export const entryOfSignOut = ({ by, via, atMs }: Authorship, sessions: number): NewJournalEntry => ({
  by,
  via,
  atMs,
  action: "console sign-out",
  subject: { kind: "store" },
  after: { sessionsEnded: sessions },
});
