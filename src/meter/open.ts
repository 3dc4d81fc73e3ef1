import type { Checkup } from "../domain/checkup/checkup.ts";
import { MemoryMeter } from "./memory.ts";
import type { Meter, RedisSettings, SavingThread, TallyKeeper } from "./meter.ts";
import type { RedisUrl } from "./redis-url.ts";
import { loadTallies, tallySaver } from "./tally-saver.ts";
import { newTableMemory, TallyTable, WAYS } from "./tally-table.ts";

export type { ServerChange } from "./meter.ts";
export type { RedisUrl } from "./redis-url.ts";

export interface MeterSettings extends RedisSettings {
  /** The Redis that all instances count in. Undefined: this process counts by itself. */
  readonly redisUrl: RedisUrl | undefined;
  /** The tallies of all threads of this process. */
  readonly memory: MeterMemory;
  /** Saves the counters of a process that counts by itself. One thread has the keeper, which the others ask. */
  readonly keeper: TallyKeeper | SavingThread;
  /** Called for each save that fails; the next save includes its tallies. */
  readonly onSaveFailure: (error: unknown) => void;
}

/** Shared memory for the tallies of all threads of a process, which can be sent to them. */
export type MeterMemory = ReturnType<typeof newMeterMemory>;

export interface Meters {
  readonly keyMeter: Meter;
  readonly addressMeter: Meter;
  /** Saves the tallies of all threads. Call it every SAVE_INTERVAL_MS. Never rejects. */
  save(): Promise<void>;
  /** Saves, unless another thread does, and releases what the meters hold. */
  close(): Promise<void>;
}

export const SAVE_INTERVAL_MS = 500;

/**
 * A tally is evicted early when a 33rd subject needs a slot in its bucket. With 10,000 keys in use within a day that is
 * expected for 10^-40 of them, with 100,000 for 10^-9, and with 200,000 for 0.02. More room would make a start slower.
 */
const MAX_KEYS = 2 ** 19;
/** With 50,000 within a minute, that is expected for 0.002 of them. */
const MAX_ADDRESSES = 2 ** 17;
const MAX_SUBJECTS_WHILE_DEGRADED = 2 ** 18;
/** The size of a table that is not used. */
const NO_ROOM = WAYS;

/** ioredis takes 14 ms to load: only a process that uses Redis pays for it. */
const inRedis = () => import("./redis/tallies.ts");

type Tallies = Awaited<ReturnType<typeof inRedis>>;

/**
 * Opens counters in Redis, for all instances together, if there is one; otherwise in this process, saved by the keeper.
 * Fails with an OperatorError if a setting keeps Redis from counting.
 */
export const openMeters = (settings: MeterSettings): Promise<Meters> =>
  settings.redisUrl === undefined ? openLocalMeters(settings) : openSharedMeters(settings, settings.redisUrl);

/** Reads the current tallies of these keys in Redis. Fails with an OperatorError if Redis does not answer. */
export const readTallies: Tallies["readTallies"] = async (...args) => (await inRedis()).readTallies(...args);

/**
 * Raises the tallies of these keys in Redis to at least these values, and never lowers one. Fails with an OperatorError
 * if Redis does not answer.
 */
export const raiseTallies: Tallies["raiseTallies"] = async (...args) => (await inRedis()).raiseTallies(...args);

export async function openRedisCheckup(url: RedisUrl, connectTimeoutMs?: number): Promise<Checkup> {
  return (await import("./redis/checkup.ts")).checkRedis(url, connectTimeoutMs);
}

/** Reserves addresses; only used parts become memory. With Redis, this process counts only while that is away. */
export const newMeterMemory = ({ hasRedis }: { readonly hasRedis: boolean }) => ({
  keys: newTableMemory(hasRedis ? NO_ROOM : MAX_KEYS),
  addresses: newTableMemory(hasRedis ? NO_ROOM : MAX_ADDRESSES),
  /** Keys and addresses while Redis is away. */
  fallback: newTableMemory(hasRedis ? MAX_SUBJECTS_WHILE_DEGRADED : NO_ROOM),
});

async function openLocalMeters({ memory, keeper, clock, onSaveFailure }: MeterSettings): Promise<Meters> {
  const keys = new TallyTable(memory.keys, clock);
  const addressMeter = new MemoryMeter(clock, new TallyTable(memory.addresses, clock));
  if ("saveElsewhere" in keeper) {
    const save = () => keeper.saveElsewhere().catch(onSaveFailure);
    return { keyMeter: new MemoryMeter(clock, keys, save), addressMeter, save, close: async () => {} };
  }
  await loadTallies(keys, keeper, clock.nowMs());
  const save = tallySaver(keys, keeper, onSaveFailure);
  return { keyMeter: new MemoryMeter(clock, keys, save), addressMeter, save, close: save };
}

async function openSharedMeters(settings: MeterSettings, url: RedisUrl): Promise<Meters> {
  const { memory, clock } = settings;
  const { openRedisMeter } = await import("./redis/open.ts");
  const meter = await openRedisMeter(url, settings, new TallyTable(memory.fallback, clock));
  return { keyMeter: meter, addressMeter: meter, save: async () => {}, close: () => meter.close() };
}
