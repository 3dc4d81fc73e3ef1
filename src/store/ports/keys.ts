import type { IdPage } from "../../base/read-all.ts";
import type { Awaitable } from "../../base/time/awaitable.ts";
import type { IdempotencyKey, IdempotentResult } from "../../domain/idempotency.ts";
import type { Authorship } from "../../domain/journal.ts";
import type { Unban as KeyUnban } from "../../domain/keys/changes.ts";
import type { DatedSecret, Key, KeyChange, KeySecret } from "../../domain/keys/key.ts";
import type { OwnRotationRefusal } from "../../domain/keys/rotation.ts";

/** API keys. A change by a person enters the journal in its transaction, and raises the revision. */
export interface KeyStore {
  /** Returns the key and the secret with this digest, valid or not, or undefined if there is none. */
  findBySecret(digest: string): Awaitable<FoundKey | undefined>;
  /** Returns those of these secrets that there are, each under its digest, at the cost of one query. */
  findBySecrets(digests: readonly string[]): Awaitable<ReadonlyMap<string, FoundKey>>;
  /** Returns a number that grows with every change to any key, by whatever process: running services watch it. */
  revision(): Awaitable<number>;
  /** Returns all keys, the oldest first. */
  list(): Awaitable<readonly Key[]>;
  /** Returns the next keys by id. Use it instead of `list` where many keys must not block the event loop. */
  listSome(page: IdPage): Awaitable<readonly Key[]>;
  /** Returns a key by id, or undefined if there is none. */
  get(id: string): Awaitable<Key | undefined>;
  /** Stores a new key with the digest of its first secret. */
  create(key: NewKey): Promise<void>;
  /** Creates the key if the store has never had one. Returns whether it did. */
  createFirst(key: NewKey): Promise<boolean>;
  /** Gives a key a new secret and lets its present ones expire at the given time, or earlier if they do anyway. */
  rotate(rotation: Rotation): Promise<void>;
  /**
   * Does so for the holder of the key, if `refusalToRotate` allows it. The response is saved under the idempotency key,
   * with the new secret as it was sealed.
   */
  rotateOwn(
    rotation: OwnRotation,
    idempotencyKey?: IdempotencyKey,
  ): Promise<IdempotentResult<RotatedByHolder, OwnRotationRefusal>>;
  /** Returns the latest rotation by its holder of each key that had one since a moment, the latest first, 100 at most. */
  rotatedByHolders(since: { readonly sinceMs: number }): Awaitable<readonly HolderRotation[]>;
  /** Revokes a key for good. Revoking again keeps the original time; an unknown key is ignored. */
  revoke(revocation: KeyCommand): Promise<void>;
  /** Lifts the bans of a key that began up to now. An unknown key is ignored. */
  unban(unban: Unban): Promise<void>;
  /** Changes the fields that are given. Returns the key as it is then, or undefined if there is none. */
  edit(change: KeyChange & KeyCommand): Promise<Key | undefined>;
  /** Suspends a key until it is resumed. Suspending again keeps the original time; an unknown key is ignored. */
  suspend(suspension: KeyCommand): Promise<void>;
  /** Ends the suspension of a key. An unknown key, or one that is not suspended, stays as it is. */
  resume(resumption: KeyCommand): Promise<void>;
  /** Permanently removes a revoked key and all that belongs to it. Returns false for any other key, which stays. */
  delete(deletion: KeyCommand): Promise<boolean>;
  /** Returns all secrets of a key that are kept, the newest first. They include those that no longer work. */
  secretsOf(keyId: string): Awaitable<readonly DatedSecret[]>;
  /** Records when keys were last used, unless a later use is known. The revision stays: it is no change to a key. */
  noteUse(uses: readonly NotedUse[]): Promise<void>;
}

export interface FoundKey {
  readonly key: Key;
  readonly secret: KeySecret;
}

/** A change that a person makes to one key. */
export interface KeyCommand extends Authorship {
  readonly keyId: string;
}

export interface NewKey extends Authorship {
  readonly key: Key;
  /** Digest of its secret. */
  readonly digest: string;
}

export interface Rotation extends KeyCommand {
  /** Digest of the new secret. */
  readonly digest: string;
  /** The latest time at which the present secrets of the key expire. */
  readonly oldSecretsExpireAtMs: number;
}

export interface OwnRotation extends Omit<Rotation, keyof Authorship> {
  readonly atMs: number;
  /** Digest of the secret that the holder has presented. */
  readonly presentedDigest: string;
  /** The new secret, sealed with the presented one. */
  readonly sealedSecret: string;
}

export interface RotatedByHolder {
  readonly keyId: string;
  readonly sealedSecret: string;
  /** No older secret works from then on. */
  readonly oldSecretExpiresAtMs: number;
}

export interface HolderRotation {
  readonly keyId: string;
  readonly name: string;
  readonly atMs: number;
}

export type Unban = KeyCommand & KeyUnban;

export interface NotedUse {
  readonly keyId: string;
  readonly atMs: number;
}
