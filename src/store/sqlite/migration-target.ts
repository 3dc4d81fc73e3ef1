import type { Database } from "bun:sqlite";
import type { AppliedMigration, Migration, MigrationTarget } from "../migrate.ts";
import { raiseGeneration } from "./generation.ts";
import { prepared } from "./statements.ts";

export const MIGRATIONS_TABLE = `CREATE TABLE IF NOT EXISTS migrations (
  number     INTEGER PRIMARY KEY,
  name       TEXT    NOT NULL,
  digest     TEXT    NOT NULL,
  applied_at INTEGER NOT NULL
) STRICT`;

export function migrationTarget(db: Database): MigrationTarget {
  db.run(MIGRATIONS_TABLE);
  const record = prepared(
    db,
    "INSERT INTO migrations (number, name, digest, applied_at) VALUES (?, ?, ?, unixepoch() * 1000) ON CONFLICT DO NOTHING",
  );
  const applyUnlessRecorded = (migration: Migration, digest: string): void => {
    const isRecordedNow = record().run(migration.number, migration.name, digest).changes > 0;
    if (!isRecordedNow) return;
    raiseGeneration(db);
    db.run(migration.sql);
  };

  return {
    applied(): readonly AppliedMigration[] {
      const rows = db.query("SELECT number, digest FROM migrations").all() as { number: bigint; digest: string }[];
      return rows.map(({ number, digest }) => ({ number: Number(number), digest }));
    },
    apply(migration, digest) {
      db.transaction(applyUnlessRecorded).immediate(migration, digest);
    },
  };
}
