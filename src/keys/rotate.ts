import { done, type Result, refused } from "../base/result.ts";
import type { Awaitable } from "../base/time/awaitable.ts";
import { type Clock, DAY_MS } from "../base/time/clock.ts";
import type { EnvironmentName } from "../domain/environment.ts";
import type { Author } from "../domain/journal.ts";
import { digestOf, type Key, newSecret } from "../domain/keys/key.ts";
import type { KeyStore } from "../store/ports/store.ts";
import type { FindRefusal } from "./queries/find.ts";
import { findLivingKey, type KeyEnded } from "./suspend.ts";

export const OVERLAP_DEFAULT_MS = DAY_MS;
export const OVERLAP_MAX_MS = 365 * DAY_MS;

export interface RotationRequest {
  readonly idOrName: string;
  /** How long the old secret keeps working. */
  readonly overlapMs: number;
}

export type RotationRefusal = FindRefusal | KeyEnded | { readonly kind: "invalid_overlap" };

/** The time when the old secrets of a rotated key stop working, at the latest. */
export type EndOfOldSecrets =
  | { readonly kind: "at_once" }
  | { readonly kind: "overlap_ends"; readonly atMs: number }
  /** The key expires before the overlap ends. */
  | { readonly kind: "key_expires"; readonly atMs: number };

export interface RotatedKey {
  readonly key: Key;
  /** It is known only now: the store keeps a digest. */
  readonly secret: string;
  readonly endOfOldSecrets: EndOfOldSecrets;
}

interface Parts {
  readonly keys: Pick<KeyStore, "get" | "list" | "rotate">;
  readonly clock: Clock;
  /** The prefix of the new secret depends on it. */
  readonly environment: EnvironmentName;
  readonly author: Author;
  /** Called with the secret before anything is changed. If it fails, nothing changes: nobody would know the secret. */
  readonly deliver?: (rotated: RotatedKey) => Awaitable<void>;
}

/** Gives a key a new secret, even if it is suspended. The old secrets share its quotas while they last. */
export async function rotateKey(
  { keys, clock, environment, author, deliver }: Parts,
  { idOrName, overlapMs }: RotationRequest,
): Promise<Result<RotatedKey, RotationRefusal>> {
  if (!isOverlap(overlapMs)) return refused({ kind: "invalid_overlap" });
  const nowMs = clock.nowMs();
  const found = await findLivingKey(keys, idOrName, nowMs);
  if (found.kind === "refused") return found;
  const key = found.value;
  const secret = newSecret(environment);
  const rotated = { key, secret, endOfOldSecrets: endOfOldSecrets(key, overlapMs, nowMs) };
  await deliver?.(rotated);
  const oldSecretsExpireAtMs = nowMs + overlapMs;
  await keys.rotate({ ...author, keyId: key.id, digest: digestOf(secret), atMs: nowMs, oldSecretsExpireAtMs });
  return done(rotated);
}

const isOverlap = (ms: number): boolean => Number.isInteger(ms) && ms >= 0 && ms <= OVERLAP_MAX_MS;

function endOfOldSecrets({ expiresAtMs }: Key, overlapMs: number, nowMs: number): EndOfOldSecrets {
  if (overlapMs === 0) return { kind: "at_once" };
  const atMs = nowMs + overlapMs;
  return expiresAtMs !== undefined && expiresAtMs < atMs
    ? { kind: "key_expires", atMs: expiresAtMs }
    : { kind: "overlap_ends", atMs };
}
