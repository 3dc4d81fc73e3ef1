import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { systemClock } from "../../base/time/clock.ts";
import { operatorKeyFile, problemWithOperatorKey } from "../../keys/operator-key.ts";
import { type Restored, restoreFromFile } from "../../store/backup.ts";
import { authorOf } from "../arguments/author.ts";
import { configFromEnvironment, withStore } from "../arguments/context.ts";
import type { JsonOption } from "../arguments/options.ts";
import { wordsFor } from "../operator-key.ts";
import { ownCommand } from "../own-command.ts";
import { addYes, confirmation, type YesOption } from "../terminal/confirmation.ts";
import { formatMinute, formatNumber, print, printJson, shellQuoted } from "../terminal/print.ts";
import { embeddedPath, withProgress } from "./backup.ts";

export function addRestore(program: Command): void {
  addYes(program.command("restore"))
    .argument("<file>", "a backup")
    .description(
      "Replace the database by a backup, and keep the old one aside. Stop the service first. The backup is checked, and not changed.",
    )
    .option("--force", "restore even if rows break the rules of the store; a damaged file is never restored")
    .action(restore);
}

interface RestoreCommandOptions extends JsonOption, YesOption {
  readonly force?: true;
}

async function restore(file: string, options: RestoreCommandOptions, command: Command): Promise<void> {
  const { force, json } = options;
  const isConfirmed = confirmation(options, command);
  const config = configFromEnvironment();
  const path = embeddedPath(config, "restored", "use pg_restore for PostgreSQL, with the service stopped");
  const backup = resolve(file);
  if (!(await isConfirmed(lossBy(backup, resolve(path))))) return;
  const authorship = { ...authorOf(config), atMs: systemClock.nowMs() };
  const restored = await withProgress("restore", "stopped: nothing was restored", (copying) =>
    restoreFromFile(path, backup, { authorship, isForced: force === true, ...copying }),
  );
  if (!restored) return;
  const operatorKey = await operatorKeyOf(path, restored);
  if (!json) return print(sentencesOf(backup, restored, operatorKey).join("\n"));
  const works = operatorKey && { file: operatorKey.file, works: operatorKey.works };
  printJson({ file: backup, ...restored, aside: restored.aside ?? null, operatorKey: works });
}

/** Undefined: there is no database that could be lost, or no backup. */
function lossBy(backup: string, path: string): string | undefined {
  const [old, replacement] = [path, backup].map(fileFacts);
  return (
    old &&
    replacement &&
    `${old} will be replaced by ${replacement}. It is kept aside, but what was changed after the backup will be missing.`
  );
}

/** Undefined: it is not there, or cannot be read, which the restore says. */
function fileFacts(path: string): string | undefined {
  try {
    const { size, mtimeMs } = statSync(path);
    // The latest changes to a database are in its log.
    const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
    const changedAtMs = Math.max(mtimeMs, log?.mtimeMs ?? 0);
    return `${path} (${formatNumber(size)} bytes, last changed ${formatMinute(changedAtMs)})`;
  } catch {
    return undefined;
  }
}

type OperatorKey = Awaited<ReturnType<typeof operatorKeyOf>>;

/** Checks the file beside the database, which stays: the keys are now those of the backup. */
async function operatorKeyOf(path: string, { schema }: Restored) {
  const file = operatorKeyFile(path);
  if (!existsSync(file)) return null;
  // Nobody knows before the schema is up to date.
  if (!schema.isCurrent) return { file, works: null, problem: undefined };
  const problem = await withStore((store) => problemWithOperatorKey(store.keys, file, systemClock));
  return { file, works: problem === undefined, problem };
}

function sentencesOf(backup: string, restored: Restored, operatorKey: OperatorKey): string[] {
  const { database, aside, schema, isJournaled } = restored;
  const lines = [`Restored ${database} from ${backup}.`];
  if (aside !== undefined)
    lines.push(
      `The old database is kept: ${aside}`,
      `To go back to it: ${ownCommand(`restore ${shellQuoted(aside)}`)}`,
    );
  lines.push("Keys are those of the backup: what was issued, changed or revoked later is not in it.");
  if (operatorKey?.problem)
    lines.push(`The secret in ${operatorKey.file} does not work: ${wordsFor(operatorKey.problem)}.`);
  if (!schema.isCurrent)
    lines.push(`It has schema ${schema.number}, and this version needs ${schema.needed}: the next start migrates it.`);
  if (!isJournaled) lines.push("The restore is not in the journal: a store of that schema has none.");
  return lines;
}
