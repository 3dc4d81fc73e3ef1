import postgres from "postgres";
import { OperatorError } from "../../domain/operator-error.ts";
import { displayName } from "../database-url.ts";
import { migrate } from "../migrate.ts";
import { POSTGRES_MIGRATIONS } from "../migrations/postgres/index.ts";
import { StoreUnavailable } from "../store.ts";
import { migrationTarget } from "./migration-target.ts";
import { Sockets } from "./sockets.ts";

/** int8 is read as a bigint, exact over its whole range. */
const TYPES = { bigint: postgres.BigInt };
export type Sql = postgres.Sql<{ bigint: bigint }>;
export type Transaction = postgres.TransactionSql<{ bigint: bigint }>;

// Everything that can wait ends before a client gives up: first on the server, then here.
const STATEMENT_TIMEOUT_MS = 1_500;
const LOCK_TIMEOUT_MS = 1_000;
const RESPONSE_TIMEOUT_MS = 1_800;
const CONNECT_TIMEOUT_SECONDS = 1;
const RECONNECT_DELAY_SECONDS = 0.2;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 5_000;
const CLOSE_TIMEOUT_SECONDS = 1;

/** Beyond this many statements at once per connection, load is shed rather than queued. */
const MAX_IN_FLIGHT_PER_CONNECTION = 100;

/** A pool of connections in which nothing waits for ever. */
export class Pool {
  #inFlight = 0;

  constructor(
    readonly sql: Sql,
    private readonly maxInFlight: number,
    private readonly sockets: Sockets,
  ) {}

  async close(): Promise<void> {
    this.sockets.close();
    await this.sql.end({ timeout: CLOSE_TIMEOUT_SECONDS });
  }

  /** Runs statements that change nothing. Throws StoreUnavailable when there is no response in time. */
  read<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#guard(() => work(this.sql), "nothing");
  }

  /** Runs one transaction, or one statement that is a transaction by itself. */
  write<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#guard(() => work(this.sql), "unknown");
  }

  transact<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.write((sql) => sql.begin(work) as Promise<T>);
  }

  async #guard<T>(work: () => Promise<T>, changed: "nothing" | "unknown"): Promise<T> {
    if (this.#inFlight >= this.maxInFlight) throw new StoreUnavailable("too many statements at once");
    this.#inFlight++;
    const running = work();
    running.then(this.#leave, this.#leave);
    const { promise: timeout, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => reject(new StoreUnavailable("no response in time", { changed })),
      RESPONSE_TIMEOUT_MS,
    );
    try {
      return await Promise.race([running, timeout]);
    } catch (error) {
      throw translated(error, changed);
    } finally {
      clearTimeout(timer);
    }
  }

  /** A statement that nobody waits for any more counts until the server is done with it. */
  readonly #leave = (): void => {
    this.#inFlight--;
  };
}

/** Connects, and brings the schema up to date. Fails with an OperatorError, which never contains the password. */
export async function openSql(url: string, connections: number, sockets?: Sockets): Promise<Sql> {
  const sql = postgres(url, {
    types: TYPES,
    max: connections,
    fetch_types: false,
    connect_timeout: CONNECT_TIMEOUT_SECONDS,
    backoff: () => RECONNECT_DELAY_SECONDS,
    onnotice: () => {},
    connection: {
      application_name: "animal-store",
      statement_timeout: STATEMENT_TIMEOUT_MS,
      lock_timeout: LOCK_TIMEOUT_MS,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    },
    ...(sockets ? { socket: sockets.open as never } : {}),
  });
  try {
    const [encoding] = await sql`SHOW server_encoding`;
    if (encoding?.server_encoding !== "UTF8") throw new OperatorError("its encoding must be UTF8");
    await migrateUnderLock(sql);
    return sql;
  } catch (error) {
    await sql.end({ timeout: CLOSE_TIMEOUT_SECONDS });
    throw new OperatorError(
      `cannot use the database ${displayName({ kind: "postgres", url })}: ${(error as Error).message}`,
    );
  }
}

/** A pool to serve from. Fails with an OperatorError. */
export async function openPool(url: string, connections: number): Promise<Pool> {
  const sockets = new Sockets();
  const sql = await openSql(url, connections, sockets);
  sockets.watch();
  return new Pool(sql, connections * MAX_IN_FLIGHT_PER_CONNECTION, sockets);
}

/** An arbitrary number: of an advisory lock that no other program takes. */
const MIGRATION_LOCK = 4_705_221_190;

/** However many instances start at once, one migrates while the others wait. */
async function migrateUnderLock(sql: Sql): Promise<void> {
  const connection = await sql.reserve();
  try {
    await connection`SET statement_timeout = 0`;
    await connection`SET lock_timeout = 0`;
    await connection`SELECT pg_advisory_lock(${MIGRATION_LOCK}::bigint)`;
    await migrate(await migrationTarget(connection), POSTGRES_MIGRATIONS);
  } finally {
    await connection`SELECT pg_advisory_unlock_all()`.catch(() => {});
    await connection`RESET statement_timeout`.catch(() => {});
    await connection`RESET lock_timeout`.catch(() => {});
    connection.release();
  }
}

/** Connections, resources, operator intervention, system errors, rollbacks, a read-only server, locks not obtained. */
const UNAVAILABLE_SQLSTATE = /^(08|53|57|58|40|25006|55P03)/;
const NETWORK = /^(CONNECTION_|CONNECT_TIMEOUT|ECONN|ENOTFOUND|EPIPE|ETIMEDOUT|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)/;

function translated(error: unknown, changed: "nothing" | "unknown"): unknown {
  if (error instanceof StoreUnavailable) return error;
  const code = String((error as { code?: unknown } | null)?.code ?? "");
  const message = `${code}: ${(error as Error).message}`;
  if (NETWORK.test(code)) return new StoreUnavailable(message, { changed, cause: error });
  if (UNAVAILABLE_SQLSTATE.test(code)) return new StoreUnavailable(message, { cause: error });
  return error;
}
