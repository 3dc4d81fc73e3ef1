import type { Command } from "commander";
import { addExport } from "./animals-export.ts";
import { addImport } from "./animals-import.ts";
import { addImports, addUndo } from "./animals-undo.ts";

export function addAnimals(program: Command): void {
  const animals = program.command("animals").description("Work with many animals at once.");
  addExport(animals);
  addImport(animals);
  addImports(animals);
  addUndo(animals);
}
