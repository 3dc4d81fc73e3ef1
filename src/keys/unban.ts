import type { Clock } from "../domain/clock.ts";
import type { Key } from "../domain/key.ts";
import { done, type Result } from "../domain/result.ts";
import type { KeyStore } from "../store/store.ts";
import { findKey, type UnknownKey } from "./find.ts";
import { type CountedFor, useOf } from "./show-use.ts";

export interface UnbannedKey {
  readonly key: Key;
  readonly wasBanned: boolean;
}

interface Parts {
  readonly keys: Pick<KeyStore, "get" | "pardon">;
  readonly countedFor: CountedFor;
  readonly clock: Clock;
}

/** Lifts a key's ban, and forgets those that it had. */
export async function unbanKey(
  { keys, countedFor, clock }: Parts,
  id: string,
): Promise<Result<UnbannedKey, UnknownKey>> {
  const found = await findKey(keys, id);
  if (found.kind === "refused") return found;
  const nowMs = clock.nowMs();
  // Before the counters are read: where they cannot be, the ban is lifted all the same.
  await keys.pardon({ keyId: id, atMs: nowMs });
  const tally = await countedFor(id);
  // The clock that the ban began by may be ahead of this one.
  const pardonedAtMs = Math.max(nowMs, tally?.banRecord.bannedAtMs ?? nowMs);
  if (pardonedAtMs > nowMs) await keys.pardon({ keyId: id, atMs: pardonedAtMs });
  const wasBanned = useOf(found.value, tally, pardonedAtMs).bannedUntilMs !== undefined;
  return done({ key: { ...found.value, pardonedAtMs }, wasBanned });
}
