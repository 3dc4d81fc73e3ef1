import { readFileSync } from "node:fs";
import { withSql } from "../servers/postgres.ts";

/** The statements with which an operator makes the index of names on PostgreSQL. */
export const NAME_INDEX_STATEMENTS: readonly string[] = readFileSync("docs/operations.md", "utf8")
  .split("\n")
  .map((line) => line.trim())
  .filter((line) => /^CREATE .*(pg_trgm|gin_trgm_ops)/.test(line));

/** Makes searches inside names possible. SQLite needs nothing for that. */
export async function makeNameIndex(databaseUrl: string): Promise<void> {
  if (databaseUrl.startsWith("sqlite:")) return;
  await withSql(databaseUrl, async (sql) => {
    for (const statement of NAME_INDEX_STATEMENTS) await sql.unsafe(statement);
  });
}
