import type { Awaitable } from "../../base/time/awaitable.ts";
import type { IdOrder, Page, Position } from "../../domain/page.ts";
import type { Animal } from "../../domain/stock/animal.ts";

/**
 * An index for searches inside the names of animals. SQLite has it once it was extended for the first time; it follows
 * changes and removals at once, and additions when it is extended again. PostgreSQL has it where the operator has made
 * it, and keeps it up to date by itself.
 */
export interface NameIndex {
  /** Returns how far the index has come; undefined: there is none, and extending it would make none. */
  progress(): Awaitable<NameIndexProgress | undefined>;
  /** Indexes some of the animals that are not indexed yet. Returns whether there may be more. */
  extend(): Promise<boolean>;
  /** Removes the index, unless it is the operator's. */
  drop(): Promise<void>;
  /** Returns one page of the indexed animals whose folded name contains a text, by id. May throw SearchTooSlow. */
  search(query: NameSearch): Awaitable<Page<Animal>>;
}

export interface NameIndexProgress {
  /** All animals up to this id are indexed; undefined: none are. */
  readonly upToId: bigint | undefined;
  /** The greatest id of all animals; undefined: there are none. */
  readonly lastId: bigint | undefined;
}

export interface NameSearch {
  /** A folded text of at least NAME_PART_MIN_CODE_POINTS. */
  readonly part: string;
  readonly sort: IdOrder;
  readonly after: Position | undefined;
  readonly size: number;
}
