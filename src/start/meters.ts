import type { MeterSettings, ServerChange } from "../meter/open.ts";
import type { CountingPlace, Store } from "../store/ports/store.ts";
import type { Log } from "../telemetry/log.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import type { Logs } from "./logs.ts";

/** Saves counters in the store; nowhere while that takes no writes. */
export const tallyKeeper = (store: Pick<Store, "tallies" | "isReadOnly">): MeterSettings["keeper"] => ({
  load: () => store.tallies.load(),
  save: async (changed) => {
    if (!store.isReadOnly()) await store.tallies.save(changed);
  },
});

/**
 * Records in the database where requests are counted, for commands that are not told where Redis is. A service works
 * without it: it is done once requests are admitted, and a failure is only reported.
 */
export async function noteCountingPlace(
  { metadata, isReadOnly }: Pick<Store, "metadata" | "isReadOnly">,
  place: CountingPlace,
  report: Logs["report"],
): Promise<void> {
  try {
    if ((await metadata.countingPlace()) !== place && !isReadOnly()) await metadata.noteCountingPlace(place);
  } catch (error) {
    report("could not note where requests are counted")(error);
  }
}

/** Tells the log and the metrics what happens to the servers of Redis, and keeps the set of those that are away. */
export function announcer(
  away: Set<string>,
  log: Pick<Log, "error" | "info">,
  telemetry: Pick<Telemetry, "meterDegraded" | "redisServer">,
): (change: ServerChange) => void {
  return (change) => {
    const { server, state } = change;
    if (state === "away") away.add(server);
    else away.delete(server);
    telemetry.meterDegraded(away.size > 0);
    telemetry.redisServer(server, state === "gone" ? undefined : state !== "away" && state !== "replaced");
    if (state === "away") {
      const { reason, remedy, isOneOfMany, error } = change;
      const what = isOneOfMany ? "the share of that server" : "requests";
      log.error({ server, remedy, err: error }, `Redis ${server} ${reason}: this instance counts ${what} by itself`);
    } else if (state === "back") log.info({ server }, "Redis is back: instances count requests together again");
    else if (state === "replaced")
      log.info({ server }, "Redis has been replaced by another server: instances count requests together again");
  };
}
