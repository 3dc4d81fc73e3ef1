import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { OperatorError } from "../domain/fault.ts";
import { configFromEnvironment } from "./context.ts";
import { count, print } from "./print.ts";

export function addBackup(program: Command): void {
  program
    .command("backup <file>")
    .description("Write a consistent copy of the whole database into a new file, also while the service runs.")
    .action(async (file: string) => {
      const { DATABASE_URL: address } = configFromEnvironment();
      if (address.kind !== "sqlite")
        throw new OperatorError("a PostgreSQL database is backed up with its own tools: use pg_dump");
      const { backupSqlite } = await import("../store/sqlite/backup.ts");
      const path = resolve(file);
      await backupSqlite(address.path, path);
      print(`Backed up to ${path} (${count(statSync(path).size)} bytes).`);
    });
}
