import { OperatorError } from "../../base/operator-error.ts";
import { withTimeout } from "../../base/time/timeout.ts";
import { POSTGRES_MIGRATIONS } from "../migrations/postgres/index.ts";
import {
  isWorkDue,
  MIGRATES,
  type Migrated,
  type Migration,
  migrate,
  newestOf,
  type SchemaRules,
  type SchemaState,
  schemaState,
  workDue,
} from "../schema/migrate.ts";
import { noAnswer, operatorError } from "./connections/client.ts";
import { APPLICATION, openSession, type Session } from "./connections/connection.ts";
import { BESIDE, LockWait, PATIENCE, type Patience } from "./connections/lock-wait.ts";
import { INSUFFICIENT_PRIVILEGE, sqlStateOf } from "./connections/sql-state.ts";
import { Watch } from "./connections/watch.ts";
import { underMigrationLock } from "./schema/migration-lock.ts";
import { appliedMigrations, migrationTarget } from "./schema/migration-target.ts";

export interface SchemaOptions {
  readonly rules: SchemaRules;
  /** Told what is done to the schema, and what that waits for. */
  readonly onProgress?: ((message: string) => void) | undefined;
  /** The default is those of this version. */
  readonly migrations?: readonly Migration[];
  readonly patience?: Patience;
  readonly answerTimeoutMs?: number;
  /** The interval at which a migration checks that the server is at work on it. */
  readonly lookIntervalMs?: number;
}

/** The limit for statements that any server answers at once: the driver has one only for the login. */
const ANSWER_TIMEOUT_MS = 10_000;

/**
 * Connects, and creates the schema or brings it up to date, if that is necessary and allowed. If it is not necessary,
 * it only reads. Fails with an OperatorError, which never contains the password.
 */
export const openOnSchema = (url: string, options: SchemaOptions): Promise<Session> =>
  withSession(url, options, async (session) => {
    const { to, migrations } = await bringUpToDate(session, url, options);
    if (migrations.length > 0) options.onProgress?.(`schema ${to} is in place: ran ${migrations.join(", ")}`);
    return session;
  });

/** Returns what a migration would do. Changes nothing. Fails with an OperatorError. */
export const inspectDatabase = (url: string): Promise<Migrated> =>
  withSession(url, {}, async (session) => {
    const due = workDue(schemaState(await readApplied(session, url), POSTGRES_MIGRATIONS), POSTGRES_MIGRATIONS);
    await session.close();
    return due;
  });

/** Migrates the schema, or creates it. Returns what it did. Fails with an OperatorError. */
export const migrateDatabase = (
  url: string,
  onProgress: (message: string) => void,
  options: Partial<SchemaOptions> = {},
): Promise<Migrated> =>
  withSession(url, options, async (session) => {
    const migrated = await bringUpToDate(session, url, { rules: MIGRATES, onProgress, ...options });
    await session.close();
    return migrated;
  });

async function withSession<T>(
  url: string,
  { answerTimeoutMs }: Pick<SchemaOptions, "answerTimeoutMs">,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  let session: Session | undefined;
  try {
    session = await openSession(url, APPLICATION);
    const answer = session.run<{ server_encoding: string }>("SHOW server_encoding");
    const [encoding] = await answered(answer, url, answerTimeoutMs);
    if (encoding?.server_encoding !== "UTF8") throw new OperatorError("its encoding must be UTF8");
    return await work(session);
  } catch (error) {
    await session?.close();
    const refusal = await operatorError(url, error);
    throw sqlStateOf(error) === INSUFFICIENT_PRIVILEGE
      ? new OperatorError(refusal.message, { kind: "migrate_as_owner" })
      : refusal;
  }
}

/** Fails with an OperatorError if there is no answer in time; the session must then be closed. */
async function answered<T>(answer: Promise<T>, url: string, withinMs = ANSWER_TIMEOUT_MS): Promise<T> {
  const reply = await withTimeout(answer, withinMs);
  if (!reply) throw noAnswer(url, withinMs);
  return reply.value;
}

const readApplied = (session: Session, url: string, withinMs?: number) =>
  answered(appliedMigrations(session), url, withinMs);

async function bringUpToDate(session: Session, url: string, options: SchemaOptions): Promise<Migrated> {
  const { rules, onProgress = () => {}, migrations = POSTGRES_MIGRATIONS, patience = PATIENCE } = options;
  const state = schemaState(await readApplied(session, url, options.answerTimeoutMs), migrations);
  if (!isWorkDue(state, rules, newestOf(migrations))) return workDue(state, migrations);
  const { answerTimeoutMs = ANSWER_TIMEOUT_MS, lookIntervalMs = answerTimeoutMs } = options;
  await answered(refuseReadOnly(session, state), url, answerTimeoutMs);
  const watch = new Watch(url, { answerTimeoutMs, lookIntervalMs });
  let holder: Session | undefined;
  const onSession = (opened: Session) => {
    holder = opened;
    return watch.on(opened);
  };
  const lock = { limitMs: patience.migratorLimitMs, onProgress, onSession };
  // Few migrations have to wait for a lock, and only then is there something to look at.
  let observer: Promise<Session> | undefined;
  try {
    const migrating = underMigrationLock(url, lock, async () => {
      const pid = await watch.on(session);
      const observe = () => {
        observer ??= openSession(url, BESIDE);
        return observer;
      };
      const wait = new LockWait({ ...patience, observer: observe, pid, onProgress });
      return migrate(migrationTarget(session, wait), migrations);
    });
    return await watch.during(migrating);
  } catch (error) {
    // If the server is silent, the work does not get to its own end.
    await holder?.close();
    throw error;
  } finally {
    await observer?.then(
      (opened) => opened.close(),
      () => {},
    );
  }
}

async function refuseReadOnly(session: Session, state: SchemaState): Promise<void> {
  const [row] = await session.run<{ transaction_read_only: string }>("SHOW transaction_read_only");
  if (row?.transaction_read_only !== "on") return;
  throw new OperatorError(
    `its schema is ${state.kind === "empty" ? "missing" : "older than this version needs"}, and it is read-only`,
    { kind: "migrate_on_primary" },
  );
}
