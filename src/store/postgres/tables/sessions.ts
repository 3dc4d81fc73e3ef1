import { entryOfLink, entryOfSignOut } from "../../../domain/console-session.ts";
import type { SessionStore } from "../../ports/store.ts";
import { consoleSessionOf, sessionStatements } from "../../sql/session-rows.ts";
import type { Row } from "../../sql/table.ts";
import { POSTGRES } from "../connections/dialect.ts";
import type { Pool } from "../database.ts";
import { appendJournal } from "./journal.ts";

const SQL = sessionStatements(POSTGRES.placeholder);

export const postgresSessions = (pool: Pool): SessionStore => ({
  makeLink: (link) =>
    pool.transact(async (tx) => {
      await tx.run(SQL.insertLink, [link.digest, link.name, link.expiresAtMs]);
      await appendJournal(tx, entryOfLink(link));
    }),
  signIn: ({ linkDigest, atMs, digest, expiresAtMs }) =>
    pool.transact(async (tx) => {
      const [link] = await tx.run<Row>(SQL.takeLink, [linkDigest, atMs]);
      if (!link) return undefined;
      const name = link.name as string;
      await tx.run(SQL.insertSession, [digest, name, expiresAtMs]);
      return { name, expiresAtMs };
    }),
  async get(digest) {
    const [row] = await pool.read<Row>(SQL.get, [digest]);
    return row && consoleSessionOf(row);
  },
  prolong: async ({ digest, expiresAtMs }) => void (await pool.write(SQL.prolong, [digest, expiresAtMs])),
  signOut: async ({ digest }) => void (await pool.write(SQL.delete, [digest])),
  signOutAll: (author) =>
    pool.transact(async (tx) => {
      const ended = (await tx.run(SQL.deleteAll)).length;
      await tx.run(SQL.deleteAllLinks);
      await appendJournal(tx, entryOfSignOut(author, ended));
      return ended;
    }),
});
