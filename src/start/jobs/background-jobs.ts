import type { Keyring } from "../../access/keyring.ts";
import { LastUse } from "../../access/last-use.ts";
import type { SteadyClock } from "../../base/time/clock.ts";
import { savedResponsesExpireAtMs } from "../../domain/idempotency.ts";
import { type Meters, SAVE_INTERVAL_MS } from "../../meter/open.ts";
import type { Store } from "../../store/ports/store.ts";
import type { UsageCounter } from "../../telemetry/usage-counter.ts";
import type { Logs } from "../logs.ts";
import type { Heartbeat } from "./heartbeat.ts";
import { MORE_TO_DO, type Run, startJob } from "./schedule.ts";
import { UsageFlush } from "./usage-flush.ts";

export const REFRESH_KEYS_INTERVAL_MS = 500;

interface JobParts {
  readonly store: Store;
  /** Judges when keys were used, and what has expired. */
  readonly steadyClock: SteadyClock;
  readonly report: Logs["report"];
}

interface ThreadJobParts extends JobParts {
  readonly keyring: Keyring;
  readonly usage: UsageCounter;
  /** Checks the store, which then knows whether it takes writes. */
  readonly isReady: () => Promise<boolean>;
}

/** Starts the jobs of every serving thread. Returns how to stop them. */
export function startThreadJobs({ keyring, usage, store, isReady, steadyClock, report }: ThreadJobParts) {
  const lastUse = new LastUse({ keyring, keys: store.keys, isReadOnly: store.isReadOnly, clock: steadyClock });
  const onUnattributed = report("could not keep the usage of some requests by key");
  const usageFlush = new UsageFlush({ counter: usage, store, clock: steadyClock, onUnattributed });
  const lastUseFailure = "could not note when keys were last used";
  const usageFailure = "could not store the usage";
  const stopJobs = startJobs(report, [
    [REFRESH_KEYS_INTERVAL_MS, "could not check for changed keys", () => keyring.refresh()],
    // A database file that is taken away is noticed within a second, also while nobody writes.
    [500, "could not check the store", async () => void (await isReady())],
    // The recorded minute of a key's last use may be late by this much.
    [5_000, lastUseFailure, () => lastUse.write()],
    // Usage appears in the store after this time, and a crash loses no more of it.
    [5_000, usageFailure, () => usageFlush.write()],
  ]);
  return async (): Promise<void> => {
    await stopJobs();
    await Promise.all([lastUse.write().catch(report(lastUseFailure)), usageFlush.write().catch(report(usageFailure))]);
  };
}

interface ProcessJobParts extends JobParts {
  readonly meters: Meters;
  readonly heartbeat: Heartbeat;
}

/** Starts the jobs that run once in a process, however many threads it has. Returns how to stop them. */
export function startBackgroundJobs({ meters, heartbeat, store, steadyClock, report }: ProcessJobParts) {
  const { deleteExpiredResponses, sweepUsage, sweepSessions, foldNames } = maintenanceOf(store, steadyClock);
  const heartbeatFailure = "could not note that this instance is alive";
  const stopJobs = startJobs(report, [
    [SAVE_INTERVAL_MS, "could not save the counters", () => meters.save()],
    [10_000, "could not delete expired responses", deleteExpiredResponses],
    [60_000, "could not delete old usage", sweepUsage],
    [60_000, "could not delete expired sessions of the console", sweepSessions],
    [2_000, heartbeatFailure, () => heartbeat.beat()],
    // An animal that an instance of release 1.1.0 adds is found by name after this time.
    [1_000, "could not prepare names for searches", foldNames],
  ]);
  return async (): Promise<void> => {
    await stopJobs();
    await heartbeat.stop().catch(report(heartbeatFailure));
  };
}

type Job = readonly [intervalMs: number, failure: string, run: Run];

function startJobs(report: Logs["report"], jobs: readonly Job[]) {
  const stops = jobs.map(([intervalMs, failure, run]) => startJob(intervalMs, run, report(failure)));
  return () => Promise.all(stops.map((stop) => stop()));
}

/**
 * The maintenance of a store. It does nothing while the store is read-only, and deletes nothing while the time is in
 * doubt: that could not be undone. Readers check expiry themselves, so timing is uncritical.
 */
export function maintenanceOf(store: Pick<Store, "maintenance" | "isReadOnly">, time: SteadyClock) {
  const { maintenance, isReadOnly } = store;
  /** `work` resolves to whether there is more to do. */
  const unlessReadOnly = (work: () => Promise<boolean>) => async () =>
    !isReadOnly() && (await work()) ? MORE_TO_DO : undefined;
  const onceSettled = (work: (nowMs: number) => Promise<boolean>) =>
    unlessReadOnly(async () => {
      const nowMs = time.settledMs();
      return nowMs !== undefined && work(nowMs);
    });
  return {
    deleteExpiredResponses: onceSettled((nowMs) =>
      maintenance.deleteSavedResponses({ savedAtMs: savedResponsesExpireAtMs(nowMs) }),
    ),
    sweepUsage: onceSettled((nowMs) => maintenance.sweepUsage({ nowMs })),
    sweepSessions: onceSettled(async (nowMs) => {
      await maintenance.sweepSessions({ nowMs });
      return false;
    }),
    foldNames: unlessReadOnly(() => maintenance.foldNames()),
  };
}
