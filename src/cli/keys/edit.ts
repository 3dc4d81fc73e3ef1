import type { Command } from "commander";
import { editKey } from "../../keys/edit.ts";
import { withKeys } from "../arguments/context.ts";
import type { JsonOption } from "../arguments/options.ts";
import { print, printJson } from "../terminal/print.ts";
import { facts } from "../terminal/table.ts";
import { addKeyOptions, type KeyOptions, wantedIn } from "./options.ts";
import { valueFor } from "./refusals.ts";
import { changedFacts, jsonOfKey } from "./views.ts";

export function addEdit(keys: Command): void {
  const command = keys
    .command("edit <id>")
    .description("Change a key. Only what is given changes: its secrets and what it has used stay.");
  addKeyOptions(command, "").action(edit);
}

async function edit(idOrName: string, options: KeyOptions & JsonOption, command: Command): Promise<void> {
  await withKeys(async (context) => {
    const edited = await editKey(context, { idOrName, ...wantedIn(options) });
    const { before, key } = valueFor(idOrName, edited, command);
    if (options.json) return printJson(jsonOfKey(key, context.clock.nowMs()));
    const changes = changedFacts(before, key);
    if (changes.length === 0) print(`Key ${key.id} was like this already: nothing has changed.`);
    else print(`Key ${key.id} has been changed.\n\n${facts(changes)}`);
  });
}
