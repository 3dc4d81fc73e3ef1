import { readAll } from "../../base/read-all.ts";
import { done, type Result, refused } from "../../base/result.ts";
import type { Tally } from "../../domain/limits/tally.ts";
import type { KeyTally, Store } from "../../store/ports/store.ts";

/** The latest counts of keys. Keys without any are not in the map. */
export type CountedFor = (keyIds: readonly string[]) => Promise<ReadonlyMap<string, Tally>>;

/** Requests are counted in Redis, whose address is not known. */
export interface CountedInRedis {
  readonly kind: "counted_in_redis";
}

/** Finds out where requests are counted, without reading the counts. */
export type FindCounters = () => Promise<Result<CountedFor, CountedInRedis>>;

/**
 * The place where the service has noted that it counts or, if it never has, where it would count with these settings.
 * `inRedis` reads counts there; undefined: the address of Redis is not known.
 */
export const countersOf =
  ({ metadata, tallies }: Pick<Store, "metadata" | "tallies">, inRedis: CountedFor | undefined): FindCounters =>
  async () => {
    const place = (await metadata.countingPlace()) ?? (inRedis ? "redis" : "database");
    if (place === "database") return done((keyIds) => countedInDatabase(tallies, keyIds));
    return inRedis ? done(inRedis) : refused({ kind: "counted_in_redis" });
  };

async function countedInDatabase(
  tallies: Store["tallies"],
  keyIds: readonly string[],
): Promise<ReadonlyMap<string, Tally>> {
  const [keyId, ...others] = keyIds;
  if (keyId === undefined) return new Map();
  if (others.length > 0)
    return new Map(
      await readAll<KeyTally>(
        TALLIES_AT_ONCE,
        (page) => tallies.loadSome(page),
        ([id]) => id,
      ),
    );
  const tally = await tallies.get(keyId);
  return new Map(tally ? [[keyId, tally]] : []);
}

/** All tallies of 10,000 keys at once would block the event loop for longer than a request may take. */
const TALLIES_AT_ONCE = 500;
