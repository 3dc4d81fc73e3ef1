import { type Clock, systemClock } from "../base/time/clock.ts";
import { type MeterSettings, type Meters, openMeters, type ServerChange } from "../meter/open.ts";
import type { CountingPlace, Store } from "../store/ports/store.ts";
import type { Log } from "../telemetry/log.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";

interface MeterParts extends Pick<MeterSettings, "redisUrl" | "memory" | "keeper" | "answerTimeoutMs"> {
  /** Undefined: the system's, and in Redis its own. */
  readonly clock: Clock | undefined;
  readonly log: Pick<Log, "error" | "info">;
  readonly telemetry: Telemetry;
  readonly report: (message: string) => (error: unknown) => void;
}

/** Opens the meters, and tells the operator when instances do not count together. */
export const startMeters = ({ clock, log, telemetry, report, ...settings }: MeterParts): Promise<Meters> =>
  openMeters({
    ...settings,
    clock: clock ?? systemClock,
    scriptClock: clock,
    onSaveFailure: report("could not save the counters"),
    onServerChange: announcer(log, telemetry),
    onAnswer: telemetry.isOn ? telemetry.redisAnswer : undefined,
  });

/**
 * Leaves a note in the database where requests are counted, for commands on it that are not told where Redis is. A
 * service works without it: it is done once requests are admitted, and a failure is only reported.
 */
export async function noteCountingPlace(
  { metadata, isReadOnly }: Pick<Store, "metadata" | "isReadOnly">,
  place: CountingPlace,
  report: MeterParts["report"],
): Promise<void> {
  try {
    if ((await metadata.countingPlace()) !== place && !isReadOnly()) await metadata.noteCountingPlace(place);
  } catch (error) {
    report("could not note where requests are counted")(error);
  }
}

/** Tells the log and the metrics what happens to the servers of Redis. */
export function announcer(
  log: Pick<Log, "error" | "info">,
  telemetry: Pick<Telemetry, "meterDegraded" | "redisServer">,
): (change: ServerChange) => void {
  const away = new Set<string>();
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
