import { INT64_MIN } from "../../base/json/int64.ts";
import { OperatorError } from "../../base/operator-error.ts";
import type { Awaitable } from "../../base/time/awaitable.ts";
import { optionalNumber, type Row } from "../sql/table.ts";
import { UnusableDatabase } from "../urls/unusable-database.ts";

// The rules of schemas. A migration first expands: what the previous release needs stays until a later release, so that
// instances of both run side by side. It is made of steps, and each of them can be interrupted.

export interface Step {
  /**
   * `sql`: statements that run in one short transaction. `fill`: one statement that changes as many rows as its LIMIT
   * says, and is run until it finds fewer. `fold`: one that reads the next animals after an id, whose names are then
   * folded here. `index`: one CREATE INDEX, made beside writes where that is possible.
   */
  readonly kind: "sql" | "fill" | "fold" | "index";
  readonly sql: string;
}

export interface Migration {
  readonly number: number;
  readonly name: string;
  /** The oldest schema whose release can run on this one; its own number if only newer releases can. */
  readonly servesFrom: number;
  readonly steps: readonly Step[];
}

/** The database's record of a migration that was begun. */
export type AppliedMigration = ReturnType<typeof appliedMigration>;

export type SchemaState =
  | { readonly kind: "empty" }
  | { readonly kind: "older"; readonly number: number; readonly missing: readonly Migration[] }
  | { readonly kind: "current"; readonly number: number }
  /** The schema is of a newer version, and this version can run on it. */
  | { readonly kind: "newer"; readonly number: number };

/** A fill is done once a run finds fewer rows than its limit: older instances may add rows for ever. */
export function isFilled({ sql }: Step, found: number): boolean {
  const limit = /\bLIMIT (\d+)\)?;?\s*$/.exec(sql)?.[1];
  if (limit === undefined) throw new Error(`a fill ends in a LIMIT: ${sql}`);
  return found < Number(limit);
}

/** The steps that create an empty database, which has no names to fold. */
export const stepsOfCreation = ({ steps }: Migration): readonly Step[] => steps.filter(({ kind }) => kind !== "fold");

/** A step that is due, and its place in its migration. */
export interface DueStep {
  readonly migration: Migration;
  readonly digest: string;
  readonly step: Step;
  /** The number of steps before it. */
  readonly position: number;
  /** The id that a `fold` step continues after. A process that begins it again skips what is folded already. */
  readonly after: bigint;
}

/** One database to migrate. Only one process migrates it at a time; if two did, no step would run twice. */
export interface MigrationTarget {
  applied(): Awaitable<readonly AppliedMigration[]>;
  /** Runs all migrations in one transaction, unless another process has done so meanwhile. */
  create(migrations: readonly Migration[]): Awaitable<void>;
  /**
   * Runs a step, and records it when it is done, unless that is recorded already. Returns undefined when it is done;
   * otherwise the id that it continues after.
   */
  run(due: DueStep): Awaitable<bigint | undefined>;
}

/** Reads the record of a migration, which lacks some columns in a database of an earlier release. */
export const appliedMigration = ({ number, digest, serves_from, steps_done }: Row) => ({
  number: Number(number),
  digest: digest as string,
  /** Undefined in a database of a release that did not record it. */
  servesFrom: optionalNumber(serves_from),
  /** Undefined likewise; the migration is then complete. */
  stepsDone: optionalNumber(steps_done),
});

export const textOfMigration = ({ steps }: Migration): string => steps.map(({ sql }) => sql).join("\n");

export const digestOfMigration = (migration: Migration): string =>
  new Bun.CryptoHasher("sha256").update(textOfMigration(migration)).digest("hex");

export const newestOf = (migrations: readonly Migration[]): number => migrations.at(-1)?.number ?? 0;

/**
 * Compares a schema with this version. Throws an OperatorError if its version is too new for this one, or if a migration
 * has been edited since it ran.
 */
export function schemaState(applied: readonly AppliedMigration[], migrations: readonly Migration[]): SchemaState {
  if (applied.length === 0) return { kind: "empty" };
  refuseEdited(applied, migrations);
  const number = Math.max(...applied.map((each) => each.number));
  const known = newestOf(migrations);
  if (number > known) {
    const servesFrom = Math.max(...applied.filter((each) => each.number > known).map(servedFrom));
    if (servesFrom > known) throw tooNew(number, known, servesFrom);
    return { kind: "newer", number };
  }
  const missing = migrations.filter((migration) => stepsDoneOf(applied, migration) < migration.steps.length);
  return missing.length === 0 ? { kind: "current", number } : { kind: "older", number, missing };
}

const servedFrom = ({ number, servesFrom }: AppliedMigration): number => servesFrom ?? number;

const tooNew = (number: number, known: number, servesFrom: number): OperatorError =>
  new OperatorError(
    `the database has schema ${number}, which needs a version that knows schema ${servesFrom}, and this one knows only up to ${known}: run the newer version, or restore a backup`,
  );

function refuseEdited(applied: readonly AppliedMigration[], migrations: readonly Migration[]): void {
  const digests = new Map(applied.map(({ number, digest }) => [number, digest]));
  for (const migration of migrations) {
    const found = digests.get(migration.number);
    if (found !== undefined && found !== digestOfMigration(migration))
      throw new OperatorError(
        `migration ${migration.number} (${migration.name}) is not the one that this database was created with: run the version that created it`,
      );
  }
}

/** The number of steps of a migration that are done. */
export function stepsDoneOf(applied: readonly AppliedMigration[], { number, steps }: Migration): number {
  const found = applied.find((each) => each.number === number);
  return found === undefined ? 0 : (found.stepsDone ?? steps.length);
}

/** The rules about the schema for somebody who opens a database. */
export interface SchemaRules {
  readonly mayCreate: boolean;
  readonly mayMigrate: boolean;
  /** The schema may be that of a newer version, with tables and columns that this one does not know. */
  readonly mayBeNewer: boolean;
}

/** For a service, unless MIGRATE is off, and for the command migrate. */
export const MIGRATES: SchemaRules = { mayCreate: true, mayMigrate: true, mayBeNewer: true };
export const CHANGES_NO_SCHEMA: SchemaRules = { mayCreate: false, mayMigrate: false, mayBeNewer: true };
/** For any other command, which may run beside a service of another version. Nobody serves an empty database. */
export const ONLY_CREATES: SchemaRules = { mayCreate: true, mayMigrate: false, mayBeNewer: true };
/** For the source of a copy, which must not leave out what it does not know. */
export const COPIES_FROM: SchemaRules = { mayCreate: false, mayMigrate: false, mayBeNewer: false };
/** For the target of a copy, which nobody else uses until the copy is finished. */
export const COPIES_INTO: SchemaRules = { mayCreate: true, mayMigrate: false, mayBeNewer: false };

export const emptyDatabase = (): UnusableDatabase =>
  new UnusableDatabase("the database is empty", { kind: "database_empty" });

/** Tells whether the schema must be created or migrated first. Throws an OperatorError if the rules forbid it. */
export function isWorkDue(state: SchemaState, rules: SchemaRules, newest: number): boolean {
  if (state.kind === "current" || (state.kind === "newer" && rules.mayBeNewer)) return false;
  if (state.kind === "newer")
    throw new OperatorError(
      `the database has schema ${state.number}, and this version knows only up to ${newest}: use the newer version for this`,
    );
  if (state.kind === "empty") {
    if (rules.mayCreate) return true;
    throw emptyDatabase();
  }
  if (rules.mayMigrate) return true;
  throw new OperatorError(
    `the database has schema ${state.number}${state.number < newest ? `, and this version needs ${newest}` : ", which is not complete"}`,
    { kind: "migrate" },
  );
}

/** The migrations that were run, or that are due. */
export interface Migrated {
  /** 0 if the database was empty. */
  readonly from: number;
  readonly to: number;
  readonly migrations: readonly string[];
}

const nameOf = ({ number, name }: Migration): string => `${number} ${name}`;

/** The migrations that are due. */
export function workDue(state: SchemaState, migrations: readonly Migration[]): Migrated {
  const to = newestOf(migrations);
  if (state.kind === "empty") return { from: 0, to, migrations: migrations.map(nameOf) };
  if (state.kind === "older") return { from: state.number, to, migrations: state.missing.map(nameOf) };
  return { from: state.number, to: state.number, migrations: [] };
}

/** Brings a schema up to date: creates it, or runs each step that is not recorded, in order. Returns what it did. */
export async function migrate(target: MigrationTarget, migrations: readonly Migration[]): Promise<Migrated> {
  const applied = await target.applied();
  const state = schemaState(applied, migrations);
  if (state.kind === "empty") await target.create(migrations);
  if (state.kind === "older")
    for (const migration of state.missing) await finish(target, migration, stepsDoneOf(applied, migration));
  return workDue(state, migrations);
}

async function finish(target: MigrationTarget, migration: Migration, done: number): Promise<void> {
  const digest = digestOfMigration(migration);
  for (const [position, step] of migration.steps.entries()) {
    if (position < done) continue;
    let after: bigint | undefined = INT64_MIN;
    while (after !== undefined) after = await target.run({ migration, digest, step, position, after });
  }
}
