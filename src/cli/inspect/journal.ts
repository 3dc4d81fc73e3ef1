import type { Command } from "commander";
import { pagesOf } from "../../base/read-all.ts";
import { systemClock } from "../../base/time/clock.ts";
import type { JournalEntry } from "../../domain/journal.ts";
import { isKeyId } from "../../domain/keys/key.ts";
import { findKey } from "../../keys/queries/find.ts";
import type { JournalQuery, Store } from "../../store/ports/store.ts";
import { withStore } from "../arguments/context.ts";
import { type JsonOption, parseSince, SINCE_HELP } from "../arguments/options.ts";
import { valueFor } from "../keys/refusals.ts";
import { note, print } from "../terminal/print.ts";
import { write } from "../terminal/stdout.ts";
import { joinedImports, jsonOfEntry, lineOfEntry } from "./journal-views.ts";

/** The most entries in memory at once. */
const PAGE_SIZE = 500;

export function addJournal(program: Command): void {
  program
    .command("journal")
    .description(
      "Show who changed what, by a command or in the console, oldest first.\n" +
        "It contains neither calls of the API nor secrets.",
    )
    .option("--since <when>", `only changes since: ${SINCE_HELP}`, (text) => parseSince(text, systemClock.nowMs()))
    .option("--key <id>", "only changes to this key; one that was deleted is known by its id alone")
    .action(showJournal);
}

async function showJournal({ since, key, json }: JsonOption & { since?: number; key?: string }): Promise<void> {
  await withStore(async (store) => {
    const query = { sinceMs: since, keyId: key === undefined ? undefined : await idOf(store, key), size: PAGE_SIZE };
    if (json) return printAsJson(store, query);
    let isEmpty = true;
    for await (const entries of entriesOf(store, query)) {
      isEmpty = false;
      print(joinedImports(entries).map(lineOfEntry).join("\n"));
    }
    if (isEmpty) note("The journal has no such entries.");
  });
}

/** Prints one array, with an entry per line. */
async function printAsJson(store: Store, query: JournalQuery): Promise<void> {
  let separator = "[\n";
  for await (const entries of entriesOf(store, query))
    for (const entry of entries) {
      write(`${separator}  ${JSON.stringify(jsonOfEntry(entry))}`);
      separator = ",\n";
    }
  print(separator === ",\n" ? "\n]" : "[]");
}

const entriesOf = ({ journal }: Store, query: JournalQuery) =>
  pagesOf<JournalEntry>(query.size, async (last) => (await journal.list({ ...query, afterId: last?.id })).rows);

async function idOf({ keys }: Store, idOrName: string): Promise<string> {
  if (isKeyId(idOrName)) return idOrName;
  return valueFor(idOrName, await findKey(keys, idOrName)).id;
}
