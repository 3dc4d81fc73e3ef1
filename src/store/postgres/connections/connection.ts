import type { SQL } from "bun";
import { lazy } from "../../../base/lazy.ts";
import type { SqlValue } from "../../sql/table.ts";
import { isPooled } from "../../urls/postgres-url.ts";
import { clientMaker, type SessionSettings } from "./client.ts";

/** Runs statements one after the other, within one transaction or one session. */
export interface Connection {
  readonly run: Run;
}

export interface CopyingConnection extends Connection {
  /** Runs a COPY … FROM STDIN with all of its data, in the format that the statement names. */
  copyIn(statement: string, data: string): Promise<void>;
}

/** Placeholders are $1, $2 and so on. Without parameters, the text may have several statements. */
export type Run = <Row = unknown>(statement: string, parameters?: readonly SqlValue[]) => Promise<Row[]>;

export const APPLICATION = { application_name: "animal-store" };

/** Marks connections of PgBouncer, which keeps idle ones for minutes, under the name of a client that may be gone. */
export const POOLED = "(pooled)";

/** The name by which the server knows a connection to this address. */
export const applicationName = (url: string, name: string): string =>
  isPooled(new URL(url)) ? `${name} ${POOLED}` : name;

export const connectionOf = (sql: SQL): CopyingConnection => ({
  run: (statement, parameters) => sql.unsafe(statement, parameters as SqlValue[] | undefined),
  async copyIn(statement, data) {
    const writer = sql.unsafe(statement).writable().getWriter();
    await writer.write(data);
    await writer.close();
  },
});

/** One connection, which is never silently replaced by another, so settings and locks on it last. */
export interface Session extends Connection {
  transact<T>(work: (tx: Connection) => Promise<T>): Promise<T>;
  /** May be called again. */
  close(): Promise<void>;
}

/** No timeouts: those that are set for the role are meant for requests. */
const UNLIMITED = { statement_timeout: 0, lock_timeout: 0, idle_in_transaction_session_timeout: 0 };

const CLOSE_TIMEOUT_SECONDS = 1;

/** Fails with the driver's error: see operatorError(). */
export async function openSession(url: string, settings: SessionSettings): Promise<Session> {
  const makeClient = await clientMaker(url);
  const name = String(settings.application_name ?? APPLICATION.application_name);
  const sql = makeClient({ settings: { ...UNLIMITED, ...settings, application_name: applicationName(url, name) } });
  await using onFailure = new AsyncDisposableStack();
  onFailure.defer(() => sql.close({ timeout: 0 }));
  const reserved = await sql.reserve();
  onFailure.move();
  return {
    ...connectionOf(reserved),
    transact: <T>(work: (tx: Connection) => Promise<T>) => reserved.begin((tx) => work(connectionOf(tx))) as Promise<T>,
    close: lazy(async () => {
      // Otherwise the client waits for it until the timeout.
      reserved.release();
      await sql.close({ timeout: CLOSE_TIMEOUT_SECONDS });
    }),
  };
}
