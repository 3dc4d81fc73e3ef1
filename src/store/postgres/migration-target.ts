import type { ReservedSql } from "postgres";
import type { AppliedMigration, MigrationTarget } from "../migrate.ts";

/** On a connection that holds the migration lock, so no other process migrates meanwhile. */
export async function migrationTarget(connection: ReservedSql<{ bigint: bigint }>): Promise<MigrationTarget> {
  await connection`CREATE TABLE IF NOT EXISTS migrations (
    number     bigint PRIMARY KEY,
    name       text   NOT NULL,
    digest     text   NOT NULL,
    applied_at bigint NOT NULL
  )`;
  return {
    async applied(): Promise<readonly AppliedMigration[]> {
      const rows = await connection<{ number: bigint; digest: string }[]>`SELECT number, digest FROM migrations`;
      return rows.map(({ number, digest }) => ({ number: Number(number), digest }));
    },
    async apply({ number, name, sql }, digest) {
      await connection`BEGIN`;
      try {
        await connection`INSERT INTO migrations (number, name, digest, applied_at)
          VALUES (${number}, ${name}, ${digest}, ${Date.now()})`;
        await connection.unsafe(sql).simple();
        await connection`COMMIT`;
      } catch (error) {
        await connection`ROLLBACK`.catch(() => {});
        throw error;
      }
    },
  };
}
