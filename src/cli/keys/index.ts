import type { Command } from "commander";
import { addEdit } from "./edit.ts";
import { addList, addShow } from "./list.ts";
import { addCreate, addRotate } from "./secrets.ts";
import { addStates } from "./states.ts";
import { addKeyUsage } from "./usage.ts";

export function addKeys(program: Command): void {
  const keys = program
    .command("keys")
    .description(
      "Issue and manage API keys, even while the service is running: it notices a change within 2 seconds.\n" +
        "Wherever an <id> is expected, the name of the key will do if no other key has it.",
    );
  addCreate(keys);
  addList(keys);
  addShow(keys);
  addKeyUsage(keys);
  addEdit(keys);
  addRotate(keys);
  addStates(keys);
}
