import type { JournalEntry } from "./journal.ts";

// An import, or its undoing, has two entries in the journal: its beginning and its end. People read them as one.

interface Entry extends Pick<JournalEntry, "action"> {
  readonly subject: { readonly kind: JournalEntry["subject"]["kind"]; readonly id?: string };
  readonly after?: Readonly<Record<string, unknown>> | null | undefined;
}

const importOf = ({ action, subject }: Entry): string => (subject.kind === "import" ? `${action} ${subject.id}` : "");

/**
 * Joins the beginning and the end of an import, or of its undoing, in one entry, the oldest first. One that was
 * interrupted keeps all of its entries, as several people may have had a part in it.
 */
export function joinedImports<E extends Entry>(entries: readonly E[]): readonly E[] {
  const joined: E[] = [];
  const begun = new Map<string, E>();
  for (const entry of entries) {
    const beginning = begun.get(importOf(entry));
    begun.delete(importOf(entry));
    if (entry.after?.state === "begun") begun.set(importOf(entry), entry);
    if (beginning && entry.after?.state === "finished") {
      joined.splice(joined.indexOf(beginning), 1);
      joined.push({ ...entry, after: { ...beginning.after, ...entry.after, state: null } });
    } else joined.push(entry);
  }
  return joined;
}

/** The first entry that begins an import whose next entry is not among these; their length if there is none. */
export function firstUnfinished(entries: readonly Entry[]): number {
  const begun = new Map<string, number>();
  for (const [i, entry] of entries.entries())
    if (entry.after?.state === "begun") begun.set(importOf(entry), i);
    else begun.delete(importOf(entry));
  return Math.min(entries.length, ...begun.values());
}
