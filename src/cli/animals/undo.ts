import { type Command, InvalidArgumentError } from "commander";
import { parseInt64 } from "../../base/json/int64.ts";
import { OperatorError } from "../../base/operator-error.ts";
import { countOf } from "../../base/text/text.ts";
import { systemClock } from "../../base/time/clock.ts";
import { itOrThem } from "../../bulk/wording.ts";
import { type Import, stateOfImport, type UndoRefusal } from "../../domain/stock/import.ts";
import { authorOf } from "../arguments/author.ts";
import { withStore } from "../arguments/context.ts";
import type { JsonOption } from "../arguments/options.ts";
import { ownCommand } from "../own-command.ts";
import { addYes, type Confirm, confirmation, type YesOption } from "../terminal/confirmation.ts";
import { interruptible } from "../terminal/interrupt.ts";
import {
  formatMinute,
  formatNumber,
  formatTime,
  isoTime,
  print,
  printJson,
  terminalWidth,
  timeOrNull,
} from "../terminal/print.ts";
import { type Column, table } from "../terminal/table.ts";

export function addUndo(animals: Command): void {
  addYes(animals.command("undo"))
    .description(
      "Remove the animals that an import has added, even those that were updated since, but none that orders refer to. If interrupted, run it again.",
    )
    .argument("<import>", "the number of the import, as animals imports shows it", parseNumber)
    .action(undoCommand);
}

async function undoCommand(importId: bigint, options: JsonOption & YesOption, command: Command): Promise<void> {
  const undone = await runUndo(importId, confirmation(options, command));
  if (!undone) return;
  if (options.json) return printJson(jsonOf(undone));
  const { removed, kept, added } = undone;
  const gone = added - removed - kept;
  print(`Import ${importId} has been undone: ${countOf(removed, "animal")} removed.`);
  if (kept > 0) print(`${countOf(kept, "animal")} kept, because orders refer to ${itOrThem(kept)}.`);
  if (gone > 0) print(`${countOf(gone, "animal")} had been removed before.`);
}

async function runUndo(importId: bigint, isConfirmed: Confirm): Promise<Import | undefined> {
  const { undoImport } = await import("../../bulk/undo.ts");
  return interruptible(`stopped: run ${ownCommand(`animals undo ${importId}`)} again to go on`, (signal, progress) =>
    withStore(async ({ imports }, config) => {
      if (!(await isConfirmed(lossBy(await imports.get(importId))))) return undefined;
      const onProgress = (done: number, total: number): void =>
        progress.report({ label: "undo", unit: "animals", total }, done);
      const parts = { imports, author: authorOf(config), nowMs: systemClock.nowMs, sleep: Bun.sleep, signal };
      const undone = await undoImport({ ...parts, onProgress }, importId);
      return undone.kind === "done" ? undone.value : failToUndo(undone.reason, importId);
    }),
  );
}

/** Undefined: nothing will be removed. */
function lossBy(found: Import | undefined): string | undefined {
  if (!found || found.undoneAtMs !== undefined) return undefined;
  const { id, source, added, removed, kept } = found;
  return `Import ${id} (${source}): ${countOf(added - removed - kept, "animal")} will be removed, except those that orders refer to.`;
}

function failToUndo(reason: UndoRefusal, importId: bigint): never {
  if (reason.kind === "no_such_import")
    throw new OperatorError(`there is no import ${importId}. To see all imports: ${ownCommand("animals imports")}`);
  throw new OperatorError(
    `import ${importId} was undone already, at ${formatTime(reason.undone.undoneAtMs as number)}`,
  );
}

export function addImports(animals: Command): void {
  animals.command("imports").description("List imports with their numbers, newest first.").action(listImports);
}

async function listImports({ json }: JsonOption): Promise<void> {
  const imports = await withStore(async (store) => store.imports.list());
  if (json) return printJson(imports.map(jsonOf));
  if (imports.length === 0) return print(`Nothing was imported yet. To import a file: ${ownCommand("animals import")}`);
  print(table(COLUMNS, imports, terminalWidth()));
}

const COLUMNS: readonly Column<Import>[] = [
  { title: "NUMBER", align: "right", text: ({ id }) => String(id) },
  { title: "STATE", text: stateOfImport },
  { title: "ADDED", align: "right", text: ({ added }) => formatNumber(added) },
  { title: "OF", align: "right", rank: 1, text: ({ animals }) => formatNumber(animals) },
  { title: "REMOVED", align: "right", rank: 3, text: ({ removed }) => formatNumber(removed) },
  { title: "KEPT", align: "right", rank: 3, text: ({ kept }) => formatNumber(kept) },
  { title: "BEGUN", rank: 2, text: ({ begunAtMs }) => formatMinute(begunAtMs) },
  { title: "FILE", shrinksTo: 12, text: ({ source }) => source },
];

const jsonOf = (each: Import) => ({
  import: Number(each.id),
  file: each.source,
  state: stateOfImport(each),
  animals: each.animals,
  rejected: each.records - each.animals,
  added: each.added,
  removed: each.removed,
  kept: each.kept,
  begunAt: isoTime(each.begunAtMs),
  finishedAt: timeOrNull(each.finishedAtMs),
  undoneAt: timeOrNull(each.undoneAtMs),
});

function parseNumber(text: string): bigint {
  const id = parseInt64(text);
  if (id !== undefined && id > 0n) return id;
  throw new InvalidArgumentError("The number of an import is a whole number from 1.");
}
