import type { Awaitable } from "../domain/awaitable.ts";
import { OperatorError } from "../domain/operator-error.ts";

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
}

export interface AppliedMigration {
  readonly number: number;
  readonly digest: string;
}

export interface MigrationTarget {
  applied(): Awaitable<readonly AppliedMigration[]>;
  /** Runs and records a migration in one transaction, unless another process has done so meanwhile. */
  apply(migration: Migration, digest: string): Awaitable<void>;
}

export const digestOfMigration = (migration: Migration): string =>
  new Bun.CryptoHasher("sha256").update(migration.sql).digest("hex");

/**
 * Brings a schema up to date: runs each migration once, in order. Throws an OperatorError when the
 * schema is that of a newer version, or when a migration that ran before has been edited since.
 */
export async function migrate(target: MigrationTarget, migrations: readonly Migration[]): Promise<void> {
  for (const migration of await missing(target, migrations))
    await target.apply(migration, digestOfMigration(migration));
}

export const isCurrent = async (target: MigrationTarget, migrations: readonly Migration[]): Promise<boolean> =>
  (await missing(target, migrations)).length === 0;

async function missing(target: MigrationTarget, migrations: readonly Migration[]): Promise<readonly Migration[]> {
  const applied = new Map((await target.applied()).map(({ number, digest }) => [number, digest]));
  const newest = Math.max(0, ...applied.keys());
  const known = migrations.at(-1)?.number ?? 0;
  if (newest > known)
    throw new OperatorError(
      `the database has schema ${newest}, and this version supports only up to ${known}: run the newer version, or restore a backup`,
    );
  for (const migration of migrations) {
    const found = applied.get(migration.number);
    if (found !== undefined && found !== digestOfMigration(migration))
      throw new OperatorError(
        `migration ${migration.number} (${migration.name}) is not the one that this database was created with: run the version that created it`,
      );
  }
  return migrations.filter(({ number }) => !applied.has(number));
}
