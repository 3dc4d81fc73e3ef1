import {
  type ConsoleSession,
  entryOfLink,
  entryOfSignIn,
  entryOfSignOut,
  entryOfSignOutOf,
  type SignedOut,
} from "../../../domain/console-session.ts";
import type { Authorship } from "../../../domain/journal.ts";
import type { ConsoleSignIn, NewConsoleLink, SignOutOf } from "../../ports/store.ts";
import type { Dialect } from "../searches.ts";
import { consoleSessionOf, LINKS, SESSIONS } from "../session-rows.ts";
import { insertInto } from "../table.ts";
import { first, run, type Work } from "../work.ts";
import { journalAppender } from "./journal.ts";

export function sessionWork(dialect: Dialect) {
  const $ = dialect.placeholder;
  const append = journalAppender(dialect);
  const insertLink = insertInto(LINKS, LINKS.columns, $);
  const insertSession = insertInto(SESSIONS, SESSIONS.columns, $);
  return {
    reads: {
      *get(digest: string): Work<ConsoleSession | undefined> {
        const row = yield* first(`SELECT name, role, expires_at FROM console_sessions WHERE digest = ${$(1)}`, [
          digest,
        ]);
        return row && consoleSessionOf(row);
      },
      *digests({ nowMs }: { nowMs: number }): Work<readonly string[]> {
        const select = `SELECT digest FROM console_sessions WHERE expires_at > ${$(1)}`;
        const rows = yield* run<{ digest: string }>(select, [nowMs]);
        return rows.map(({ digest }) => digest);
      },
    },
    writes: {
      *prolong({ digest, expiresAtMs }: { digest: string; expiresAtMs: number }): Work<void> {
        const update = `UPDATE console_sessions SET expires_at = ${$(2)} WHERE digest = ${$(1)} AND expires_at < ${$(2)}`;
        yield* run(update, [digest, expiresAtMs]);
      },
      *signOut({ digest }: { digest: string }): Work<void> {
        yield* run(`DELETE FROM console_sessions WHERE digest = ${$(1)}`, [digest]);
      },
    },
    changes: {
      *makeLink(link: NewConsoleLink): Work<void> {
        yield* run(insertLink, [link.digest, link.name, link.expiresAtMs, link.role]);
        yield* append(entryOfLink(link));
      },
      /** The caller that deletes the row has used the link, and gets the role that the row had. */
      *signIn({ linkDigest, atMs, digest, expiresAtMs }: ConsoleSignIn): Work<ConsoleSession | undefined> {
        const take = `DELETE FROM console_links WHERE digest = ${$(1)} AND expires_at > ${$(2)} RETURNING name, role, expires_at`;
        const row = yield* first(take, [linkDigest, atMs]);
        const link = row && consoleSessionOf(row);
        if (!link) return undefined;
        const { name, role } = link;
        yield* run(insertSession, [digest, name, expiresAtMs, role]);
        yield* append(entryOfSignIn(link, atMs));
        return { name, role, expiresAtMs };
      },
      *signOutAll(author: Authorship): Work<number> {
        const ended = yield* run("DELETE FROM console_sessions RETURNING 1");
        yield* run("DELETE FROM console_links");
        yield* append(entryOfSignOut(author, ended.length));
        return ended.length;
      },
      *signOutOf({ name, author }: SignOutOf): Work<SignedOut> {
        const sessions = yield* run(`DELETE FROM console_sessions WHERE name = ${$(1)} RETURNING 1`, [name]);
        const links = yield* run(`DELETE FROM console_links WHERE name = ${$(1)} RETURNING 1`, [name]);
        const ended = { sessions: sessions.length, links: links.length };
        yield* append(entryOfSignOutOf(name, author, ended));
        return ended;
      },
    },
  };
}
