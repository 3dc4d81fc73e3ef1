import { statSync } from "node:fs";
import { resolve } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { OperatorError } from "../../base/operator-error.ts";
import { yieldProcessor } from "../../base/system/priority.ts";
import { systemClock } from "../../base/time/clock.ts";
import type { Config } from "../../config.ts";
import { backUpToFile, backUpToFolder, type CopyingOptions, type FolderBackup } from "../../store/backup.ts";
import { isEmbedded } from "../../store/urls/database-url.ts";
import { configFromEnvironment } from "../arguments/context.ts";
import { addExamples } from "../arguments/examples.ts";
import type { JsonOption } from "../arguments/options.ts";
import { interruptible } from "../terminal/interrupt.ts";
import { formatNumber, note, print, printJson } from "../terminal/print.ts";
import { EXIT_INTERRUPTED } from "../terminal/stop-signals.ts";

export function addBackup(program: Command): void {
  const command = program
    .command("backup")
    .argument("[file]", "a new file")
    .description("Write a consistent copy of the whole database to a new file, even while the service is running.")
    .option("--to <folder>", "write to a new file in this folder, named after the current time")
    .option(
      "--keep <number>",
      "then delete the oldest backups of this database, and keep so many (with --to)",
      parseKeep,
    )
    .action(backup);
  addExamples(command, [["backup --to backups --keep 14", "for a timer: one a day, of two weeks"]]);
}

interface BackupOptions extends JsonOption {
  readonly to?: string;
  readonly keep?: number;
}

const KEEP_MAX = 100_000;

function parseKeep(text: string): number {
  const keep = /^[0-9]{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (keep >= 1 && keep <= KEEP_MAX) return keep;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${KEEP_MAX}.`);
}

async function backup(file: string | undefined, { to, keep, json }: BackupOptions, command: Command): Promise<void> {
  if ((file === undefined) === (to === undefined))
    return command.error("error: give either the file of the backup, or a folder with --to <folder>");
  if (keep !== undefined && to === undefined)
    return command.error("error: option '--keep <number>' needs '--to <folder>': nothing else is ever deleted");
  const path = embeddedPath(configFromEnvironment(), "backed up", "use pg_dump for PostgreSQL");
  yieldProcessor();
  const made =
    to === undefined ? await intoFile(path, resolve(file as string)) : await intoFolder(path, resolve(to), keep);
  if (!made) return;
  // Another backup that keeps only newer ones may have deleted it already.
  const bytes = statSync(made.file, { throwIfNoEntry: false })?.size ?? null;
  if (json) return printJson({ file: made.file, bytes, deleted: made.deleted });
  const size = bytes === null ? "deleted by a later backup" : `${formatNumber(bytes)} bytes, checked`;
  print(`Backed up to ${made.file} (${size}).`);
  for (const old of made.deleted) print(`Deleted ${old}.`);
}

/** Undefined: it was interrupted. */
function intoFile(path: string, file: string): Promise<Pick<FolderBackup, "file" | "deleted"> | undefined> {
  return withProgress("backup", "stopped: no backup was made", async (options) => {
    await backUpToFile(path, file, options);
    return { file, deleted: [] };
  });
}

async function intoFolder(path: string, folder: string, keep: number | undefined): Promise<FolderBackup | undefined> {
  const { nowMs } = systemClock;
  const made = await withProgress("backup", "stopped: no backup was made, and none was deleted", (options) =>
    backUpToFolder(path, folder, { keep, nowMs, ...options }),
  );
  if (made?.fromFuture !== undefined)
    note(
      `animal-store: warning: no old backup was deleted, because ${made.fromFuture} is from the future: check the clock, then rename or delete that file`,
    );
  return made;
}

/** Shows how many bytes have been copied. Undefined: it was interrupted, and the operator was told so. */
export async function withProgress<T>(
  label: string,
  whenStopped: string,
  work: (options: CopyingOptions) => Promise<T>,
): Promise<T | undefined> {
  const result = await interruptible(whenStopped, (signal, progress) =>
    work({ signal, onCopied: (done, total) => progress.report({ label, unit: "bytes", total }, done) }),
  );
  // SQLite may still be in the middle of a copy.
  if (process.exitCode === EXIT_INTERRUPTED) process.exit();
  return result;
}

/** The path of an embedded database. Fails with an OperatorError for any other. */
export function embeddedPath({ DATABASE_URL: database }: Config, done: string, otherwise: string): string {
  if (isEmbedded(database)) return database.path;
  throw new OperatorError(`only a SQLite database can be ${done} by this command: ${otherwise}`);
}
