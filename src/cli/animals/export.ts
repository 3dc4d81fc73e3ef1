import { appendFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import type { Command } from "commander";
import { OperatorError } from "../../base/operator-error.ts";
import { yieldProcessor } from "../../base/system/priority.ts";
import { MINUTE_MS } from "../../base/time/clock.ts";
import type { Exported, WriteChunk } from "../../bulk/export.ts";
import { EXPORT_FORMATS, type ExportFormat } from "../../bulk/export-formats.ts";
import { ANIMAL_STATUSES, type AnimalStatus } from "../../domain/stock/animal.ts";
import { beginFile } from "../../store/files/partial-file.ts";
import { openAnimalSnapshot } from "../../store/open.ts";
import { type DatabaseUrl, displayName, isEmbedded } from "../../store/urls/database-url.ts";
import { configFromEnvironment } from "../arguments/context.ts";
import { idOf, type JsonOption, oneOf } from "../arguments/options.ts";
import { interruptible } from "../terminal/interrupt.ts";
import { formatNumber, print, printJson } from "../terminal/print.ts";
import type { Progress } from "../terminal/progress.ts";
import { OutputClosed } from "../terminal/stdout.ts";

export function addExport(animals: Command): void {
  animals
    .command("export")
    .description(
      "Write all animals, as of one moment, in a format that animals import reads, even while the service is running.",
    )
    .option("--to <file>", "a new file, which only its owner can read (default: standard output)")
    .option(
      "--format <format>",
      "csv, with a header, or ndjson (default: as the name of the file says, or csv)",
      oneOf("formats", EXPORT_FORMATS),
    )
    .option("--gzip", "compress it (default: if the name of the file ends in .gz)")
    .option(
      "--status <status>",
      `only animals with this status: ${ANIMAL_STATUSES.join(", ")}`,
      oneOf("statuses", ANIMAL_STATUSES),
    )
    .option("--category <id>", "only animals of this category", idOf("category"))
    .option("--force", "replace the file if it exists")
    .action(exportCommand);
}

interface ExportCommandOptions extends JsonOption {
  readonly to?: string;
  readonly format?: ExportFormat;
  readonly gzip?: boolean;
  readonly status?: AnimalStatus;
  readonly category?: bigint;
  readonly force?: true;
}

async function exportCommand(options: ExportCommandOptions, command: Command): Promise<void> {
  const { to, json, force } = options;
  if (to === undefined) {
    if (json) return command.error("error: option '--json' needs '--to <file>': standard output has the animals");
    if (force) return command.error("error: option '--force' needs '--to <file>'");
    if (options.gzip && process.stdout.isTTY)
      return command.error("error: compressed output is not for a terminal: give '--to <file>', or redirect it");
    return exportToStdout(options);
  }
  if (options.format === undefined && endingOf(basename(to)) !== undefined && formatNamed(to) === undefined)
    return command.error(
      `error: the file name ${to} ends neither in .csv nor in .ndjson: give '--format <format>', or a name that ends in .csv or .ndjson`,
    );
  const file = resolve(to);
  const exported = await exportToFile(file, options);
  if (!exported) return;
  const { animals, bytes, sha256 } = exported;
  if (json) printJson({ file, ...exported });
  else
    print(`Exported ${formatNumber(animals)} animals to ${file} (${formatNumber(bytes)} bytes).\nSHA-256: ${sha256}`);
}

function exportToFile(file: string, options: ExportCommandOptions): Promise<Exported | undefined> {
  return interruptible(`stopped: ${file} was not written`, async (signal, progress) => {
    const remedy = "choose another file name, or give --force to replace it";
    const partial = beginFile(file, { mayReplace: () => options.force === true, remedy });
    try {
      const write: WriteChunk = async (chunk) => appendFileSync(partial.descriptor, chunk);
      const exported = await runExport(write, options, signal, progress);
      partial.publish();
      return exported;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
      throw new OperatorError(`cannot write ${file}: ${(error as Error).message}`);
    } finally {
      partial.remove();
    }
  });
}

async function exportToStdout(options: ExportCommandOptions): Promise<void> {
  // Every write reports its own failure.
  process.stdout.on("error", () => {});
  const write: WriteChunk = (chunk) =>
    new Promise((done, fail) => void process.stdout.write(chunk, (error) => (error ? fail(error) : done())));
  await interruptible("stopped: what was written is not complete", async (signal, progress) => {
    await runExport(write, options, signal, progress).catch((error: NodeJS.ErrnoException) => {
      throw error.code === "EPIPE" ? new OutputClosed() : error;
    });
  });
}

async function runExport(
  write: WriteChunk,
  { to = "", format = formatNamed(to) ?? "csv", gzip = /\.gz$/i.test(to), status, category }: ExportCommandOptions,
  signal: AbortSignal,
  progress: Progress,
): Promise<Exported> {
  yieldProcessor();
  const filter = { status, categoryId: category };
  const database = configFromEnvironment().DATABASE_URL;
  const { exportAnimals } = await import("../../bulk/export.ts");
  const snapshot = await openAnimalSnapshot(database);
  const reminder = setTimeout(() => progress.say(whileRunning(database)), MINUTE_MS);
  try {
    const step = { label: "export", unit: "animals", total: await snapshot.count(filter) };
    const onProgress = (done: number): void => progress.report(step, done);
    return await exportAnimals(snapshot, write, { format, isCompressed: gzip, filter, signal, onProgress });
  } finally {
    clearTimeout(reminder);
    await snapshot.close();
  }
}

/** Names the price of an open snapshot. */
const whileRunning = (database: DatabaseUrl): string =>
  isEmbedded(database)
    ? `while this runs, its log, ${displayName(database)}-wal, grows with everything that is written`
    : "while this runs, PostgreSQL cannot clean up what is changed or deleted";

/** The format by the ending of a file name: animals.ndjson.gz. Undefined: it has another ending, or none. */
function formatNamed(file: string): ExportFormat | undefined {
  const ending = endingOf(file);
  return ending === "jsonl" ? "ndjson" : EXPORT_FORMATS.find((format) => format === ending);
}

const endingOf = (file: string): string | undefined =>
  /\.([^./]+)$/.exec(file.replace(/\.gz$/i, ""))?.[1]?.toLowerCase();
