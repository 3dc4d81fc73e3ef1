import { done, type Result, refused } from "../base/result.ts";
import { SECOND_MS } from "../base/time/clock.ts";
import { type Key, type KeyState, stateOf } from "../domain/keys/key.ts";
import type { ChangeContext, KeyContext } from "./queries/context.ts";
import { onKey } from "./queries/find.ts";
import type { ChangedKey } from "./revoke.ts";

/**
 * A key is deleted no sooner than this after its revocation: an instance may admit it for 2 s more, wait 5 s for the
 * body, and then write a response that refers to the key.
 */
export const DELETABLE_AFTER_MS = 10 * SECOND_MS;

export interface NotRevoked {
  readonly kind: "not_revoked";
  readonly state: Exclude<KeyState, "revoked">;
  readonly key: Key;
}

interface Parts extends ChangeContext, Pick<KeyContext, "maintenance"> {
  readonly sleep: (ms: number) => Promise<unknown>;
  /** Called with the time to wait, if the deletion has to. */
  readonly onWait?: (ms: number) => void;
}

/** Deletes a revoked key with everything that is kept about it. */
export const deleteKey = onKey(async (parts: Parts, key): Promise<Result<ChangedKey, NotRevoked>> => {
  const { keys, maintenance, clock, author, sleep, onWait } = parts;
  const nowMs = clock.nowMs();
  const state = stateOf(key, nowMs);
  if (state !== "revoked") return refused({ kind: "not_revoked", state, key });
  const waitMs = Math.min(DELETABLE_AFTER_MS, (key.revokedAtMs ?? nowMs) + DELETABLE_AFTER_MS - nowMs);
  if (waitMs > 0) {
    onWait?.(waitMs);
    await sleep(waitMs);
  }
  // In portions: all of them at once could take longer than a transaction may.
  while (await maintenance.deleteResponsesOfKey({ keyId: key.id }));
  while (await maintenance.deleteUsageOfKey({ keyId: key.id }));
  await keys.delete({ ...author, keyId: key.id, atMs: clock.nowMs() });
  return done({ key, hasChanged: true });
});
