import { isRole } from "../../domain/console-role.ts";
import type { ConsoleSession } from "../../domain/console-session.ts";
import type { Row, Table } from "./table.ts";

// The tables of the console's links and sessions. They are neither copied with a store nor restored from a backup:
// somebody is signed in to one store, until they are signed out.

const COLUMNS = ["digest", "name", "expires_at", "role"];
export const LINKS: Table = { name: "console_links", columns: COLUMNS, key: ["digest"] };
export const SESSIONS: Table = { name: "console_sessions", columns: COLUMNS, key: ["digest"] };
export const CONSOLE_TABLES: readonly Table[] = [LINKS, SESSIONS];

/** Undefined if the row has a role of another release: nobody may do more than this one knows. */
export const consoleSessionOf = ({ name, role, expires_at: expiresAt }: Row): ConsoleSession | undefined =>
  isRole(role) ? { name: name as string, role, expiresAtMs: Number(expiresAt) } : undefined;
