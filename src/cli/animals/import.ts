import { type Command, InvalidArgumentError } from "commander";
import { isRequired } from "../../base/json/fields.ts";
import { OperatorError } from "../../base/operator-error.ts";
import { suggest } from "../../base/text/suggest.ts";
import { countOf, quote } from "../../base/text/text.ts";
import { systemClock } from "../../base/time/clock.ts";
import type { Imported, ImportOptions, ImportProgress, ImportRefusal } from "../../bulk/import.ts";
import { type ColumnMap, FIELD_NAMES, isFieldName, NEW_FIELDS } from "../../bulk/reading/columns.ts";
import { itOrThem, textOfImportRefusal } from "../../bulk/wording.ts";
import { NEW_ANIMAL_FIELDS } from "../../domain/stock/animal.ts";
import { authorOf } from "../arguments/author.ts";
import { withStore } from "../arguments/context.ts";
import { addExamples } from "../arguments/examples.ts";
import { didYouMean, type JsonOption } from "../arguments/options.ts";
import { ownCommand } from "../own-command.ts";
import { interruptible } from "../terminal/interrupt.ts";
import { formatNumber, note, print, printJson } from "../terminal/print.ts";
import { EXIT_INTERRUPTED } from "../terminal/stop-signals.ts";

const STANDARD_INPUT = "-";

export function addImport(animals: Command): void {
  const command = animals
    .command("import <file>")
    .description(
      "Add the animals of a file, or of standard input (-): CSV with a header, NDJSON, or gzip of either. The whole file is validated first. If interrupted, run it again.",
    )
    .option(
      "--map <fields>",
      "the columns to read, such as name=Name,categoryId=Cat; all others are left out (default: the columns that are named like fields)",
      parseMap,
    )
    .option("--dry-run", "validate everything, and write nothing")
    .option("--skip-invalid", "import the valid lines, and leave out the others")
    .option("--again", "import a file that was imported before once more")
    .option("--keep-ids", "restore an export with its ids, into a store without animals")
    .option(
      "--rejected <file>",
      "the file for the reasons of invalid lines (default: <file>.rejected); the lines go to one beside it, .csv or .ndjson",
    )
    .action(importCommand);
  addExamples(command, [
    ["animals import pets.csv --dry-run", "what would be added, and what is wrong"],
    ["animals import pets.csv --map name=Name,categoryId=Group", "of a spreadsheet with other heads"],
  ]);
}

interface ImportCommandOptions extends JsonOption, Partial<Omit<ImportOptions, "path" | "rejectedPath">> {
  readonly rejected?: string;
}

async function importCommand(file: string, options: ImportCommandOptions): Promise<void> {
  const path = file === STANDARD_INPUT ? undefined : file;
  const { map, dryRun = false, skipInvalid = false, again = false, keepIds = false, json } = options;
  const rejectedPath = options.rejected ?? `${path ?? "standard-input"}.rejected`;
  const imported = await runImport({ path, rejectedPath, map, dryRun, skipInvalid, again, keepIds });
  // Open input would keep the process running.
  if (!imported) process.exit(EXIT_INTERRUPTED);
  const { import: written, animals, rejected, unreported, linesPath, linesLeftOut, addedBefore } = imported;
  if (json)
    return printJson({
      import: written ? Number(written.id) : null,
      animals,
      added: (written?.added ?? addedBefore) - addedBefore,
      addedBefore,
      rejected,
      rejectedFile: rejected > 0 ? rejectedPath : null,
      unreported,
      rejectedLinesFile: linesPath ?? null,
      linesLeftOut,
    });
  if (rejected > 0) noteRejects(imported, rejectedPath);
  if (!written) {
    const continued = addedBefore > 0 ? `; ${formatNumber(addedBefore)} of them were added by an earlier run` : "";
    return print(`${countOf(animals, "animal")} can be imported${continued}. Nothing was written.`);
  }
  const continued = addedBefore > 0 ? `, ${formatNumber(addedBefore)} of them by an earlier run` : "";
  const remedy = `To remove ${itOrThem(written.added)} again: ${ownCommand(`animals undo ${written.id}`)}`;
  print(
    `Import ${written.id} has added ${countOf(written.added, "animal")}${continued}.${written.added > 0 ? ` ${remedy}` : ""}`,
  );
}

function noteRejects({ rejected, rejectedLines, unreported, linesPath, linesLeftOut }: Imported, path: string): void {
  const only = (left: number): string =>
    left > 0 ? `, which has room for the first ${formatNumber(rejected - left)}` : "";
  note(`${countOf(rejectedLines, "line")} rejected: see ${path}${only(unreported)}`);
  const them = itOrThem(rejectedLines);
  note(`To import ${them} too, correct ${them} in ${linesPath}${only(linesLeftOut)}, and import that file.`);
}

async function runImport(options: ImportOptions): Promise<Imported | undefined> {
  const { importAnimals } = await import("../../bulk/import.ts");
  let importId: bigint | undefined;
  return interruptible(
    () =>
      importId === undefined
        ? "stopped: this run has added nothing"
        : `stopped import ${importId}: run the same command again to go on`,
    (signal, progress) =>
      withStore(async ({ imports, categories }, config) => {
        const onProgress = ({ step, done, total, ...more }: ImportProgress): void => {
          importId = more.importId;
          progress.report({ ...STEPS[step], total }, done);
        };
        const parts = {
          imports,
          categories,
          author: authorOf(config),
          nowMs: systemClock.nowMs,
          sleep: Bun.sleep,
          signal,
        };
        const imported = await importAnimals({ ...parts, onProgress }, options);
        return imported.kind === "done" ? imported.value : failToImport(imported.reason, options);
      }),
  );
}

const STEPS = {
  validate: { label: "validate", unit: "lines" },
  add: { label: "import", unit: "animals" },
} as const;

function failToImport(reason: ImportRefusal, { path, rejectedPath, dryRun }: ImportOptions): never {
  const refusal = textOfImportRefusal(reason, {
    source: path ?? "standard input",
    rejectedIn: rejectedPath,
    elsewhere: "name another file for rejected lines with --rejected",
    leaveOut: dryRun ? undefined : "with --skip-invalid",
    again: "give --again",
    keepIds: "--keep-ids",
    undo: (id) => `with ${ownCommand(`animals undo ${id}`)}`,
    imports: ownCommand("animals imports"),
    columns: {
      assigned_ids: (columns) => `leave them out with --map ${mapFor(columns)}`,
      unknown_column: (columns) =>
        `name the columns to read with --map ${mapFor(columns)}, and the others are left out`,
      missing_column: (columns) => `say which one it is with --map ${mapFor(columns)}`,
    },
  });
  throw new OperatorError(refusal);
}

/** The map that these columns probably need. */
const mapFor = (columns: readonly string[]): string =>
  NEW_FIELDS.map((field) => ({ field, column: suggest(field, columns.filter(isPlain)) }))
    .filter(({ field, column }) => column !== undefined || isRequired(NEW_ANIMAL_FIELDS[field as "name"]))
    .map(({ field, column }) => `${field}=${column ?? "COLUMN"}`)
    .join(",");

/** A shell needs no quotes for it. */
const isPlain = (column: string): boolean => /^[\w.-]+$/.test(column);

/** Fields and their columns, separated by commas. */
function parseMap(text: string): ColumnMap {
  const map = new Map<(typeof FIELD_NAMES)[number], string>();
  for (const part of text.split(",")) {
    const [field = "", ...rest] = part.split("=");
    const [name, column] = [field.trim(), rest.join("=").trim()];
    if (!isFieldName(name)) {
      const hint = didYouMean(suggest(name, FIELD_NAMES));
      throw new InvalidArgumentError(`The fields are ${FIELD_NAMES.join(", ")}, and ${quote(name)} is not.${hint}`);
    }
    if (column === "") throw new InvalidArgumentError(`Say which column ${name} is: ${name}=Column.`);
    if (map.has(name)) throw new InvalidArgumentError(`It names ${name} more than once.`);
    map.set(name, column);
  }
  return map;
}
