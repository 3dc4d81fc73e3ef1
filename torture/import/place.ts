import type { Database } from "bun:sqlite";
import { join } from "node:path";
import { atEnd } from "../../test/harness/cleanup.ts";
import { openDatabaseFile } from "../../test/harness/rows/sqlite.ts";
import { withSql } from "../../test/harness/servers/postgres.ts";
import { readContents } from "../fleet/contents.ts";
import { type Contents, readSqlite } from "../ledger/contents.ts";

/** A row of the table of imports. */
export interface ImportRow {
  readonly id: number;
  readonly animals: number;
  readonly recordsDone: number;
  readonly records: number;
  readonly added: number;
  readonly removed: number;
  readonly kept: number;
  readonly finishedAt: unknown;
  readonly undoneAt: unknown;
}

/** A database, read from outside the service. */
export interface Place {
  readonly env: Readonly<Record<string, string>>;
  contents(): Promise<Contents>;
  /** The newest import. */
  newestImport(): Promise<ImportRow | undefined>;
}

const NEWEST = `SELECT id, animals, records, records_done AS "recordsDone", added, removed, kept,
  finished_at AS "finishedAt", undone_at AS "undoneAt" FROM imports ORDER BY id DESC LIMIT 1`;

/** Reads the newest import in an SQLite file. */
export function newestImportIn(path: string): ImportRow | undefined {
  const db = openDatabaseFile(path, { readonly: true });
  try {
    return newest(db);
  } finally {
    db.close();
  }
}

const newest = (db: Database): ImportRow | undefined => (db.query(NEWEST).get() as ImportRow | null) ?? undefined;

/** The SQLite file in a folder, which must exist. */
export function sqlitePlace(cwd: string): Place {
  const path = join(cwd, "data/animal-store.db");
  const db = openDatabaseFile(path, { readonly: true });
  atEnd(() => db.close());
  return {
    env: {},
    contents: async () => readSqlite(path),
    newestImport: async () => newest(db),
  };
}

export const postgresPlace = (url: string): Place => ({
  env: { DATABASE_URL: url },
  contents: () => readContents(url),
  async newestImport() {
    const [row] = (await withSql(url, (sql) => sql.unsafe(NEWEST))) as Record<string, unknown>[];
    if (!row) return undefined;
    const { finishedAt, undoneAt, ...numbers } = row;
    const exact = Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, Number(value)]));
    return { ...exact, finishedAt, undoneAt } as unknown as ImportRow;
  },
});
