import { DAY_MS, SECOND_MS } from "../../base/time/clock.ts";
import { type Key, type KeyProblem, type KeySecret, problemWith } from "./key.ts";

// The rule by which the holder of a key gives it a new secret.

/** Long enough to retry a rotation whose response was lost: that takes the old secret. */
export const OWN_OVERLAP_MIN_SECONDS = 60;
export const OWN_OVERLAP_MAX_SECONDS = (365 * DAY_MS) / SECOND_MS;
export const OWN_OVERLAP_DEFAULT_SECONDS = DAY_MS / SECOND_MS;

export const OWN_ROTATIONS_MAX = 5;
/** The time in which no more rotations than that are made. */
export const OWN_ROTATIONS_PERIOD_MS = DAY_MS;

export type OwnRotationRefusal =
  /** The key or the secret is gone, or does not work any more; other threads may not know it yet. */
  | { readonly kind: "unknown_secret" }
  | { readonly kind: "key_problem"; readonly problem: KeyProblem }
  | { readonly kind: "not_allowed" }
  /** The secret that was presented is not the newest one. */
  | { readonly kind: "secret_replaced" }
  | { readonly kind: "too_many"; readonly nextAtMs: number };

export interface PresentedSecret {
  readonly key: Key;
  readonly secret: KeySecret;
  /** When the holder made secrets in the period that ends now. */
  readonly madeByHolderAtMs: readonly number[];
}

/** Why the holder may not rotate now; undefined if they may. Every replaced secret has an end, and only those. */
export function refusalToRotate(presented: PresentedSecret | undefined, nowMs: number): OwnRotationRefusal | undefined {
  if (!presented) return { kind: "unknown_secret" };
  const { key, secret, madeByHolderAtMs } = presented;
  const problem = problemWith(key, secret, nowMs);
  if (problem) return { kind: "key_problem", problem };
  if (!key.mayRotate) return { kind: "not_allowed" };
  if (secret.expiresAtMs !== undefined) return { kind: "secret_replaced" };
  if (madeByHolderAtMs.length < OWN_ROTATIONS_MAX) return undefined;
  const oldest = madeByHolderAtMs.toSorted((a, b) => b - a)[OWN_ROTATIONS_MAX - 1] as number;
  return { kind: "too_many", nextAtMs: oldest + OWN_ROTATIONS_PERIOD_MS };
}
