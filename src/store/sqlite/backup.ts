import { Database } from "bun:sqlite";
import { chmodSync, existsSync } from "node:fs";
import { OperatorError } from "../../domain/operator-error.ts";
import { preparePath } from "./database.ts";

/**
 * Writes a consistent copy of a database into a new file that only its owner can read, whether a service
 * runs or not. The schema is copied as it is, so the version that created the database can use the copy.
 */
export async function backupSqlite(path: string, file: string): Promise<void> {
  if (existsSync(file)) throw new OperatorError(`${file} already exists: choose another file name`);
  await preparePath(path, { create: false });
  const db = new Database(path, { readwrite: true });
  try {
    db.run("PRAGMA busy_timeout = 5000");
    db.prepare("VACUUM INTO ?").run(file);
    chmodSync(file, 0o600);
  } catch (error) {
    throw new OperatorError(`cannot back up ${path} to ${file}: ${(error as Error).message}`);
  } finally {
    db.close();
  }
}
