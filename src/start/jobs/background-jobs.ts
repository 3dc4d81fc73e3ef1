import type { Keyring } from "../../access/keyring.ts";
import { LastUse } from "../../access/last-use.ts";
import type { SteadyClock } from "../../base/time/clock.ts";
import type { Config } from "../../config.ts";
import { savedResponsesExpireAtMs } from "../../domain/idempotency.ts";
import { KEPT_DAYS_DEFAULT } from "../../domain/usage/kept-request.ts";
import { type Meters, SAVE_INTERVAL_MS } from "../../meter/open.ts";
import type { Store } from "../../store/ports/store.ts";
import type { RequestKeeper } from "../../telemetry/request-keeper.ts";
import type { UsageCounter } from "../../telemetry/usage-counter.ts";
import type { Logs } from "../logs.ts";
import type { Heartbeat } from "./heartbeat.ts";
import { RequestSweep } from "./request-sweep.ts";
import { AT_REST, type Job, MORE_TO_DO, type Run, type Schedule } from "./schedule.ts";
import { UsageFlush } from "./usage-flush.ts";

export const POLL_INTERVAL_MS = 500;
export const POLL_FAILURE = "could not check for changed keys";

interface JobParts {
  /** That of the thread. */
  readonly schedule: Schedule;
  readonly store: Store;
  /** Judges when keys were used, and what has expired. */
  readonly steadyClock: SteadyClock;
  readonly report: Logs["report"];
}

interface ThreadJobParts extends JobParts {
  readonly usage: UsageCounter;
  /** Undefined: no requests are kept. */
  readonly keeper?: RequestKeeper | undefined;
  readonly keyring: Pick<Keyring, "takeUsed">;
}

/**
 * Starts the job of every serving thread. It rests while the thread has no requests: each is counted, which wakes it.
 * Returns how to stop it.
 */
export function startThreadJobs(parts: ThreadJobParts) {
  const { schedule, keyring, usage, keeper, store, steadyClock, report } = parts;
  const lastUse = new LastUse({ keyring, keys: store.keys, isReadOnly: store.isReadOnly, clock: steadyClock });
  const onUnattributed = report("could not keep the usage of some requests by key");
  const usageFlush = new UsageFlush({ counter: usage, keeper, store, clock: steadyClock, onUnattributed });
  const succeeds = (work: Promise<void>, failure: string): Promise<boolean> =>
    work.then(
      () => true,
      (error) => {
        report(failure)(error);
        return false;
      },
    );
  /** In this order: what is counted after the counts were taken wakes the job, and its key may be noted already. */
  const write = async () => {
    const isStored = await succeeds(usageFlush.write(), "could not store the usage");
    const isNoted = await succeeds(lastUse.write(), "could not note when keys were last used");
    return isStored && isNoted && !store.isReadOnly() ? AT_REST : undefined;
  };
  // Usage appears in the store after this time, and a crash loses no more of it; a key's last use may be late by it.
  const job = schedule.start(5_000, write, report("could not write what requests have left"));
  usage.onFirst = () => job.wake();
  return async (): Promise<void> => {
    await job.stop();
    await write();
  };
}

interface PollParts extends Pick<JobParts, "schedule" | "report"> {
  readonly poll: () => Promise<boolean>;
  /** Lets the threads poll that do not by themselves. */
  readonly tellOthers?: (() => void) | undefined;
  readonly intervalMs?: number;
}

/**
 * Polls again and again what may change without this process: a database file that is taken away is noticed within a
 * second, also while nobody writes. `poll` resolves to whether all is well, and as it was: if not, others are told. Returns
 * how to stop it.
 */
export function startPolling({ schedule, poll, tellOthers, report, intervalMs = POLL_INTERVAL_MS }: PollParts) {
  let isCalm = false;
  const job = schedule.start(
    intervalMs,
    async () => {
      const wasCalm = isCalm;
      isCalm = false;
      try {
        isCalm = await poll();
      } finally {
        // Once more when all is well again: it may not have been for the others yet.
        if (!isCalm || !wasCalm) tellOthers?.();
      }
    },
    report(POLL_FAILURE),
  );
  return () => job.stop();
}

interface ProcessJobParts extends JobParts {
  readonly meters: Meters;
  readonly heartbeat: Heartbeat;
  readonly config: Pick<Config, "REQUEST_LOG_DAYS" | "NAME_INDEX">;
}

/** Starts the jobs that run once in a process, however many threads it has. Returns how to stop them. */
export function startBackgroundJobs(parts: ProcessJobParts) {
  const { schedule, meters, heartbeat, store, steadyClock, report, config } = parts;
  if (!config.NAME_INDEX) store.nameIndex.drop().catch(report("could not remove the index of names"));
  const maintenance = maintenanceOf(store, steadyClock, config.REQUEST_LOG_DAYS);
  const { deleteExpiredResponses, sweepUsage, sweepRequests, sweepSessions, foldNames } = maintenance;
  const heartbeatFailure = "could not note that this instance is alive";
  const jobs = startJobs(schedule, report, [
    [SAVE_INTERVAL_MS, "could not save the counters", () => meters.save()],
    [10_000, "could not delete expired responses", deleteExpiredResponses],
    [60_000, "could not delete old usage", sweepUsage],
    [60_000, "could not delete old requests", sweepRequests],
    [60_000, "could not delete expired sessions of the console", sweepSessions],
    [2_000, heartbeatFailure, () => heartbeat.beat()],
    // An animal that an instance of release 1.1.0 adds is found by name after this time.
    [1_000, "could not prepare names for searches", foldNames],
  ]);
  return async (): Promise<void> => {
    await stopAll(jobs);
    await heartbeat.stop().catch(report(heartbeatFailure));
  };
}

type JobEntry = readonly [intervalMs: number, failure: string, run: Run];

const startJobs = (schedule: Schedule, report: Logs["report"], jobs: readonly JobEntry[]): Job[] =>
  jobs.map(([intervalMs, failure, run]) => schedule.start(intervalMs, run, report(failure)));

const stopAll = (jobs: readonly Job[]) => Promise.all(jobs.map((job) => job.stop()));

/**
 * The maintenance of a store. It does nothing while the store is read-only, and deletes nothing while the time is in
 * doubt: that could not be undone. Nobody waits for it: whatever has expired may stay a while longer.
 */
export function maintenanceOf(
  store: Pick<Store, "maintenance" | "usage" | "isReadOnly">,
  time: SteadyClock,
  requestDays = KEPT_DAYS_DEFAULT,
) {
  const { maintenance, isReadOnly } = store;
  const requestSweep = new RequestSweep({ store, keptDays: requestDays });
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
    sweepRequests: unlessReadOnly(() => requestSweep.step(time.settledMs())),
    sweepSessions: onceSettled(async (nowMs) => {
      await maintenance.sweepSessions({ nowMs });
      return false;
    }),
    foldNames: unlessReadOnly(() => maintenance.foldNames()),
  };
}
