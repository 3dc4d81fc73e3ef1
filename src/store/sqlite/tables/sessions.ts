import type { SessionStore } from "../../ports/store.ts";
import { consoleSessionOf, sessionStatements } from "../../sql/session-rows.ts";
import type { Row } from "../../sql/table.ts";
import { attempt } from "../sql/attempt.ts";
import { SQLITE } from "../sql/dialect.ts";
import { type Connection, prepared } from "../sql/statements.ts";
import type { Writes } from "./writer.ts";

export function sqliteSessions(connection: Connection, writes: Writes): SessionStore {
  const get = prepared<Row, [string]>(connection, sessionStatements(SQLITE.placeholder).get);
  return {
    makeLink: (link) => writes.perform("makeConsoleLink", link),
    signIn: (signIn) => writes.perform("signIntoConsole", signIn),
    get(digest) {
      const row = attempt(() => get().get(digest));
      return row ? consoleSessionOf(row) : undefined;
    },
    prolong: (session) => writes.perform("prolongSession", session),
    signOut: (session) => writes.perform("signOut", session),
    signOutAll: (author) => writes.perform("signOutAll", author),
    sweep: (at) => writes.perform("sweepSessions", at),
  };
}
