import type { Awaitable } from "../../base/time/awaitable.ts";
import type { JournalEntry } from "../../domain/journal.ts";
import type { IdOrder, Page } from "../../domain/page.ts";

/** The changes that people made. Each method that makes one appends its entry in the same transaction. */
export interface JournalStore {
  /** Returns one page of the entries that match. */
  list(query: JournalQuery): Awaitable<Page<JournalEntry>>;
}

/** One page of entries: by ascending id, unless `sort` says otherwise. */
export interface JournalQuery {
  /** Only entries about this key. */
  readonly keyId?: string | undefined;
  readonly sinceMs?: number | undefined;
  readonly sort?: IdOrder | undefined;
  /** The entry that the page begins after, in its order. */
  readonly afterId?: bigint | undefined;
  readonly size: number;
}
