import type { SQL } from "bun";
import { type CopiedTable, copyStore } from "../../../src/store/copy/copy.ts";
import { SIGNED } from "./author.ts";

/** Copies a whole store from a file to a PostgreSQL database. */
export const copyToPostgres = (path: string, url: string): Promise<CopiedTable[]> =>
  copyStore({ kind: "sqlite", path }, { kind: "postgres", url }, { author: SIGNED });

/** Makes a finished copy look as if it had been interrupted at its end. */
export async function unfinish(sql: SQL): Promise<void> {
  await sql`UPDATE copies SET finished_at = NULL`;
  await sql`ALTER TABLE journal DISABLE TRIGGER USER`;
  await sql`DELETE FROM journal WHERE action = 'copy'`;
  await sql`ALTER TABLE journal ENABLE TRIGGER USER`;
}
