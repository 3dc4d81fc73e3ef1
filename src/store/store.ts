import type { Animal, AnimalStatus, NewAnimal } from "../domain/animal.ts";
import type { Awaitable } from "../domain/awaitable.ts";
import type { Key, KeySecret } from "../domain/key.ts";
import type { Once, Written } from "../domain/once.ts";
import type { Order, OrderStatus } from "../domain/order.ts";
import type { Page } from "../domain/page.ts";
import type { Tally } from "../domain/tally.ts";

/** The store cannot do its work now: busy, full, read-only, gone. */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable";
  /** What the attempt changed. Unknown when the answer to a commit was lost on its way. */
  readonly changed: "nothing" | "unknown";

  constructor(message: string, options: ErrorOptions & { changed?: "nothing" | "unknown" } = {}) {
    super(message, options);
    this.changed = options.changed ?? "nothing";
  }
}

// Every method of these ports throws StoreUnavailable when the store cannot answer. One that writes
// is one transaction, with the record of `once` in it, and resolves when all of it is on disk.

export interface AnimalStore {
  /** By ascending id, after the given one. */
  list(query: AnimalQuery): Awaitable<Page<Animal>>;
  create(animal: NewAnimal, once?: Once): Promise<Written<Animal>>;
  get(id: bigint): Awaitable<Animal | undefined>;
}

/** What a list is asked for; what is undefined filters nothing. */
export interface AnimalQuery {
  readonly ids?: readonly bigint[] | undefined;
  readonly status?: AnimalStatus | undefined;
  readonly categoryId?: bigint | undefined;
  readonly afterId?: bigint | undefined;
  readonly size: number;
}

export interface OrderStore {
  /** By ascending id, after the given one. */
  list(query: OrderQuery): Awaitable<Page<Order>>;
  place(animalId: bigint, nowMs: number, once?: Once): Promise<Written<PlaceResult>>;
  move(id: bigint, to: OrderStatus, nowMs: number): Promise<MoveResult>;
}

export interface OrderQuery {
  readonly status?: OrderStatus | undefined;
  readonly animalId?: bigint | undefined;
  readonly afterId?: bigint | undefined;
  readonly size: number;
}

export type PlaceResult =
  | { readonly kind: "placed"; readonly order: Order }
  | { readonly kind: "no_such_animal" }
  | { readonly kind: "not_available"; readonly status: AnimalStatus };

export type MoveResult =
  | { readonly kind: "moved"; readonly order: Order }
  | { readonly kind: "no_such_order" }
  | { readonly kind: "forbidden"; readonly from: OrderStatus };

export interface FoundKey {
  readonly key: Key;
  readonly secret: KeySecret;
}

export interface KeyStore {
  findBySecret(digest: string): Awaitable<FoundKey | undefined>;
  /** A number that grows with every change to any key, by whatever process. */
  revision(): Awaitable<number>;
  create(key: Key, digest: string): Awaitable<void>;
  /** Creates the key if no key was ever issued; `beforeCommit` runs just before it becomes true. */
  createFirst(key: Key, digest: string, beforeCommit: () => void): Awaitable<boolean>;
  list(): Awaitable<readonly Key[]>;
  get(id: string): Awaitable<Key | undefined>;
  /** Adds a secret; those that the key had live on until the given moment at the longest. */
  rotate(id: string, digest: string, oldExpireAtMs: number): Awaitable<void>;
  revoke(id: string, atMs: number): Awaitable<void>;
  pardon(id: string, atMs: number): Awaitable<void>;
}

export type KeyTally = readonly [keyId: string, tally: Tally];

export interface TallyStore {
  load(): Awaitable<readonly KeyTally[]>;
  get(keyId: string): Awaitable<Tally | undefined>;
  save(tallies: readonly KeyTally[]): Awaitable<void>;
}

export interface Store {
  readonly animals: AnimalStore;
  readonly orders: OrderStore;
  readonly keys: KeyStore;
  readonly tallies: TallyStore;
  /** A number that changes whenever anything was written, by whatever process; undefined when that cannot be known. */
  version(): number | undefined;
  /** Gets ready what the first answers can do without. */
  warmUp(): void;
  /** Drops some of the answers that were given until a moment. True when there may be more of them. */
  sweep(answeredUntilMs: number): Awaitable<boolean>;
  /** Returns when the store answers. */
  check(): Awaitable<void>;
  close(): Awaitable<void>;
}
