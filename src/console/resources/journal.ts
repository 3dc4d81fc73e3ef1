import { READS_KEYS } from "../../domain/console-role.ts";
import type { JournalEntry } from "../../domain/journal.ts";
import type { ImportStore } from "../../store/ports/store.ts";
import type { JournalEntryView, JournalView } from "../api/index.ts";
import { ConsoleFault } from "../fault.ts";
import { cursorIn, nextOf, PAGE_SIZE, textIn } from "../forms/forms.ts";
import type { ConsoleHandler } from "../handler.ts";

/** Lists the newest first. A deleted key is known by its id alone. */
export const listJournal: ConsoleHandler = async (
  { store },
  { role },
  { query },
): Promise<JournalView | ConsoleFault> => {
  const after = cursorIn(query);
  if (after instanceof ConsoleFault) return after;
  const keyId = textIn(query, "key");
  const page = await store.journal.list({ keyId, afterId: after?.id, sort: "-id", size: PAGE_SIZE });
  const sources = await sourcesOf(page.rows, store.imports);
  const seesKeys = READS_KEYS.includes(role);
  const items = page.rows.map((entry) => viewOf(seesKeys ? entry : withoutKey(entry), sources));
  return { items, next: nextOf(page) };
};

/** For those who do not see the pages of keys, a key has a name and nothing else. */
const withoutKey = (entry: JournalEntry): JournalEntry =>
  entry.subject.kind === "key" ? { ...entry, before: undefined, after: undefined } : entry;

/** Looks up the files of imports: the journal has only their numbers. */
async function sourcesOf(
  entries: readonly JournalEntry[],
  imports: Pick<ImportStore, "get">,
): Promise<ReadonlyMap<string, string>> {
  const ids = new Set(entries.flatMap(({ subject }) => (subject.kind === "import" ? [subject.id] : [])));
  const found = await Promise.all([...ids].map((id) => imports.get(BigInt(id))));
  return new Map(found.flatMap((each) => (each ? [[String(each.id), each.source]] : [])));
}

const viewOf = (
  { id, subject, before, after, ...entry }: JournalEntry,
  sources: ReadonlyMap<string, string>,
): JournalEntryView => ({
  ...entry,
  id: String(id),
  subject: subject.kind === "import" ? { ...subject, name: sources.get(subject.id) } : subject,
  before: before ?? null,
  after: after ?? null,
});
