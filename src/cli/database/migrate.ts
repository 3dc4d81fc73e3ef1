import type { Command } from "commander";
import { inspectStore, type Migrated, migrateStore } from "../../store/open.ts";
import { displayName } from "../../store/urls/database-url.ts";
import { configFromEnvironment } from "../arguments/context.ts";
import type { JsonOption } from "../arguments/options.ts";
import { ownCommand } from "../own-command.ts";
import { note, print, printJson } from "../terminal/print.ts";

const EXIT_NOT_CURRENT = 1;

export function addMigrate(program: Command): void {
  program
    .command("migrate")
    .description("Create the schema of the database, or bring it up to date. Several may run at once.")
    .option("--check", "change nothing; print what would be done, and exit with 1 if that is anything")
    .action(migrate);
}

async function migrate({ check, json }: JsonOption & { readonly check?: true }): Promise<void> {
  const { DATABASE_URL: database } = configFromEnvironment();
  const result = check ? await inspectStore(database) : await migrateStore(database, note);
  const name = displayName(database);
  if (json) printJson({ database: name, ...result });
  else if (result.migrations.length === 0) print(`${name} is up to date, at schema ${result.to}.`);
  else print(check ? whatIsDue(result, name) : whatWasDone(result, name));
  if (check && result.migrations.length > 0) process.exitCode = EXIT_NOT_CURRENT;
}

function whatWasDone({ from, to, migrations }: Migrated, name: string): string {
  if (from === 0) return `Created schema ${to} in ${name}.`;
  return `Brought ${name} from schema ${from} to ${to}:\n${listOf(migrations)}`;
}

function whatIsDue({ from, to, migrations }: Migrated, name: string): string {
  if (from === 0) return `${name} has no schema yet. To create schema ${to}: ${ownCommand("migrate")}`;
  return `${name} has schema ${from}, and this version needs ${to}. These migrations would run with ${ownCommand("migrate")}:\n${listOf(migrations)}`;
}

const listOf = (migrations: readonly string[]): string => migrations.map((migration) => `  ${migration}`).join("\n");
