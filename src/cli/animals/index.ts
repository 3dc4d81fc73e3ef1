import type { Command } from "commander";
import { addAnimalsList, addAnimalsShow } from "../stock/animals.ts";
import { addExport } from "./export.ts";
import { addImport } from "./import.ts";
import { addImports, addUndo } from "./undo.ts";

export function addAnimals(program: Command): void {
  const animals = program.command("animals").description("See animals, and work with many at once.");
  addAnimalsList(animals);
  addAnimalsShow(animals);
  addExport(animals);
  addImport(animals);
  addImports(animals);
  addUndo(animals);
}
