import type { Animal, AnimalStatus, NewAnimal } from "../domain/animal.ts";
import type { Awaitable } from "../domain/awaitable.ts";
import type { IdempotencyKey, IdempotentResult } from "../domain/idempotency.ts";
import type { Key, KeySecret } from "../domain/key.ts";
import type { MoveRefusal, NewOrder, Order, OrderMove, OrderStatus, PlacingRefusal } from "../domain/order.ts";
import type { Page } from "../domain/page.ts";
import type { Result } from "../domain/result.ts";
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
  /** By ascending id, after the given one. */
  list(query: AnimalQuery): Awaitable<Page<Animal>>;
  get(id: bigint): Awaitable<Animal | undefined>;
  create(animal: NewAnimal, idempotencyKey?: IdempotencyKey): Promise<IdempotentResult<Animal>>;
}

/** What a list is asked for; an undefined filter filters nothing. */
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
  /** Of several orders for one animal, exactly one is placed. */
  place(order: NewOrder, idempotencyKey?: IdempotencyKey): Promise<IdempotentResult<Order, PlacingRefusal>>;
  /** The animal's status changes with the order's. */
  move(move: OrderMove): Promise<Result<Order, MoveRefusal>>;
}

export interface OrderQuery {
  readonly status?: OrderStatus | undefined;
  readonly animalId?: bigint | undefined;
  readonly afterId?: bigint | undefined;
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
}

export type KeyTally = readonly [keyId: string, tally: Tally];

export interface TallyStore {
  load(): Awaitable<readonly KeyTally[]>;
  get(keyId: string): Awaitable<Tally | undefined>;
  save(tallies: readonly KeyTally[]): Promise<void>;
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

export interface Store {
  readonly animals: AnimalStore;
  readonly orders: OrderStore;
  readonly keys: KeyStore;
  readonly tallies: TallyStore;
  /**
   * A number that changes whenever animals or orders may have changed, by whatever process; undefined
   * when that cannot be known.
   */
  version(): number | undefined;
  /** Deletes some of the responses saved up to a moment. Returns whether there may be more of them. */
  deleteSavedResponses(upTo: { readonly savedAtMs: number }): Promise<boolean>;
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
