import { type Clock, systemClock } from "../domain/clock.ts";
import { type Meters, openMeters } from "../meter/open.ts";
import type { DatabaseUrl } from "../store/database-url.ts";
import type { TallyStore } from "../store/store.ts";
import type { Log } from "../telemetry/log.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";

interface MeterParts {
  readonly database: DatabaseUrl;
  readonly redisUrls: readonly string[] | undefined;
  readonly tallies: TallyStore;
  /** Undefined: the system's, and in Redis its own. */
  readonly clock: Clock | undefined;
  readonly answerTimeoutMs: number | undefined;
  readonly log: Log;
  readonly telemetry: Telemetry;
  readonly report: (message: string) => (error: unknown) => void;
}

/** Opens the meters, and tells the operator when instances do not count together. */
export function startMeters(parts: MeterParts): Promise<Meters> {
  const { database, redisUrls, tallies, clock, answerTimeoutMs, log, telemetry, report } = parts;
  if (database.kind === "postgres" && !redisUrls)
    log.warn("REDIS_URL is not set: this instance counts requests by itself. More than one instance needs Redis.");
  return openMeters({
    redisUrls,
    tallies,
    clock: clock ?? systemClock,
    scriptClock: clock,
    answerTimeoutMs,
    onSaveFailure: report("could not save the counters"),
    onDegraded(isDegraded, error) {
      telemetry.meterDegraded(isDegraded);
      if (isDegraded) log.error({ err: error }, "Redis is not responding: this instance counts requests by itself");
      else log.info("Redis is back: instances count requests together again");
    },
  });
}
