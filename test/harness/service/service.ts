import { join } from "node:path";
import { pino } from "pino";
import { type Environment, readConfig } from "../../../src/config.ts";
import type { EnvironmentName } from "../../../src/domain/environment.ts";
import { digestOf, newKey, newSecret } from "../../../src/domain/keys/key.ts";
import { PLANS, type Plan, type Quotas } from "../../../src/domain/keys/plan.ts";
import { SCOPES, type Scope } from "../../../src/domain/keys/scope.ts";
import { type StartParts, start } from "../../../src/start.ts";
import { openForCommand } from "../../../src/store/open.ts";
import type { Store } from "../../../src/store/ports/store.ts";
import { openHandle } from "../../../src/store/postgres/store.ts";
import type { DatabaseUrl } from "../../../src/store/urls/database-url.ts";
import { lineOptions } from "../../../src/telemetry/log.ts";
import { atEnd } from "../cleanup.ts";
import { temporaryFolder } from "../folder.ts";
import { callsTo } from "../requests/send.ts";
import { SIGNED } from "../rows/author.ts";

/** The settings of a service's storage. */
export type StorageSettings = {
  readonly DATABASE_URL: string;
  readonly REDIS_URL?: string;
};

/** The databases that a service under test can run on. */
export interface Backend {
  /** Creates new, empty databases. */
  newStorage(): Promise<StorageSettings>;
  /** The rows of a statement, over a separate connection. */
  query(storage: StorageSettings, statement: string): Promise<unknown[]>;
  /** The whole contents of the databases as text. */
  contents(storage: StorageSettings): Promise<string>;
}

export const newSqliteStorage = (): StorageSettings => ({
  DATABASE_URL: `sqlite:${join(temporaryFolder(), "store.db")}`,
});

export interface IssueOptions {
  readonly plan?: Plan;
  readonly quotas?: Quotas;
  readonly expiresAtMs?: number;
  /** All scopes by default. */
  readonly scopes?: readonly Scope[];
  /** Off by default. */
  readonly mayRotate?: boolean;
  readonly name?: string;
  /** The environment in the secret's prefix; production by default. */
  readonly environment?: EnvironmentName;
}

/** Opens the database of a service like a command, over a separate connection. */
export async function withStore<T>(database: DatabaseUrl, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(database);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Opens the store as a command does, but as patiently as a service under test. */
const openStore = (database: DatabaseUrl): Promise<Store> =>
  database.kind === "postgres"
    ? openHandle({ kind: "postgres", url: database.url, connections: 1, deadlineMs: DATABASE_DEADLINE_MS })
    : openForCommand(database, { create: false });

/** Issues a key as the CLI does. */
export async function issueKey(
  database: DatabaseUrl,
  {
    plan = "business",
    quotas,
    expiresAtMs,
    scopes = SCOPES,
    mayRotate = false,
    name = "test",
    environment,
  }: IssueOptions = {},
): Promise<{ id: string; secret: string }> {
  const secret = newSecret(environment);
  const agreed = quotas ?? PLANS[plan] ?? { perMinute: 1_000_000, perDay: 1_000_000 };
  const key = newKey({ name, plan, quotas: agreed, scopes, mayRotate, createdAtMs: Date.now(), expiresAtMs });
  await withStore(database, ({ keys }) => keys.create({ ...SIGNED, key, digest: digestOf(secret) }));
  return { id: key.id, secret };
}

export interface TestServiceOptions extends Partial<Omit<StartParts, "log">> {
  /** The databases; a new SQLite file unless this or `env` says otherwise. */
  readonly backend?: Backend;
  /** Settings; with the `storage` of another service it runs on the same data. */
  readonly env?: Environment;
  /** Collects the lines of the log. */
  readonly logged?: string[];
  /** The secret of an existing key, instead of issuing one. */
  readonly secret?: string;
  /** Waits until all threads answer, unless false. */
  readonly isComplete?: boolean;
}

/** Long, so that limits stay exact on a busy machine: an instance counts by itself if Redis is late. */
const REDIS_ANSWER_TIMEOUT_MS = 20_000;
/** Long, so that a busy machine does not make a service give PostgreSQL up. */
const DATABASE_DEADLINE_MS = 20_000;
/** A test of one of these times sets it. */
const PATIENT = { redisAnswerTimeoutMs: REDIS_ANSWER_TIMEOUT_MS, databaseDeadlineMs: DATABASE_DEADLINE_MS };

/** Starts the real service on a free port and a new database. Responses are checked against the OpenAPI document. */
export async function startService({
  backend,
  env,
  logged,
  secret: known,
  isComplete = true,
  ...parts
}: TestServiceOptions = {}) {
  const storage = await storageFor(backend, env);
  const result = readConfig({ PORT: "0", THREADS: "1", ...storage, ...env });
  if ("mistakes" in result) throw new Error(result.mistakes.join("\n"));
  const { config } = result;
  const log = logged
    ? pino(lineOptions("debug", Date.now), { write: (line: string) => void logged.push(line) })
    : pino({ level: "silent" });
  const service = await start(config, { log, ...PATIENT, quietMs: 0, ...parts });
  atEnd(() => service.stop());
  if (isComplete) await service.isComplete;
  const database = config.DATABASE_URL;
  const boundless = known ?? (await issueKey(database, { plan: "enterprise" })).secret;

  /** A new connection per call, so that any thread may answer. */
  const connection: Record<string, string> = config.THREADS === 1 ? {} : { Connection: "close" };

  const call = callsTo(`${service.origin}/v1`, boundless, connection);

  /** The OpenAPI document as it is served. */
  // biome-ignore lint/suspicious/noExplicitAny: a document is walked by path
  const document = async (): Promise<any> => (await fetch(`${service.origin}/openapi.json`)).json();

  return {
    ...service,
    storage,
    /** The database file, for tests that are about SQLite. */
    path: database.kind === "sqlite" ? database.path : "",
    call,
    document,
    boundless,
    issueKey: (options?: IssueOptions) => issueKey(database, options),
    withStore: <T>(work: (store: Store) => Promise<T>) => withStore(database, work),
  };
}

export type TestService = Awaited<ReturnType<typeof startService>>;

async function storageFor(backend: Backend | undefined, env: Environment | undefined): Promise<StorageSettings> {
  if (!env?.DATABASE_URL) return backend ? backend.newStorage() : newSqliteStorage();
  return { DATABASE_URL: env.DATABASE_URL, ...(env.REDIS_URL ? { REDIS_URL: env.REDIS_URL } : {}) };
}
