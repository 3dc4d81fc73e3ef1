import type { Command } from "commander";
import { pagesOf } from "../../base/read-all.ts";
import { SECOND_MS, systemClock } from "../../base/time/clock.ts";
import { firstUnfinished, joinedImports } from "../../domain/joined-imports.ts";
import type { JournalEntry } from "../../domain/journal.ts";
import { isKeyId } from "../../domain/keys/key.ts";
import { findKey } from "../../keys/queries/find.ts";
import type { JournalQuery, Store } from "../../store/ports/store.ts";
import { withStore } from "../arguments/context.ts";
import { addExamples } from "../arguments/examples.ts";
import { type JsonOption, parseLimit, parseSince, SINCE_HELP } from "../arguments/options.ts";
import { valueFor } from "../keys/refusals.ts";
import { note, print } from "../terminal/print.ts";
import { write } from "../terminal/stdout.ts";
import { newEntries } from "./journal-tail.ts";
import { jsonOfEntry, lineOfEntry } from "./journal-views.ts";

/** The most entries in memory at once, unless a limit asks for more. */
const PAGE_SIZE = 500;
/** With --follow, so many of the latest entries are shown first, as tail does. */
const FOLLOWED_FROM = 10;
const FOLLOW_EVERY_MS = SECOND_MS;

export function addJournal(program: Command): void {
  const journal = program
    .command("journal")
    .description(
      "Show who changed what, by a command or in the console, oldest first.\n" +
        "Of the calls of the API, only rotations of a key's own secret are in it; secrets never are.",
    )
    .option("--since <when>", `only changes since: ${SINCE_HELP}`, (text) => parseSince(text, systemClock.nowMs()))
    .option("--key <id>", "only changes to this key; one that was deleted is known by its id alone")
    .option("--limit <number>", "only the latest entries, so many; an import is one, and with --json two", parseLimit)
    .option("--follow", `go on with new entries as they are made, after the latest ${FOLLOWED_FROM} or those asked for`)
    .action(showJournal);
  addExamples(journal, [
    ["journal --limit 20", "the latest twenty"],
    ["journal --follow --json", "new entries for a script, an object a line"],
  ]);
}

interface JournalOptions extends JsonOption {
  readonly since?: number;
  readonly key?: string;
  readonly limit?: number;
  readonly follow?: true;
}

async function showJournal({ since, key, limit, follow, json }: JournalOptions): Promise<void> {
  await withStore(async (store) => {
    const query = { sinceMs: since, keyId: key === undefined ? undefined : await idOf(store, key), size: PAGE_SIZE };
    const latest = limit ?? (follow && since === undefined ? FOLLOWED_FROM : undefined);
    if (follow) return followJournal(store, query, latest, json);
    const pages = latest === undefined ? entriesOf(store, query) : [await latestOf(store, query, latest, json)];
    if (json) return printAsJson(pages);
    let isEmpty = true;
    for await (const entries of latest === undefined ? withWholeImports(pages) : pages) {
      if (entries.length === 0) continue;
      isEmpty = false;
      printLines(rowsOf(entries, latest));
    }
    if (isEmpty) note("The journal has no such entries.");
  });
}

/** Holds entries back from the beginning of an import to its end, a page of them at most, so that both are together. */
async function* withWholeImports(pages: Pages): AsyncGenerator<readonly JournalEntry[]> {
  let held: readonly JournalEntry[] = [];
  for await (const entries of pages) {
    held = [...held, ...entries];
    const first = firstUnfinished(held);
    const ready = held.length - first > PAGE_SIZE ? held.length : first;
    if (ready > 0) yield held.slice(0, ready);
    held = held.slice(ready);
  }
  if (held.length > 0) yield held;
}

const printLines = (entries: readonly JournalEntry[]): void => print(entries.map(lineOfEntry).join("\n"));

/** An array cannot end here, so scripts get an object a line. It goes on until the process is ended. */
async function followJournal(
  store: Store,
  query: JournalQuery,
  latest: number | undefined,
  json: true | undefined,
): Promise<void> {
  const show = (entries: readonly JournalEntry[], most?: number): void => {
    if (entries.length === 0) return;
    if (json) write(entries.map((entry) => `${JSON.stringify(jsonOfEntry(entry))}\n`).join(""));
    else printLines(rowsOf(entries, most));
  };
  const pages = latest === undefined ? entriesOf(store, query) : [await latestOf(store, query, latest, json)];
  const tail = newEntries(store.journal, query);
  for await (const entries of latest === undefined ? withWholeImports(pages) : pages) {
    show(entries, latest);
    tail.note(entries);
  }
  for (; ; await Bun.sleep(FOLLOW_EVERY_MS)) show(await tail.read());
}

/** Prints one array, with an entry per line. */
async function printAsJson(pages: Pages): Promise<void> {
  let separator = "[\n";
  for await (const entries of pages)
    for (const entry of entries) {
      write(`${separator}  ${JSON.stringify(jsonOfEntry(entry))}`);
      separator = ",\n";
    }
  print(separator === ",\n" ? "\n]" : "[]");
}

type Pages = AsyncIterable<readonly JournalEntry[]> | Iterable<readonly JournalEntry[]>;

const entriesOf = ({ journal }: Store, query: JournalQuery) =>
  pagesOf<JournalEntry>(query.size, async (last) => (await journal.list({ ...query, afterId: last?.id })).rows);

/** The latest entries, oldest first: as many as asked for, or enough for as many rows. */
async function latestOf({ journal }: Store, query: JournalQuery, count: number, json: true | undefined) {
  const size = json ? count : 2 * count;
  return (await journal.list({ ...query, sort: "-id", size })).rows.toReversed();
}

/** The rows that people read, at most so many of the latest. An import is one of them, and two entries. */
const rowsOf = (entries: readonly JournalEntry[], most = entries.length): readonly JournalEntry[] =>
  most === 0 ? [] : joinedImports(entries).slice(-most);

async function idOf({ keys }: Store, idOrName: string): Promise<string> {
  if (isKeyId(idOrName)) return idOrName;
  return valueFor(idOrName, await findKey(keys, idOrName)).id;
}
