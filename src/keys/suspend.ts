import { done, type Result, refused } from "../base/result.ts";
import type { Clock } from "../base/time/clock.ts";
import type { Author } from "../domain/journal.ts";
import { type Key, stateOf } from "../domain/keys/key.ts";
import type { KeyStore } from "../store/ports/store.ts";
import { type FindRefusal, findKey } from "./queries/find.ts";

/** A key that does not work any more can be neither suspended nor resumed, and gets no new secret. */
export interface KeyEnded {
  readonly kind: "ended";
  readonly state: "revoked" | "expired";
  readonly key: Key;
}

/** The key with an id, or the only one with a name, unless it is revoked or expired. */
export async function findLivingKey(
  keys: Pick<KeyStore, "get" | "list">,
  idOrName: string,
  nowMs: number,
): Promise<Result<Key, FindRefusal | KeyEnded>> {
  const found = await findKey(keys, idOrName);
  if (found.kind === "refused") return found;
  const state = stateOf(found.value, nowMs);
  return state === "revoked" || state === "expired" ? refused({ kind: "ended", state, key: found.value }) : found;
}

export interface SuspendedKey {
  readonly key: Key & { readonly suspendedAtMs: number };
  /** Suspending again keeps the original time. */
  readonly wasSuspended: boolean;
}

export interface ResumedKey {
  readonly key: Key;
  /** Otherwise nothing has changed. */
  readonly wasSuspended: boolean;
}

interface Parts {
  readonly keys: Pick<KeyStore, "get" | "list" | "suspend" | "resume">;
  readonly clock: Clock;
  readonly author: Author;
}

/** Makes a key stop working until it is resumed. */
export async function suspendKey(
  { keys, clock, author }: Parts,
  idOrName: string,
): Promise<Result<SuspendedKey, FindRefusal | KeyEnded>> {
  const atMs = clock.nowMs();
  const found = await findLivingKey(keys, idOrName, atMs);
  if (found.kind === "refused") return found;
  const key = found.value;
  const { suspendedAtMs } = key;
  if (suspendedAtMs !== undefined) return done({ key: { ...key, suspendedAtMs }, wasSuspended: true });
  await keys.suspend({ ...author, keyId: key.id, atMs });
  return done({ key: { ...key, suspendedAtMs: atMs }, wasSuspended: false });
}

/** Makes a suspended key work again. */
export async function resumeKey(
  { keys, clock, author }: Parts,
  idOrName: string,
): Promise<Result<ResumedKey, FindRefusal | KeyEnded>> {
  const atMs = clock.nowMs();
  const found = await findLivingKey(keys, idOrName, atMs);
  if (found.kind === "refused") return found;
  const key = found.value;
  if (key.suspendedAtMs === undefined) return done({ key, wasSuspended: false });
  await keys.resume({ ...author, keyId: key.id, atMs });
  return done({ key: { ...key, suspendedAtMs: undefined }, wasSuspended: true });
}
