import type { Database } from "bun:sqlite";
import { entryOfLink, entryOfSignOut, sessionStatements } from "../../../sql/session-rows.ts";
import type { Row } from "../../../sql/table.ts";
import { SQLITE } from "../../sql/dialect.ts";
import { preparedSet } from "../../sql/statements.ts";
import type { Writer } from "../writer.ts";
import { journalWrites } from "./journal.ts";

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
