import { done, type Result, refused } from "../base/result.ts";
import { DAY_MS } from "../base/time/clock.ts";
import { digestOf, newSecret } from "../domain/keys/key.ts";
import type { IssuedKey, SecretParts } from "./issue.ts";
import { type FindRefusal, findKey } from "./queries/find.ts";
import { endOfKey, type KeyEnded } from "./suspend.ts";

export const OVERLAP_DEFAULT_MS = DAY_MS;
export const OVERLAP_MAX_MS = 365 * DAY_MS;

export type RotationRefusal = FindRefusal | KeyEnded | { readonly kind: "invalid_overlap" };

export interface RotatedKey extends IssuedKey {
  /** None of the old secrets works from then on: the overlap is over, or the key expires sooner. */
  readonly oldSecretsEndAtMs: number;
}

/** Gives a key a new secret, even if it is suspended. The old ones work for the overlap, and share its quotas. */
export async function rotateKey(
  { keys, clock, environment, author, deliver }: SecretParts<RotatedKey>,
  { idOrName, overlapMs }: { readonly idOrName: string; readonly overlapMs: number },
): Promise<Result<RotatedKey, RotationRefusal>> {
  if (!isOverlap(overlapMs)) return refused({ kind: "invalid_overlap" });
  const nowMs = clock.nowMs();
  const found = await findKey(keys, idOrName);
  if (found.kind === "refused") return found;
  const key = found.value;
  const ended = endOfKey(key, nowMs);
  if (ended) return refused(ended);
  const secret = newSecret(environment);
  const oldSecretsExpireAtMs = nowMs + overlapMs;
  const oldSecretsEndAtMs = Math.min(oldSecretsExpireAtMs, key.expiresAtMs ?? Number.POSITIVE_INFINITY);
  const rotated = { key, secret, oldSecretsEndAtMs };
  await deliver?.(rotated);
  await keys.rotate({ ...author, keyId: key.id, digest: digestOf(secret), atMs: nowMs, oldSecretsExpireAtMs });
  return done(rotated);
}

const isOverlap = (ms: number): boolean => Number.isInteger(ms) && ms >= 0 && ms <= OVERLAP_MAX_MS;
