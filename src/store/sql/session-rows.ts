import type { ConsoleSession } from "../../domain/console-session.ts";
import { insertInto, type Row, type Table } from "./table.ts";

// The tables of the console's links and sessions. They are neither copied with a store nor restored from a backup:
// somebody is signed in to one store, until they are signed out.

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
    /** Whoever deletes the row has used the link. */
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
