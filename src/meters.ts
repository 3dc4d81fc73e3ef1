import type { Config } from "./config.ts";
import type { Clock } from "./domain/clock.ts";
import type { Telemetry } from "./http/telemetry.ts";
import type { Log } from "./log.ts";
import { BoundedMeter, KeptMeter } from "./meter/memory.ts";
import type { Meter } from "./meter/meter.ts";
import { repeat, reporter } from "./repeat.ts";
import type { TallyStore } from "./store/store.ts";

export interface Meters {
  readonly keyMeter: Meter;
  readonly addressMeter: Meter;
  /** Saves what has to outlive the process. */
  close(): Promise<void>;
}

interface MeterParts {
  readonly config: Config;
  readonly tallies: TallyStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly telemetry: Telemetry;
}

const MAX_ADDRESSES = 50_000;
const MAX_KEYS_WITHOUT_REDIS = 100_000;
const SAVE_EVERY_MS = 500;

/** Counters in Redis when there is one, for all instances together; else in this process, kept in the store. */
export const openMeters = (parts: MeterParts): Promise<Meters> =>
  parts.config.REDIS_URL === undefined ? openOwnMeters(parts) : openSharedMeters(parts, parts.config.REDIS_URL);

async function openOwnMeters({ config, tallies, clock, log, telemetry }: MeterParts): Promise<Meters> {
  if (config.DATABASE_URL.kind === "postgres")
    log.warn("REDIS_URL is not set: this instance counts for itself. More than one instance needs Redis.");
  const report = reporter("counters not saved", log, telemetry);
  const keyMeter = await KeptMeter.open(clock, tallies, report);
  const stopSaving = repeat(SAVE_EVERY_MS, () => keyMeter.save(), report);
  return {
    keyMeter,
    addressMeter: new BoundedMeter(clock, MAX_ADDRESSES),
    async close() {
      await stopSaving();
      await keyMeter.save();
    },
  };
}

async function openSharedMeters({ clock, log, telemetry }: MeterParts, urls: readonly string[]): Promise<Meters> {
  const { RedisMeter } = await import("./meter/redis.ts");
  const { connectRedis, whenReady } = await import("./meter/redis-client.ts");
  const client = connectRedis(urls);
  let lastError: Error | undefined;
  client.on("error", (error: Error) => {
    lastError = error;
  });
  await whenReady(client);
  const meter = new RedisMeter({
    client,
    clock,
    fallback: new BoundedMeter(clock, MAX_KEYS_WITHOUT_REDIS),
    onChange(isDegraded, error) {
      telemetry.meterDegraded(isDegraded);
      if (isDegraded)
        log.error({ err: error, reason: lastError?.message }, "Redis does not answer: this instance counts for itself");
      else log.info("Redis is back: counting together again");
    },
  });
  return { keyMeter: meter, addressMeter: meter, close: async () => meter.close() };
}
