import { done, type Result, refused } from "../base/result.ts";
import { type Key, stateOf } from "../domain/keys/key.ts";
import type { ChangeContext } from "./queries/context.ts";
import { onKey } from "./queries/find.ts";
import type { ChangedKey } from "./revoke.ts";

/** A key that does not work any more can be neither suspended nor resumed, and gets no new secret. */
export interface KeyEnded {
  readonly kind: "ended";
  readonly state: "revoked" | "expired";
  readonly key: Key;
}

/** Returns undefined if the key is neither revoked nor expired. */
export function endOfKey(key: Key, nowMs: number): KeyEnded | undefined {
  const state = stateOf(key, nowMs);
  return state === "revoked" || state === "expired" ? { kind: "ended", state, key } : undefined;
}

const changeTo = (verb: "suspend" | "resume") =>
  onKey(async ({ keys, clock, author }: ChangeContext, key): Promise<Result<ChangedKey, KeyEnded>> => {
    const atMs = clock.nowMs();
    const ended = endOfKey(key, atMs);
    if (ended) return refused(ended);
    const suspends = verb === "suspend";
    if (suspends === (key.suspendedAtMs !== undefined)) return done({ key, hasChanged: false });
    await keys[verb]({ ...author, keyId: key.id, atMs });
    return done({ key: { ...key, suspendedAtMs: suspends ? atMs : undefined }, hasChanged: true });
  });

/** Makes a key stop working until it is resumed. Suspending again keeps the original time. */
export const suspendKey = changeTo("suspend");

/** Makes a suspended key work again. */
export const resumeKey = changeTo("resume");
