import type {
  Animal,
  AnimalCorrection,
  AnimalRemoval,
  AnimalStatus,
  CorrectionRefusal,
  NewAnimal,
  RemovalRefusal,
} from "../domain/animal.ts";
import type { Awaitable } from "../domain/awaitable.ts";
import type {
  Category,
  CategoryNaming,
  CategoryRemoval,
  CategoryRemovalRefusal,
  NamedCategory,
  NamingRefusal,
} from "../domain/category.ts";
import type { IdempotencyKey, IdempotentResult } from "../domain/idempotency.ts";
import type { JsonShape } from "../domain/json-shape.ts";
import type { DatedSecret, Key, KeyChange, KeySecret } from "../domain/key.ts";
import type { MoveRefusal, NewOrder, Order, OrderMove, OrderStatus, PlacingRefusal } from "../domain/order.ts";
import type { IdOrder, JsonPage, Listed, Page, Position } from "../domain/page.ts";
import type { Tally } from "../domain/tally.ts";

/** The store cannot do its work now: it is busy, full, read-only or gone. */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable";
  /** What the attempt changed. Unknown when the answer to a commit was lost on its way. */
  readonly changed: "nothing" | "unknown";

  constructor(message: string, options: ErrorOptions & { changed?: "nothing" | "unknown" } = {}) {
    super(message, options);
    this.changed = options.changed ?? "nothing";
  }
}

/** Why a store that was closed does not answer. */
export const STORE_CLOSED = "the store is closed, because the service is stopping";

/** What can go wrong without any caller being told: moving writes to their final place, syncing, opening again. */
export type StoreProblem = "checkpoint" | "sync" | "reopen";

// Every method of these ports throws StoreUnavailable when the store cannot answer. A method that writes is one
// transaction, which includes the saved response if there is an idempotency key, and resolves when it is on disk.

export interface AnimalStore {
  list(query: AnimalQuery): Awaitable<Page<Listed<Animal>>>;
  /** The same page as JSON, which some databases make faster than we do. */
  listJson(query: AnimalQuery, shape: JsonShape<Animal>): Awaitable<JsonPage>;
  get(id: bigint): Awaitable<Animal | undefined>;
  create(animal: NewAnimal, idempotencyKey?: IdempotencyKey): Promise<IdempotentResult<Animal>>;
  /** Of a correction of the status and an order that race, one is refused. */
  update(
    correction: AnimalCorrection,
    idempotencyKey?: IdempotencyKey,
  ): Promise<IdempotentResult<Animal, CorrectionRefusal>>;
  /** Returns the animal that was. Its id is never used again. */
  delete(removal: AnimalRemoval, idempotencyKey?: IdempotencyKey): Promise<IdempotentResult<Animal, RemovalRefusal>>;
}

/** What a list is asked for: what comes after a position. An undefined filter filters nothing. */
export interface AnimalQuery {
  readonly ids?: readonly bigint[] | undefined;
  readonly status?: AnimalStatus | undefined;
  readonly categoryId?: bigint | undefined;
  /** How the folded name begins. With a status or alone, and then the order is that of folded names, then ids. */
  readonly name?: string | undefined;
  readonly sort?: IdOrder | undefined;
  readonly after?: Position | undefined;
  readonly size: number;
}

export interface CategoryStore {
  list(query: CategoryQuery): Awaitable<Page<Listed<Category>>>;
  get(id: bigint): Awaitable<Category | undefined>;
  /** Of several categories that are to have one name, folded, exactly one gets it. */
  put(naming: CategoryNaming, idempotencyKey?: IdempotencyKey): Promise<IdempotentResult<NamedCategory, NamingRefusal>>;
  /** Returns the category that was. Animals keep its number. */
  delete(
    removal: CategoryRemoval,
    idempotencyKey?: IdempotencyKey,
  ): Promise<IdempotentResult<Category, CategoryRemovalRefusal>>;
}

export interface OrderStore {
  list(query: OrderQuery): Awaitable<Page<Order>>;
  get(id: bigint): Awaitable<Order | undefined>;
  /** Of several orders for one animal, exactly one is placed. */
  place(order: NewOrder, idempotencyKey?: IdempotencyKey): Promise<IdempotentResult<Order, PlacingRefusal>>;
  /** The animal's status changes with the order's. */
  move(move: OrderMove, idempotencyKey?: IdempotencyKey): Promise<IdempotentResult<Order, MoveRefusal>>;
}

export interface OrderQuery {
  readonly status?: OrderStatus | undefined;
  readonly animalId?: bigint | undefined;
  /** With a status or alone. */
  readonly reference?: string | undefined;
  readonly sort?: IdOrder | undefined;
  readonly after?: Position | undefined;
  readonly size: number;
}

/** By ascending id; with a name, by folded name. */
export interface CategoryQuery {
  /** How the folded name begins. */
  readonly name?: string | undefined;
  readonly after?: Position | undefined;
  readonly size: number;
}

export interface FoundKey {
  readonly key: Key;
  readonly secret: KeySecret;
}

export interface NewKey {
  readonly key: Key;
  /** Of its secret. */
  readonly digest: string;
}

export interface Rotation {
  readonly keyId: string;
  /** Of the new secret. */
  readonly digest: string;
  readonly atMs: number;
  /** When the secrets that the key has now expire, at the latest. */
  readonly oldSecretsExpireAtMs: number;
}

export interface KeyStore {
  findBySecret(digest: string): Awaitable<FoundKey | undefined>;
  /** A number that grows with every change to any key, by whatever process. */
  revision(): Awaitable<number>;
  list(): Awaitable<readonly Key[]>;
  get(id: string): Awaitable<Key | undefined>;
  create(key: NewKey): Promise<void>;
  /** Creates the key if the store has never had one. Returns whether it did. */
  createFirst(key: NewKey): Promise<boolean>;
  rotate(rotation: Rotation): Promise<void>;
  revoke(revocation: { readonly keyId: string; readonly atMs: number }): Promise<void>;
  pardon(pardon: { readonly keyId: string; readonly atMs: number }): Promise<void>;
  /** Returns the key as it is then; undefined: there is none. */
  edit(change: KeyChange): Promise<Key | undefined>;
  /** A key that is suspended already stays so since when it was. */
  suspend(suspension: { readonly keyId: string; readonly atMs: number }): Promise<void>;
  resume(resumption: { readonly keyId: string }): Promise<void>;
  /** Deletes some of the responses that are saved for a key. Returns whether there may be more of them. */
  deleteResponses(of: { readonly keyId: string }): Promise<boolean>;
  /** Deletes a revoked key, and everything that belongs to it. Returns whether it did: nothing is done to any other key. */
  delete(deletion: { readonly keyId: string }): Promise<boolean>;
  /** All that are kept, also those that no longer work, newest first. */
  secretsOf(keyId: string): Awaitable<readonly DatedSecret[]>;
  /** Notes when keys were last used, unless a later use is known. It is no change to a key: the revision stays. */
  noteUse(uses: readonly NotedUse[]): Promise<void>;
}

export interface NotedUse {
  readonly keyId: string;
  readonly atMs: number;
}

export type KeyTally = readonly [keyId: string, tally: Tally];

export interface TallyStore {
  load(): Awaitable<readonly KeyTally[]>;
  get(keyId: string): Awaitable<Tally | undefined>;
  /** Those of keys that were deleted meanwhile are left out. */
  save(tallies: readonly KeyTally[]): Promise<void>;
}

/** Where a service counts requests: in Redis, together with others, or by itself, which the database keeps. */
export type CountingPlace = "redis" | "database";

/** What the service notes about itself, for commands on its database. */
export interface FactStore {
  /** Undefined: no service has noted it yet. */
  countingPlace(): Awaitable<CountingPlace | undefined>;
  noteCountingPlace(place: CountingPlace): Promise<void>;
}

export type StatementKind = "read" | "write" | "transaction";

export interface ConnectionStats {
  /** Connections that are open, and those of them that have something to do. */
  readonly open: number;
  readonly inUse: number;
  /** Statements and transactions that wait for a connection. */
  readonly waiting: number;
}

/** The connections to a server that keeps the store. */
export interface StoreConnections {
  stats(): ConnectionStats;
  /** Reports how long each statement or transaction takes, from when it was asked for until it is answered or given up. */
  onAnswer(report: (kind: StatementKind, seconds: number) => void): void;
}

/** While `changes` stays the same, nothing was done but to add animals, with greater ids than any before. */
export interface Version {
  readonly changes: number;
  readonly additions: number;
}

export interface Store {
  readonly animals: AnimalStore;
  readonly categories: CategoryStore;
  readonly orders: OrderStore;
  readonly keys: KeyStore;
  readonly tallies: TallyStore;
  readonly facts: FactStore;
  /**
   * The same object for as long as animals, categories and orders cannot have changed, by whatever process; undefined
   * when that cannot be known.
   */
  version(): Version | undefined;
  /** Deletes some of the responses saved up to a moment. Returns whether there may be more of them. */
  deleteSavedResponses(upTo: { readonly savedAtMs: number }): Promise<boolean>;
  /**
   * Folds the names of some animals that release 1.1.0 has added, so that they are found by name. Returns whether
   * there may be more of them.
   */
  foldNames(): Promise<boolean>;
  /** Returns when the store answers, and would not refuse every write. */
  check(): Awaitable<void>;
  /** Undefined for an embedded database. */
  readonly connections?: StoreConnections;
  /** Whether it answered, when it was last checked, that it takes no writes: a replica does. */
  isReadOnly(): boolean;
  /** Reports problems that no caller is told of. */
  onProblem(report: (problem: StoreProblem, error: Error) => void): void;
  close(): Awaitable<void>;
}

/** A store that further threads of the process can serve from too. */
export interface ServingStore<Seat> extends Store {
  /** What one more thread opens it with: plain data, and a port if it is embedded, to be sent there. */
  newSeat(): Seat;
}
