import type { Command } from "commander";
import { addExport } from "./export.ts";
import { addImport } from "./import.ts";
import { addImports, addUndo } from "./undo.ts";

export function addAnimals(program: Command): void {
  const animals = program.command("animals").description("Work with many animals at once.");
  addExport(animals);
  addImport(animals);
  addImports(animals);
  addUndo(animals);
}
