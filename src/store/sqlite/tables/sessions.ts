import { sessionWork } from "../../sql/tables/sessions.ts";
import { SQLITE } from "../sql/dialect.ts";
import { BOOKKEEPING, declareWrites, tableStore } from "./write.ts";

const SESSIONS = sessionWork(SQLITE);

export const sessionWrites = declareWrites("sessions", BOOKKEEPING, { ...SESSIONS.writes, ...SESSIONS.changes });

export const sqliteSessions = tableStore(SESSIONS.reads, sessionWrites);
