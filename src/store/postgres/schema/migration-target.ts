import { type AnimalToFold, unfoldedOf } from "../../schema/folding.ts";
import {
  type AppliedMigration,
  appliedMigration,
  type DueStep,
  digestOfMigration,
  isFilled,
  type Migration,
  type MigrationTarget,
  type Step,
  stepsDoneOf,
  stepsOfCreation,
} from "../../schema/migrate.ts";
import type { Row } from "../../sql/table.ts";
import type { Connection, Session } from "../connections/connection.ts";
import { PLANNING } from "../connections/dialect.ts";
import type { LockWait } from "../connections/lock-wait.ts";
import { FOLD_NAMES, foldNamesParameters } from "./folding.ts";

const TABLE = `CREATE TABLE IF NOT EXISTS migrations (
  number      bigint PRIMARY KEY,
  name        text   NOT NULL,
  digest      text   NOT NULL,
  applied_at  bigint NOT NULL,
  serves_from bigint,
  steps_done  bigint
)`;

/** Less than a session may be idle before connections/watch.ts takes it for dead: a fill may have waited for locks. */
const MAX_FILL_PAUSE_MS = 5_000;

/** Columns that are missing in a database of an earlier release. */
const ADD_COLUMNS = `ALTER TABLE migrations
  ADD COLUMN IF NOT EXISTS serves_from bigint,
  ADD COLUMN IF NOT EXISTS steps_done bigint`;

/**
 * Until the transaction ends, nobody else records a step. The migration lock is held by another session, and when that
 * is lost, another process may be at the same step.
 */
const LOCK = "LOCK TABLE migrations IN SHARE ROW EXCLUSIVE MODE";

/** Reads them as JSON, because those columns may be missing. */
const SELECT_APPLIED = `SELECT number, digest, (to_jsonb(m) ->> 'serves_from')::bigint AS serves_from,
  (to_jsonb(m) ->> 'steps_done')::bigint AS steps_done FROM migrations m`;

/** The migrations that a database has recorded. It only reads. */
export async function appliedMigrations({ run }: Connection): Promise<readonly AppliedMigration[]> {
  const [table] = await run<{ name: string | null }>("SELECT to_regclass('migrations')::text AS name");
  if (table?.name === null) return [];
  return (await run<Row>(SELECT_APPLIED)).map(appliedMigration);
}

/** Use it under the migration lock. Steps wait for locks only briefly, so that nobody queues behind them. */
export function migrationTarget(session: Session, wait: LockWait): MigrationTarget {
  const transact = <T>(migration: Migration, work: (tx: Connection) => Promise<T>): Promise<T> =>
    wait.briefly(describe(migration), () =>
      session.transact(async (tx) => {
        await tx.run(`SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = ${wait.parts.lockTimeoutMs}`);
        return work(tx);
      }),
    );

  const runInTransaction = (due: DueStep): Promise<bigint | undefined> =>
    transact(due.migration, async (tx) => {
      if (!(await isDueUnderLock(tx, due))) return undefined;
      const next = await carryOut(tx, due);
      if (next === undefined) await record(tx, due.migration, due.digest, due.position + 1);
      return next;
    });

  return {
    applied: () => appliedMigrations(session),
    create: (migrations) =>
      session.transact(async (tx) => {
        await tx.run("SET LOCAL statement_timeout = 0");
        await tx.run(TABLE);
        await tx.run(LOCK);
        if ((await appliedMigrations(tx)).length > 0) return;
        // An earlier release may have been killed right after it created the table.
        await addColumns(tx);
        for (const migration of migrations) {
          for (const { sql } of stepsOfCreation(migration)) await tx.run(sql);
          await record(tx, migration, digestOfMigration(migration), migration.steps.length);
        }
      }),
    async run(due) {
      await transact(due.migration, (tx) => addColumns(tx));
      if (due.step.kind === "index") {
        if (!isDue(await appliedMigrations(session), due)) return undefined;
        await createIndex(session, due, wait);
        await transact(due.migration, async (tx) => {
          if (await isDueUnderLock(tx, due)) await record(tx, due.migration, due.digest, due.position + 1);
        });
        return undefined;
      }
      const beganMs = performance.now();
      const next = await runInTransaction(due);
      // A fill pauses half of the time, for the service.
      if (next !== undefined) await Bun.sleep(Math.min(performance.now() - beganMs, MAX_FILL_PAUSE_MS));
      return next;
    },
  };
}

const isDue = (applied: readonly AppliedMigration[], { migration, position }: DueStep): boolean =>
  stepsDoneOf(applied, migration) === position;

async function isDueUnderLock(tx: Connection, due: DueStep): Promise<boolean> {
  await tx.run(LOCK);
  return isDue(await appliedMigrations(tx), due);
}

const describe = ({ number, name }: Migration): string => `migration ${number} (${name})`;

/** An ALTER TABLE waits for all readers of the table, even if there is nothing to add. */
async function addColumns(tx: Connection): Promise<void> {
  const columns = await tx.run(
    "SELECT 1 FROM pg_attribute WHERE attrelid = 'migrations'::regclass AND attname = 'steps_done' AND NOT attisdropped",
  );
  if (columns.length === 0) await tx.run(ADD_COLUMNS);
}

async function carryOut(tx: Connection, { step, after }: DueStep): Promise<bigint | undefined> {
  if (step.kind === "fold") return foldSome(tx, step, after);
  if (step.kind === "fill") return isFilled(step, await fillOnce(tx, step.sql)) ? undefined : after;
  await tx.run(step.sql);
  return undefined;
}

async function foldSome(tx: Connection, step: Step, after: bigint): Promise<bigint | undefined> {
  for (const [name, value] of Object.entries(PLANNING)) await tx.run(`SET LOCAL ${name} = ${value}`);
  const read = await tx.run<AnimalToFold>(step.sql, [after]);
  const unfolded = unfoldedOf(read);
  if (unfolded.length > 0) await tx.run(FOLD_NAMES, foldNamesParameters(unfolded));
  return isFilled(step, read.length) ? undefined : read.at(-1)?.id;
}

/** Returns how many rows it changed. */
async function fillOnce(tx: Connection, sql: string): Promise<number> {
  const [changed] = await tx.run<{ count: bigint }>(
    `WITH changed AS (${sql.trim().replace(/;$/, "")} RETURNING 1) SELECT count(*) AS count FROM changed`,
  );
  return Number(changed?.count);
}

const record = (tx: Connection, { number, name, servesFrom }: Migration, digest: string, done: number) =>
  tx.run(
    `INSERT INTO migrations (number, name, digest, applied_at, serves_from, steps_done) VALUES ($1, $2, $3, $4, $5, $6)
      ON CONFLICT (number) DO UPDATE SET steps_done = greatest(migrations.steps_done, excluded.steps_done)`,
    [number, name, digest, Date.now(), servesFrom, done],
  );

const INDEX = /^CREATE (?:UNIQUE )?INDEX (\w+) ON /;

/** Builds beside reads and writes, so outside a transaction. The rest of an interrupted attempt is built again. */
async function createIndex(session: Session, { migration, step, position }: DueStep, wait: LockWait): Promise<void> {
  const name = INDEX.exec(step.sql.trim())?.[1];
  if (name === undefined) throw new Error(`${describe(migration)}: step ${position + 1} is not one CREATE INDEX`);
  await wait.patiently(describe(migration), async () => {
    await session.run(`SET statement_timeout = 0; SET lock_timeout = ${wait.parts.limitMs}`);
    const [found] = await session.run<{ valid: boolean }>(
      "SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)",
      [name],
    );
    if (found?.valid) return;
    if (found) await session.run(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
    try {
      await session.run(step.sql.trim().replace("INDEX", "INDEX CONCURRENTLY"));
    } catch (error) {
      // An invalid index is of no use, and a unique one would still refuse rows.
      await session.run(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`).catch(() => {});
      throw error;
    }
  });
}
