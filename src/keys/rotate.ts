import { type Clock, DAY_MS } from "../domain/clock.ts";
import { digestOf, type Key, type KeyState, newSecret, stateOf } from "../domain/key.ts";
import { done, type Result, refused } from "../domain/result.ts";
import type { KeyStore } from "../store/store.ts";
import { findKey, type UnknownKey } from "./find.ts";

export const OVERLAP_DEFAULT_MS = DAY_MS;
export const OVERLAP_MAX_MS = 365 * DAY_MS;

export interface RotationRequest {
  readonly id: string;
  /** How long the old secret keeps working. */
  readonly overlapMs: number;
}

export type RotationRefusal =
  | UnknownKey
  | { readonly kind: "invalid_overlap" }
  | { readonly kind: "not_active"; readonly state: Exclude<KeyState, "active"> };

export interface RotatedKey {
  readonly key: Key;
  /** The only time that it is known: the store keeps a digest. */
  readonly secret: string;
  readonly oldSecretsExpireAtMs: number;
}

interface Parts {
  readonly keys: Pick<KeyStore, "get" | "rotate">;
  readonly clock: Clock;
}

/** Gives a key a new secret. The old ones share its quotas while they last. */
export async function rotateKey(
  { keys, clock }: Parts,
  { id, overlapMs }: RotationRequest,
): Promise<Result<RotatedKey, RotationRefusal>> {
  if (!isOverlap(overlapMs)) return refused({ kind: "invalid_overlap" });
  const found = await findKey(keys, id);
  if (found.kind === "refused") return found;
  const nowMs = clock.nowMs();
  const state = stateOf(found.value, nowMs);
  if (state !== "active") return refused({ kind: "not_active", state });
  const secret = newSecret();
  const oldSecretsExpireAtMs = nowMs + overlapMs;
  await keys.rotate({ keyId: id, digest: digestOf(secret), oldSecretsExpireAtMs });
  return done({ key: found.value, secret, oldSecretsExpireAtMs });
}

const isOverlap = (ms: number): boolean => Number.isInteger(ms) && ms >= 0 && ms <= OVERLAP_MAX_MS;
