import { done, type Result, refused } from "../base/result.ts";
import type { Awaitable } from "../base/time/awaitable.ts";
import { type Clock, DAY_MS } from "../base/time/clock.ts";
import type { EnvironmentName } from "../domain/environment.ts";
import type { Author } from "../domain/journal.ts";
import { digestOf, type Key, newSecret } from "../domain/keys/key.ts";
import type { KeyStore } from "../store/ports/store.ts";
import { type FindRefusal, findKey } from "./queries/find.ts";
import { endOf, type KeyEnded } from "./suspend.ts";

export const OVERLAP_DEFAULT_MS = DAY_MS;
export const OVERLAP_MAX_MS = 365 * DAY_MS;

export interface RotationRequest {
  readonly idOrName: string;
  /** How long the old secret keeps working. */
  readonly overlapMs: number;
}

export type RotationRefusal = FindRefusal | KeyEnded | { readonly kind: "invalid_overlap" };

/** When the secrets that a key had before a rotation stop working, at the latest. */
export type EndOfOldSecrets =
  | { readonly kind: "at_once" }
  | { readonly kind: "overlap_ends"; readonly atMs: number }
  /** Before the overlap would have ended. */
  | { readonly kind: "key_expires"; readonly atMs: number };

export interface RotatedKey {
  readonly key: Key;
  /** The only time that it is known: the store keeps a digest. */
  readonly secret: string;
  readonly endOfOldSecrets: EndOfOldSecrets;
}

interface Parts {
  readonly keys: Pick<KeyStore, "get" | "list" | "rotate">;
  readonly clock: Clock;
  /** Says how the new secret begins. */
  readonly environment: EnvironmentName;
  readonly author: Author;
  /** Called with the secret before anything is changed. If it fails, nothing is: nobody would know the secret. */
  readonly deliver?: (rotated: RotatedKey) => Awaitable<void>;
}

/** Gives a key a new secret, also one that is suspended. The old ones share its quotas while they last. */
export async function rotateKey(
  { keys, clock, environment, author, deliver }: Parts,
  { idOrName, overlapMs }: RotationRequest,
): Promise<Result<RotatedKey, RotationRefusal>> {
  if (!isOverlap(overlapMs)) return refused({ kind: "invalid_overlap" });
  const found = await findKey(keys, idOrName);
  if (found.kind === "refused") return found;
  const key = found.value;
  const nowMs = clock.nowMs();
  const end = endOf(key, nowMs);
  if (end) return refused(end);
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
