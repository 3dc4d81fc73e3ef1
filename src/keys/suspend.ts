import { done, type Result, refused } from "../base/result.ts";
import type { Clock } from "../base/time/clock.ts";
import type { Author } from "../domain/journal.ts";
import { type Key, stateOf } from "../domain/keys/key.ts";
import type { KeyStore } from "../store/ports/store.ts";
import { type FindRefusal, findKey } from "./queries/find.ts";

/** The key does not work any more, so nothing can be done to make it work, or to keep it from working. */
export interface KeyEnded {
  readonly kind: "ended";
  readonly state: "revoked" | "expired";
  readonly key: Key;
}

/** Undefined while the key could work. */
export function endOf(key: Key, nowMs: number): KeyEnded | undefined {
  const state = stateOf(key, nowMs);
  return state === "revoked" || state === "expired" ? { kind: "ended", state, key } : undefined;
}

export interface SuspendedKey {
  readonly key: Key & { readonly suspendedAtMs: number };
  /** It was suspended before, and nothing has changed. */
  readonly wasSuspended: boolean;
}

export interface ResumedKey {
  readonly key: Key;
  /** Otherwise there was nothing to resume, and nothing has changed. */
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
  const found = await findKey(keys, idOrName);
  if (found.kind === "refused") return found;
  const key = found.value;
  const atMs = clock.nowMs();
  const end = endOf(key, atMs);
  if (end) return refused(end);
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
  const found = await findKey(keys, idOrName);
  if (found.kind === "refused") return found;
  const key = found.value;
  const atMs = clock.nowMs();
  const end = endOf(key, atMs);
  if (end) return refused(end);
  if (key.suspendedAtMs === undefined) return done({ key, wasSuspended: false });
  await keys.resume({ ...author, keyId: key.id, atMs });
  return done({ key: { ...key, suspendedAtMs: undefined }, wasSuspended: true });
}
