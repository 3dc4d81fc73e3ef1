import type { JsonShape } from "../../base/json/shape.ts";
import type { Awaitable } from "../../base/time/awaitable.ts";
import type { IdempotencyKey, IdempotentResult } from "../../domain/idempotency.ts";
import type { Authorship } from "../../domain/journal.ts";
import type { IdOrder, JsonPage, Listed, NameOrder, Page, Position } from "../../domain/page.ts";
import type {
  Animal,
  AnimalDeletion,
  AnimalDeletionRefusal,
  AnimalStatus,
  AnimalUpdate,
  AnimalUpdateRefusal,
  NewAnimal,
} from "../../domain/stock/animal.ts";

export interface AnimalStore {
  /** Returns one page of the animals that match. Rows of a list by name come with their folded name. */
  list(query: AnimalQuery): Awaitable<Page<Listed<Animal>>>;
  /** Returns the same page as JSON text. The database renders it if that is faster than doing it here. */
  listJson(query: AnimalQuery, shape: JsonShape<Animal>): Awaitable<JsonPage>;
  /** Returns an animal by id, or undefined if there is none. */
  get(id: bigint): Awaitable<Animal | undefined>;
  /** Creates an animal for a client of the API and returns it with its new id. Writes no journal entry. */
  create(animal: NewAnimal, idempotencyKey?: IdempotencyKey): Promise<IdempotentResult<Animal>>;
  /** Creates an animal for a person, together with its journal entry. Returns it with its new id. */
  add(addition: AnimalAddition): Promise<Animal>;
  /**
   * Changes the fields that are given and returns the animal as it is then. Refuses if there is no such animal, if the
   * precondition fails, or if the status would change while an open order holds the animal.
   */
  update(update: AnimalUpdate, idempotencyKey?: IdempotencyKey): Promise<IdempotentResult<Animal, AnimalUpdateRefusal>>;
  /**
   * Permanently removes an animal and returns it as it was. Its id is never used again. Refuses if there is no such
   * animal, if the precondition fails, or if any order refers to the animal.
   */
  delete(
    deletion: AnimalDeletion,
    idempotencyKey?: IdempotencyKey,
  ): Promise<IdempotentResult<Animal, AnimalDeletionRefusal>>;
}

/** An animal that a person adds. */
export interface AnimalAddition {
  readonly animal: NewAnimal;
  readonly author: Authorship;
}

/** One page of a list: `size` animals after a position. A filter that is undefined filters nothing. */
export interface AnimalQuery {
  readonly ids?: readonly bigint[] | undefined;
  readonly status?: AnimalStatus | undefined;
  readonly categoryId?: bigint | undefined;
  /** Prefix of the folded name, alone or with a status. The list is then ordered by folded name, then by id. */
  readonly name?: string | undefined;
  /** By name: like a search by name, alone or with a status. */
  readonly sort?: IdOrder | NameOrder | undefined;
  readonly after?: Position | undefined;
  readonly size: number;
}

export type AnimalFilter = Pick<AnimalQuery, "status" | "categoryId">;

/** A filter, or a search by name or ids. */
export type AnimalSelection = AnimalFilter & Pick<AnimalQuery, "ids" | "name">;

/** All animals as they were at one moment, whatever is written meanwhile. */
export interface AnimalSnapshot {
  /** Returns the number of animals that match the filter. */
  count(filter: AnimalFilter): Awaitable<number>;
  /** Yields the animals that match, in the order of the list: by ascending id, or by folded name. */
  batches(selection: AnimalSelection): AsyncIterable<readonly Animal[]>;
  close(): Awaitable<void>;
}
