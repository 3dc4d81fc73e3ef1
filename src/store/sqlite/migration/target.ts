import type { Database } from "bun:sqlite";
import { type AnimalToFold, FoldProgress, unfoldedOf } from "../../schema/folding.ts";
import {
  type AppliedMigration,
  type DueStep,
  digestOfMigration,
  isFilled,
  type Migration,
  type MigrationTarget,
  type Step,
  stepsDoneOf,
  stepsOfCreation,
} from "../../schema/migrate.ts";
import { hasTable } from "../sql/statements.ts";
import { foldNamesIn } from "../tables/maintenance.ts";
import { raiseGeneration } from "../wal/generation.ts";

const TABLE = `CREATE TABLE migrations (
  number      INTEGER PRIMARY KEY,
  name        TEXT    NOT NULL,
  digest      TEXT    NOT NULL,
  applied_at  INTEGER NOT NULL,
  serves_from INTEGER,
  steps_done  INTEGER
) STRICT`;

/** Columns that a database made by an earlier release does not have. */
const ADDED_COLUMNS = ["serves_from", "steps_done"];

interface AppliedRow {
  readonly number: bigint;
  readonly digest: string;
  readonly serves_from?: bigint | null;
  readonly steps_done?: bigint | null;
}

/** Reads the migrations that a database has recorded. */
export function appliedMigrations(db: Database): readonly AppliedMigration[] {
  if (!hasTable(db, "migrations")) return [];
  const rows = db.query("SELECT * FROM migrations").all() as AppliedRow[];
  return rows.map(({ number, digest, serves_from, steps_done }) => ({
    number: Number(number),
    digest,
    servesFrom: optionalNumber(serves_from),
    stepsDone: optionalNumber(steps_done),
  }));
}

const optionalNumber = (value: bigint | null | undefined): number | null =>
  value === null || value === undefined ? null : Number(value);

export function migrationTarget(db: Database): MigrationTarget {
  const create = (migrations: readonly Migration[]): void => {
    if (appliedMigrations(db).length > 0) return;
    if (!hasTable(db, "migrations")) db.run(TABLE);
    // An earlier release may have been killed when it had made the table alone.
    addColumns(db);
    raiseGeneration(db);
    for (const migration of migrations) {
      for (const { sql } of stepsOfCreation(migration)) db.run(sql);
      record(db, migration, digestOfMigration(migration), migration.steps.length);
    }
  };

  const progress = new FoldProgress();
  const foldSome = (step: Step): boolean => {
    const animals = db.query(step.sql).all(progress.after(step)) as AnimalToFold[];
    foldNamesIn(db)(unfoldedOf(animals));
    progress.moveBehind(step, animals);
    return isFilled(step, animals.length);
  };

  /** Returns whether the step is done. */
  const carryOut = (step: Step): boolean => {
    if (step.kind === "fold") return foldSome(step);
    const { changes } = db.run(step.sql);
    return step.kind !== "fill" || isFilled(step, changes);
  };

  const run = ({ migration, digest, step, position }: DueStep): boolean => {
    if (stepsDoneOf(appliedMigrations(db), migration) !== position) return true;
    raiseGeneration(db);
    const isDone = carryOut(step);
    if (isDone) record(db, migration, digest, position + 1);
    return isDone;
  };

  return {
    applied: () => appliedMigrations(db),
    create(migrations) {
      db.transaction(create).immediate(migrations);
    },
    run(due) {
      db.transaction(addColumns).immediate(db);
      const isDone = db.transaction(run).immediate(due);
      // Without it, all that a fill writes would be in the log at once.
      if (!isDone) db.run("PRAGMA wal_checkpoint(PASSIVE)");
      return isDone;
    },
  };
}

function record(db: Database, { number, name, servesFrom }: Migration, digest: string, done: number): void {
  db.run(
    `INSERT INTO migrations (number, name, digest, applied_at, serves_from, steps_done)
      VALUES (?, ?, ?, unixepoch() * 1000, ?, ?) ON CONFLICT DO UPDATE SET steps_done = excluded.steps_done`,
    [number, name, digest, servesFrom, done],
  );
}

function addColumns(db: Database): void {
  const columns = db.query("SELECT name FROM pragma_table_info('migrations')").all() as { name: string }[];
  for (const added of ADDED_COLUMNS)
    if (!columns.some(({ name }) => name === added)) {
      raiseGeneration(db);
      db.run(`ALTER TABLE migrations ADD COLUMN ${added} INTEGER`);
    }
}
