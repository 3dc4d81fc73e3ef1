import type { Awaitable } from "../../base/time/awaitable.ts";
import type { IdOrder, Page, Position } from "../../domain/page.ts";
import type { Animal } from "../../domain/stock/animal.ts";

/**
 * An index for searches inside the names of animals. A store has it only once somebody has searched so. It follows
 * changes and removals at once, but not additions: whoever searches extends it first.
 */
export interface NameIndex {
  /** Returns how far the index has come; undefined: this store can have none. */
  progress(): Awaitable<NameIndexProgress | undefined>;
  /** Indexes some of the animals that are not indexed yet. Returns whether there may be more. */
  extend(): Promise<boolean>;
  /** Removes the index, if there is one. */
  drop(): Promise<void>;
  /** Returns one page of the indexed animals whose folded name contains a text, by id. May throw SearchTooSlow. */
  search(query: NameSearch): Awaitable<Page<Animal>>;
}

export interface NameIndexProgress {
  /** The greatest id that is indexed, which all smaller ones are too; undefined: none is. */
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
