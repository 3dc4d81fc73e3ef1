import type { Animal, AnimalStatus, NewAnimal } from "../domain/animal.ts";
import type { Key, KeySecret } from "../domain/key.ts";
import type { Page } from "../domain/page.ts";
import type { Tally } from "../domain/tally.ts";

export type Awaitable<T> = T | Promise<T>;

/** The store cannot do its work now: busy, full, read-only, gone. Nothing of the attempt was kept. */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable";
}

/** Every method of these ports throws StoreUnavailable when the store cannot answer. */
export interface AnimalStore {
  /** By ascending id, after the given one. */
  list(query: AnimalQuery): Awaitable<Page<Animal>>;
  /** Resolves when the animal is on disk, and not before. */
  create(animal: NewAnimal): Promise<Animal>;
  get(id: bigint): Awaitable<Animal | undefined>;
}

export interface AnimalQuery {
  readonly status: AnimalStatus | undefined;
  readonly afterId: bigint | undefined;
  readonly size: number;
}

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
  readonly keys: KeyStore;
  readonly tallies: TallyStore;
  /** Returns when the store answers. */
  check(): Awaitable<void>;
  /** Writes a consistent copy of everything into a new file, while the service runs. */
  backup(path: string): Awaitable<void>;
  close(): Awaitable<void>;
}
