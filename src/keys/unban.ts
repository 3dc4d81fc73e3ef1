import { done, type Result } from "../base/result.ts";
import type { Clock } from "../base/time/clock.ts";
import type { Author } from "../domain/journal.ts";
import type { Key } from "../domain/keys/key.ts";
import type { KeyStore } from "../store/ports/store.ts";
import type { CountedInRedis, FindCounters } from "./queries/counters.ts";
import { type FindRefusal, findKey } from "./queries/find.ts";
import { useOf } from "./queries/use.ts";

export interface UnbannedKey {
  readonly key: Key;
  readonly wasBanned: boolean;
}

interface Parts {
  readonly keys: Pick<KeyStore, "get" | "list" | "pardon">;
  readonly counters: FindCounters;
  readonly clock: Clock;
  readonly author: Author;
}

/** Lifts a key's ban, and forgets its earlier bans. */
export async function unbanKey(
  { keys, counters, clock, author }: Parts,
  idOrName: string,
): Promise<Result<UnbannedKey, FindRefusal | CountedInRedis>> {
  const found = await findKey(keys, idOrName);
  if (found.kind === "refused") return found;
  const key = found.value;
  // The pardon must be later than the ban, which a clock ahead of this one may have timed.
  const countedFor = await counters();
  if (countedFor.kind === "refused") return countedFor;
  const nowMs = clock.nowMs();
  const pardon = { ...author, keyId: key.id, atMs: nowMs };
  const counted = await countedFor.value([key.id]).catch(async (error: unknown) => {
    // If the counters cannot be read, the ban is lifted all the same.
    await keys.pardon(pardon);
    throw error;
  });
  const tally = counted.get(key.id);
  const pardonedAtMs = Math.max(nowMs, tally?.banRecord.bannedAtMs ?? nowMs);
  const { bannedUntilMs, ladder } = useOf(key, tally, pardonedAtMs);
  await keys.pardon({ ...pardon, bannedAtMs: pardonedAtMs, liftsNothing: ladder.bansInARow === 0 });
  return done({ key: { ...key, pardonedAtMs }, wasBanned: bannedUntilMs !== undefined });
}
