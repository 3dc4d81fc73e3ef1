import type { SessionStore } from "../../ports/store.ts";
import { sessionWork } from "../../sql/tables/sessions.ts";
import { SQLITE } from "../sql/dialect.ts";
import type { Connection } from "../sql/statements.ts";
import { reading } from "./work.ts";
import { BOOKKEEPING, declareWrites, forward, type Writes } from "./write.ts";

const SESSIONS = sessionWork(SQLITE);

export const sessionWrites = declareWrites("sessions", BOOKKEEPING, { ...SESSIONS.writes, ...SESSIONS.changes });

export const sqliteSessions = (connection: Connection, writes: Writes): SessionStore => ({
  ...reading(connection, SESSIONS.reads),
  ...forward(writes, sessionWrites),
});
