import { done, type Result } from "../base/result.ts";
import type { ChangeContext, KeyContext } from "./queries/context.ts";
import type { CountedInRedis } from "./queries/counters.ts";
import { onKey } from "./queries/find.ts";
import { useOf } from "./queries/use.ts";
import type { ChangedKey } from "./revoke.ts";

type Parts = ChangeContext & Pick<KeyContext, "counters">;

/** Lifts a key's ban, and forgets its earlier bans. */
export const unbanKey = onKey(async (parts: Parts, key): Promise<Result<ChangedKey, CountedInRedis>> => {
  const { keys, counters, clock, author } = parts;
  // The unban must be later than the ban, which a clock ahead of this one may have timed.
  const countedFor = await counters();
  if (countedFor.kind === "refused") return countedFor;
  const nowMs = clock.nowMs();
  const unban = { ...author, keyId: key.id, atMs: nowMs };
  const counted = await countedFor.value([key.id]).catch(async (error: unknown) => {
    // If the counters cannot be read, the ban is lifted all the same.
    await keys.unban(unban);
    throw error;
  });
  const tally = counted.get(key.id);
  const unbannedAtMs = Math.max(nowMs, tally?.banRecord.bannedAtMs ?? nowMs);
  const { bannedUntilMs, ladder } = useOf(key, tally, unbannedAtMs);
  await keys.unban({ ...unban, bannedAtMs: unbannedAtMs, liftsNothing: ladder.bansInARow === 0 });
  return done({ key: { ...key, unbannedAtMs }, hasChanged: bannedUntilMs !== undefined });
});
