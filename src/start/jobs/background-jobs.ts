import type { Keyring } from "../../access/keyring.ts";
import { LastUse } from "../../access/last-use.ts";
import type { SteadyClock } from "../../base/time/clock.ts";
import { savedResponsesExpireAtMs } from "../../domain/idempotency.ts";
import { type Meters, SAVE_INTERVAL_MS } from "../../meter/open.ts";
import type { Store } from "../../store/ports/store.ts";
import type { UsageCounter } from "../../telemetry/usage-counter.ts";
import type { Heartbeat } from "./heartbeat.ts";
import { startJob } from "./schedule.ts";
import { UsageFlush } from "./usage-flush.ts";

export const REFRESH_KEYS_INTERVAL_MS = 500;
/** A database file that is taken away is noticed within a second, also while nobody writes. */
const CHECK_INTERVAL_MS = 500;
const DELETE_SAVED_RESPONSES_INTERVAL_MS = 10_000;
/** An animal that an instance of release 1.1.0 adds is found by name after this time. */
const FOLD_NAMES_INTERVAL_MS = 1_000;
/** The recorded minute of a key's last use may be late by this much. */
const NOTE_USE_INTERVAL_MS = 5_000;
/** Usage appears in the store after this time, and a crash loses no more of it. */
const FLUSH_USAGE_INTERVAL_MS = 5_000;
const SWEEP_USAGE_INTERVAL_MS = 60_000;
const SWEEP_SESSIONS_INTERVAL_MS = 60_000;
/** How often to check whether the health of this instance has changed. */
const HEALTH_INTERVAL_MS = 2_000;

/** Makes a function that reports failures under a message. */
type Report = (message: string) => (error: unknown) => void;

interface ThreadJobParts {
  readonly keyring: Keyring;
  readonly usage: UsageCounter;
  readonly store: Store;
  /** Checks the store, which then knows whether it takes writes. */
  readonly check: () => Promise<unknown>;
  /** Judges when keys were used. */
  readonly steadyClock: SteadyClock;
  readonly report: Report;
}

/** Starts the jobs of every serving thread. Returns how to stop them. */
export function startThreadJobs(parts: ThreadJobParts): () => Promise<void> {
  const { keyring, store, check, steadyClock, report } = parts;
  const lastUse = new LastUse({ keyring, keys: store.keys, isReadOnly: store.isReadOnly, clock: steadyClock });
  const onUnattributed = report("could not keep the usage of some requests by key");
  const usage = new UsageFlush({ counter: parts.usage, store, clock: steadyClock, onUnattributed });
  const reportUse = report("could not note when keys were last used");
  const reportUsage = report("could not store the usage");
  const stops = [
    startJob({
      intervalMs: REFRESH_KEYS_INTERVAL_MS,
      run: () => keyring.refresh(),
      onFailure: report("could not check for changed keys"),
    }),
    startJob({ intervalMs: CHECK_INTERVAL_MS, run: check, onFailure: report("could not check the store") }),
    startJob({ intervalMs: NOTE_USE_INTERVAL_MS, run: () => lastUse.write(), onFailure: reportUse }),
    startJob({ intervalMs: FLUSH_USAGE_INTERVAL_MS, run: () => usage.write(), onFailure: reportUsage }),
  ];
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
    await Promise.all([lastUse.write().catch(reportUse), usage.write().catch(reportUsage)]);
  };
}

interface JobParts {
  readonly meters: Meters;
  readonly heartbeat: Heartbeat;
  readonly store: Store;
  /** Judges which saved responses have expired. */
  readonly steadyClock: SteadyClock;
  readonly report: Report;
}

/** Starts the jobs that run once in a process, however many threads it has. Returns how to stop them. */
export function startBackgroundJobs({ meters, heartbeat, store, steadyClock, report }: JobParts): () => Promise<void> {
  const job = (intervalMs: number, failure: string, run: () => Promise<unknown>) =>
    startJob({ intervalMs, run, onFailure: report(failure) });
  const heartbeatFailure = "could not note that this instance is alive";
  const stops = [
    job(SAVE_INTERVAL_MS, "could not save the counters", () => meters.save()),
    job(DELETE_SAVED_RESPONSES_INTERVAL_MS, "could not delete expired responses", () =>
      deleteExpiredResponses(store, steadyClock),
    ),
    job(SWEEP_USAGE_INTERVAL_MS, "could not delete old usage", () => sweepUsage(store, steadyClock)),
    job(SWEEP_SESSIONS_INTERVAL_MS, "could not delete expired sessions of the console", () =>
      sweepSessions(store, steadyClock),
    ),
    job(HEALTH_INTERVAL_MS, heartbeatFailure, () => heartbeat.beat()),
    job(FOLD_NAMES_INTERVAL_MS, "could not prepare names for searches", () => foldNames(store)),
  ];
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
    await heartbeat.stop().catch(report(heartbeatFailure));
  };
}

/** Returns whether there may be more to delete. Deletes nothing while the time is in doubt. */
export async function sweepUsage(
  { maintenance, isReadOnly }: Pick<Store, "maintenance" | "isReadOnly">,
  steadyClock: SteadyClock,
): Promise<boolean> {
  const nowMs = steadyClock.settledMs();
  return nowMs !== undefined && !isReadOnly() && maintenance.sweepUsage({ nowMs });
}

/** Readers check expiry themselves; timing is uncritical. Deletes nothing while the time is in doubt. */
export async function sweepSessions(
  { maintenance, isReadOnly }: Pick<Store, "maintenance" | "isReadOnly">,
  steadyClock: SteadyClock,
): Promise<void> {
  const nowMs = steadyClock.settledMs();
  if (nowMs !== undefined && !isReadOnly()) await maintenance.sweepSessions({ nowMs });
}

/** Returns whether there may be more to delete. Deletes nothing while the time is in doubt: it cannot be undone. */
export async function deleteExpiredResponses(
  store: Pick<Store, "maintenance" | "isReadOnly">,
  steadyClock: SteadyClock,
): Promise<boolean> {
  const nowMs = steadyClock.settledMs();
  if (nowMs === undefined || store.isReadOnly()) return false;
  return store.maintenance.deleteSavedResponses({ savedAtMs: savedResponsesExpireAtMs(nowMs) });
}

/** Returns whether there may be more names to fold. */
export const foldNames = async (store: Pick<Store, "maintenance" | "isReadOnly">): Promise<boolean> =>
  !store.isReadOnly() && store.maintenance.foldNames();
