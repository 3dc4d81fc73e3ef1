import { done, type Result, refused } from "../domain/result.ts";
import type { Tally } from "../domain/tally.ts";
import type { Store } from "../store/store.ts";

/** What was last counted for keys; nothing was for those that are not in the map. */
export type CountedFor = (keyIds: readonly string[]) => Promise<ReadonlyMap<string, Tally>>;

/** Requests are counted in Redis, and it is not known where that is. */
export interface CountedInRedis {
  readonly kind: "counted_in_redis";
}

/** Finds out where requests are counted. Nothing is read there yet. */
export type FindCounters = () => Promise<Result<CountedFor, CountedInRedis>>;

/**
 * Where the service has noted that it counts, or, if it never has, where it would count with the same settings.
 * `inRedis` reads there; undefined: it is not known where Redis is.
 */
export const countersOf =
  ({ facts, tallies }: Pick<Store, "facts" | "tallies">, inRedis: CountedFor | undefined): FindCounters =>
  async () => {
    const place = (await facts.countingPlace()) ?? (inRedis ? "redis" : "database");
    if (place === "database") return done((keyIds) => countedInDatabase(tallies, keyIds));
    return inRedis ? done(inRedis) : refused({ kind: "counted_in_redis" });
  };

async function countedInDatabase(
  tallies: Store["tallies"],
  keyIds: readonly string[],
): Promise<ReadonlyMap<string, Tally>> {
  const [keyId] = keyIds;
  if (keyId === undefined) return new Map();
  if (keyIds.length > 1) return new Map(await tallies.load());
  const tally = await tallies.get(keyId);
  return new Map(tally ? [[keyId, tally]] : []);
}
