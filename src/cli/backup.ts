import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { OperatorError } from "../domain/operator-error.ts";
import { backupSqlite } from "../store/sqlite/backup.ts";
import { configFromEnvironment } from "./context.ts";
import { formatNumber, print } from "./print.ts";

export function addBackup(program: Command): void {
  program
    .command("backup <file>")
    .description("Write a consistent copy of the whole database to a new file, even while the service is running.")
    .action(backup);
}

async function backup(file: string): Promise<void> {
  const { DATABASE_URL: database } = configFromEnvironment();
  if (database.kind !== "sqlite")
    throw new OperatorError("only a SQLite database can be backed up by this command: use pg_dump for PostgreSQL");
  const path = resolve(file);
  await backupSqlite(database.path, path);
  print(`Backed up to ${path} (${formatNumber(statSync(path).size)} bytes, checked).`);
}
