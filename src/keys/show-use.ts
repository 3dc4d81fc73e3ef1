import { applyPardon, isBanned } from "../domain/ban.ts";
import type { Clock } from "../domain/clock.ts";
import type { Key } from "../domain/key.ts";
import { done, type Result } from "../domain/result.ts";
import { newTally, type Tally } from "../domain/tally.ts";
import { type Count, closeIfOver, DAY, MINUTE, type Window } from "../domain/window.ts";
import type { KeyStore } from "../store/store.ts";
import { findKey, type UnknownKey } from "./find.ts";

/** What was last counted for a key, wherever that is kept; undefined: nothing. */
export type CountedFor = (keyId: string) => Promise<Tally | undefined>;

export interface WindowUse {
  readonly used: number;
  readonly remaining: number;
  /** Undefined when the window is not open. */
  readonly resetsAtMs: number | undefined;
}

/** What a key has used of its quotas, and until when it is banned. */
export interface KeyUse {
  readonly minute: WindowUse;
  readonly day: WindowUse;
  readonly bannedUntilMs: number | undefined;
}

interface Parts {
  readonly keys: Pick<KeyStore, "get">;
  readonly countedFor: CountedFor;
  readonly clock: Clock;
}

export async function showUse(
  { keys, countedFor, clock }: Parts,
  id: string,
): Promise<Result<{ readonly key: Key; readonly use: KeyUse }, UnknownKey>> {
  const found = await findKey(keys, id);
  if (found.kind === "refused") return found;
  const key = found.value;
  return done({ key, use: useOf(key, await countedFor(id), clock.nowMs()) });
}

/** By the same rules that requests are judged by. The tally itself stays as it is. */
export function useOf(key: Key, tally: Tally | undefined, nowMs: number): KeyUse {
  const { minute, day, banRecord } = structuredClone(tally) ?? newTally();
  applyPardon(banRecord, key.pardonedAtMs ?? -1);
  return {
    minute: windowUse(minute, MINUTE, key.quotas.perMinute, nowMs),
    day: windowUse(day, DAY, key.quotas.perDay, nowMs),
    bannedUntilMs: isBanned(banRecord, nowMs) ? banRecord.bannedUntilMs : undefined,
  };
}

function windowUse(count: Count, window: Window, quota: number, nowMs: number): WindowUse {
  closeIfOver(count, window, nowMs);
  return {
    used: count.used,
    remaining: Math.max(0, quota - count.used),
    resetsAtMs: count.used > 0 ? count.openedAtMs + window.lengthMs : undefined,
  };
}
