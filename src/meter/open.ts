import type { Checkup } from "../domain/checkup.ts";
import type { Clock } from "../domain/clock.ts";
import { lazy } from "../domain/lazy.ts";
import type { Tally } from "../domain/tally.ts";
import { BoundedMeter, DurableMeter } from "./memory.ts";
import type { AnswerOutcome, Meter, ServerChange, TallyKeeper } from "./meter.ts";
import type { RedisUrl } from "./redis-url.ts";

export type { ServerChange } from "./meter.ts";
export type { RedisUrl } from "./redis-url.ts";

export interface MeterSettings {
  /** Where all instances count together. Absent: this process counts by itself. */
  readonly redisUrl: RedisUrl | undefined;
  /** Where the counters of this process are saved, if it counts by itself. */
  readonly tallies: TallyKeeper;
  readonly clock: Clock;
  /** The clock that Redis judges by. Absent: its own. */
  readonly scriptClock?: Clock | undefined;
  /** How long to wait for Redis before going on without it. */
  readonly connectTimeoutMs?: number;
  /** How long Redis's answer to one request is waited for, at least; by default 150 ms. */
  readonly answerTimeoutMs?: number | undefined;
  /** Called for each save that fails; the next one includes what it could not save. */
  readonly onSaveFailure: (error: unknown) => void;
  /** Called when a server of Redis stops counting, so that this instance counts by itself, and when it is back. */
  readonly onServerChange: (change: ServerChange) => void;
  /** Called for each answer of Redis, with the time that it took. Absent: nothing is timed. */
  readonly onAnswer?: ((outcome: AnswerOutcome, seconds: number) => void) | undefined;
}

export interface Meters {
  readonly keyMeter: Meter;
  readonly addressMeter: Meter;
  /** Saves what must outlive the process, and forgets what has expired. Call it every SAVE_INTERVAL_MS. Never rejects. */
  save(): Promise<void>;
  /** Saves, and releases what the meters hold. */
  close(): Promise<void>;
}

export const SAVE_INTERVAL_MS = 500;

const MAX_ADDRESSES = 50_000;
const MAX_KEYS_WHILE_DEGRADED = 100_000;

/** ioredis takes 14 ms to load: only a process that uses Redis pays for it. */
const loadRedisMeter = lazy(() => import("./redis/open.ts"));
const loadRedisCheckup = lazy(() => import("./redis/checkup.ts"));
const loadTallyReader = lazy(() => import("./redis/read-tallies.ts"));

/**
 * Counters in Redis, for all instances together, if there is one; otherwise in this process, saved by the keeper.
 * Fails with an OperatorError if a setting keeps Redis from counting.
 */
export const openMeters = (settings: MeterSettings): Promise<Meters> =>
  settings.redisUrl === undefined ? openLocalMeters(settings) : openSharedMeters(settings, settings.redisUrl);

/** What is counted in Redis for each of these keys right now. Fails with an OperatorError if Redis does not answer. */
export async function readTallies(
  url: RedisUrl,
  keyIds: readonly string[],
  connectTimeoutMs?: number,
): Promise<ReadonlyMap<string, Tally>> {
  return (await loadTallyReader()).readTallies(url, keyIds, connectTimeoutMs);
}

/** What there is to find out about Redis. */
export async function openRedisCheckup(url: RedisUrl, connectTimeoutMs?: number): Promise<Checkup> {
  return (await loadRedisCheckup()).checkRedis(url, connectTimeoutMs);
}

async function openLocalMeters({ tallies, clock, onSaveFailure }: MeterSettings): Promise<Meters> {
  const keyMeter = await DurableMeter.open(clock, tallies, onSaveFailure);
  const addressMeter = new BoundedMeter(clock, MAX_ADDRESSES);
  const save = () => {
    addressMeter.sweep();
    return keyMeter.save();
  };
  return { keyMeter, addressMeter, save, close: () => keyMeter.save() };
}

async function openSharedMeters(settings: MeterSettings, url: RedisUrl): Promise<Meters> {
  const { clock, scriptClock, connectTimeoutMs, answerTimeoutMs, onServerChange, onAnswer } = settings;
  const { openRedisMeter } = await loadRedisMeter();
  const fallback = new BoundedMeter(clock, MAX_KEYS_WHILE_DEGRADED);
  const timeouts = { connectTimeoutMs, answerTimeoutMs };
  const meter = await openRedisMeter({ url, clock, scriptClock, fallback, ...timeouts, onServerChange, onAnswer });
  return { keyMeter: meter, addressMeter: meter, save: async () => fallback.sweep(), close: () => meter.close() };
}
