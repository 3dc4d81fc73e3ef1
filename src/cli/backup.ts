import { chmodSync, existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { OperatorError } from "../domain/fault.ts";
import { withStore } from "./context.ts";
import { count, print } from "./print.ts";

export function addBackup(program: Command): void {
  program
    .command("backup <file>")
    .description("Write a consistent copy of the whole database into a new file, also while the service runs.")
    .action(async (file: string) => {
      const path = resolve(file);
      if (existsSync(path)) throw new OperatorError(`${path} exists already: name a new file`);
      await withStore({ create: false }, async (store) => store.backup(path));
      chmodSync(path, 0o600);
      print(`Backed up to ${path} (${count(statSync(path).size)} bytes).`);
    });
}
