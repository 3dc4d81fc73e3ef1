import { done, type Result, refused } from "../base/result.ts";
import { type Key, stateOf } from "../domain/keys/key.ts";
import type { KeyStore } from "../store/ports/store.ts";
import type { ChangeContext } from "./queries/context.ts";
import { type FindRefusal, findKey } from "./queries/find.ts";
import type { ChangedKey } from "./revoke.ts";

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

const changeTo =
  (verb: "suspend" | "resume") =>
  async (
    { keys, clock, author }: ChangeContext,
    idOrName: string,
  ): Promise<Result<ChangedKey, FindRefusal | KeyEnded>> => {
    const atMs = clock.nowMs();
    const found = await findLivingKey(keys, idOrName, atMs);
    if (found.kind === "refused") return found;
    const key = found.value;
    const suspends = verb === "suspend";
    if (suspends === (key.suspendedAtMs !== undefined)) return done({ key, hasChanged: false });
    await keys[verb]({ ...author, keyId: key.id, atMs });
    return done({ key: { ...key, suspendedAtMs: suspends ? atMs : undefined }, hasChanged: true });
  };

/** Makes a key stop working until it is resumed. Suspending again keeps the original time. */
export const suspendKey = changeTo("suspend");

/** Makes a suspended key work again. */
export const resumeKey = changeTo("resume");
