import type { Database } from "bun:sqlite";
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
import { hasTable } from "../sql/statements.ts";
import { performer } from "../sql/work.ts";
import { raiseGeneration } from "../wal/generation.ts";
import { foldNames } from "./folding.ts";

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

/** Reads the migrations that a database has recorded. */
export const appliedMigrations = (db: Database): readonly AppliedMigration[] =>
  hasTable(db, "migrations") ? db.query<Row, []>("SELECT * FROM migrations").all().map(appliedMigration) : [];

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

  const foldSome = (step: Step, after: bigint): bigint | undefined => {
    const animals = db.query(step.sql).all(after) as AnimalToFold[];
    performer(db)(foldNames(unfoldedOf(animals)));
    return isFilled(step, animals.length) ? undefined : animals.at(-1)?.id;
  };

  const carryOut = (step: Step, after: bigint): bigint | undefined => {
    if (step.kind === "fold") return foldSome(step, after);
    const { changes } = db.run(step.sql);
    return step.kind !== "fill" || isFilled(step, changes) ? undefined : after;
  };

  const run = ({ migration, digest, step, position, after }: DueStep): bigint | undefined => {
    if (stepsDoneOf(appliedMigrations(db), migration) !== position) return undefined;
    raiseGeneration(db);
    const next = carryOut(step, after);
    if (next === undefined) record(db, migration, digest, position + 1);
    return next;
  };

  return {
    applied: () => appliedMigrations(db),
    create(migrations) {
      db.transaction(create).immediate(migrations);
    },
    run(due) {
      db.transaction(addColumns).immediate(db);
      const next = db.transaction(run).immediate(due);
      // Without it, all that a fill writes would be in the log at once.
      if (next !== undefined) db.run("PRAGMA wal_checkpoint(PASSIVE)");
      return next;
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
