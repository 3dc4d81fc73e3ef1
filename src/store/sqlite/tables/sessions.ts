import type { Database } from "bun:sqlite";
import type { SessionStore } from "../../ports/store.ts";
import { consoleSessionOf, entryOfLink, entryOfSignOut, sessionStatements } from "../../sql/session-rows.ts";
import type { Row } from "../../sql/table.ts";
import { attempt } from "../sql/attempt.ts";
import { SQLITE } from "../sql/dialect.ts";
import { type Connection, prepared, preparedSet } from "../sql/statements.ts";
import { journalWrites } from "./journal.ts";
import type { Writer, Writes } from "./writer.ts";

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
  };
}

type SessionWrites = Pick<
  Writer,
  "makeConsoleLink" | "signIntoConsole" | "prolongSession" | "signOut" | "signOutAll" | "sweepSessions"
>;

export function sessionWrites(db: Database): SessionWrites {
  const statements = preparedSet<keyof ReturnType<typeof sessionStatements>, Row>(
    db,
    sessionStatements(SQLITE.placeholder),
  );
  const { append } = journalWrites(db);
  return {
    makeConsoleLink(link) {
      statements.insertLink().run(link.digest, link.name, link.expiresAtMs);
      append(entryOfLink(link));
    },
    signIntoConsole({ linkDigest, atMs, digest, expiresAtMs }) {
      const link = statements.takeLink().get(linkDigest, atMs);
      if (!link) return undefined;
      const name = link.name as string;
      statements.insertSession().run(digest, name, expiresAtMs);
      return { name, expiresAtMs };
    },
    prolongSession: ({ digest, expiresAtMs }) => void statements.prolong().run(digest, expiresAtMs),
    signOut: ({ digest }) => void statements.delete().run(digest),
    signOutAll(author) {
      const ended = statements.deleteAll().all().length;
      statements.deleteAllLinks().run();
      append(entryOfSignOut(author, ended));
      return ended;
    },
    sweepSessions({ nowMs }) {
      statements.sweepLinks().run(nowMs);
      statements.sweepSessions().run(nowMs);
    },
  };
}
