import type { Database } from "bun:sqlite";
import { entryOfLink, entryOfSignOut } from "../../../domain/console-session.ts";
import type { SessionStore } from "../../ports/store.ts";
import { consoleSessionOf, sessionStatements } from "../../sql/session-rows.ts";
import type { Row } from "../../sql/table.ts";
import { attempt } from "../sql/attempt.ts";
import { SQLITE } from "../sql/dialect.ts";
import { type Connection, prepared, preparedSet } from "../sql/statements.ts";
import { journalWrites } from "./journal.ts";
import { BOOKKEEPING, declareWrites, forward, type Writes } from "./write.ts";

export function sqliteSessions(connection: Connection, writes: Writes): SessionStore {
  const get = prepared<Row, [string]>(connection, sessionStatements(SQLITE.placeholder).get);
  return {
    ...forward(writes, sessionWrites),
    get(digest) {
      const row = attempt(() => get().get(digest));
      return row ? consoleSessionOf(row) : undefined;
    },
  };
}

const prepareStatements = (db: Database) =>
  preparedSet<keyof ReturnType<typeof sessionStatements>, Row>(db, sessionStatements(SQLITE.placeholder));

const KINDS = {
  makeLink: BOOKKEEPING,
  signIn: BOOKKEEPING,
  prolong: BOOKKEEPING,
  signOut: BOOKKEEPING,
  signOutAll: BOOKKEEPING,
};

export const sessionWrites = declareWrites("sessions", KINDS, (db) => {
  const statements = prepareStatements(db);
  const { append } = journalWrites(db);
  return {
    makeLink(link) {
      statements.insertLink().run(link.digest, link.name, link.expiresAtMs);
      append(entryOfLink(link));
    },
    signIn({ linkDigest, atMs, digest, expiresAtMs }) {
      const link = statements.takeLink().get(linkDigest, atMs);
      if (!link) return undefined;
      const name = link.name as string;
      statements.insertSession().run(digest, name, expiresAtMs);
      return { name, expiresAtMs };
    },
    prolong: ({ digest, expiresAtMs }) => void statements.prolong().run(digest, expiresAtMs),
    signOut: ({ digest }) => void statements.delete().run(digest),
    signOutAll(author) {
      const ended = statements.deleteAll().all().length;
      statements.deleteAllLinks().run();
      append(entryOfSignOut(author, ended));
      return ended;
    },
  };
});

export const sessionUpkeep = declareWrites("maintenance", { sweepSessions: BOOKKEEPING }, (db) => {
  const { sweepLinks, sweepSessions } = prepareStatements(db);
  return {
    sweepSessions({ nowMs }) {
      sweepLinks().run(nowMs);
      sweepSessions().run(nowMs);
    },
  };
});
