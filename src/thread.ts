import { closeAll, opening } from "./base/disposal.ts";
import { clockIn, steadyClock, systemClock } from "./base/time/clock.ts";
import type { Rpc } from "./base/worker/rpc.ts";
import { runThread } from "./base/worker/thread.ts";
import type { Config } from "./config.ts";
import type { MeterMemory } from "./meter/open.ts";
import { openBoundedLogs } from "./start/bounded-logs.ts";
import { startThreadJobs } from "./start/jobs/background-jobs.ts";
import { startMeters } from "./start/meters.ts";
import { measureStore, startThreadMetrics } from "./start/metrics.ts";
import { limitConnections } from "./start/ports/connection-limit.ts";
import type { DrainStep } from "./start/ports/drain.ts";
import { Listeners } from "./start/ports/listen.ts";
import { type ServingSettings, serve } from "./start/serving.ts";
import { forwardedLog } from "./start/threads/forwarded-log.ts";
import type { HostMethods, ThreadMethods } from "./start/threads/threads.ts";
import { openHandle, type StoreHandle } from "./store/open.ts";
import type { Log } from "./telemetry/log.ts";
import { createReporter } from "./telemetry/reporter.ts";
import { noTelemetry } from "./telemetry/telemetry.ts";

// One more thread that serves: its composition root. start/threads.ts says what the threads share.

/** Plain data, memory that all threads share, and the port in the handle of an embedded store. */
export interface ServingThreadData {
  readonly config: Config;
  readonly settings: ServingSettings;
  /** Which the first thread listens on. */
  readonly port: number;
  readonly storeHandle: StoreHandle;
  readonly memory: MeterMemory;
  /** Where the time is, unless it is the system's. */
  readonly clockMemory: SharedArrayBuffer | undefined;
  readonly redisAnswerTimeoutMs: number | undefined;
  readonly quietMs: number | undefined;
}

runThread<ServingThreadData, ThreadMethods, HostMethods>((data, host) =>
  opening((opened) => start(data, host, opened)),
);

/** What the first thread says for all of them. */
const UNSAID: Log = { info() {}, warn() {}, error() {} };

async function start(data: ServingThreadData, host: Rpc<HostMethods>, opened: AsyncDisposableStack) {
  const { config, settings, memory, clockMemory } = data;
  const setClock = clockMemory && clockIn(clockMemory);
  const clock = setClock ?? systemClock;
  const steady = steadyClock(clock);
  const log = forwardedLog((lines) => host.notify("log", lines));
  opened.defer(() => log.flush());
  const store = await openHandle(data.storeHandle);
  opened.defer(() => store.close());
  const listeners = new Listeners(opened, data.quietMs);
  const { telemetry, snapshot } = await startThreadMetrics(config.METRICS_PORT, config.METRICS_BY_KEY);
  const { failures, refusals } = openBoundedLogs(log, opened);
  const report = createReporter({ failures, telemetry });
  measureStore(store, telemetry);
  const keeper = { saveElsewhere: () => host.call("save") };
  const answerTimeoutMs = data.redisAnswerTimeoutMs;
  const metering = { clock: setClock, answerTimeoutMs, log: UNSAID, telemetry, report };
  const meters = await startMeters({ redisUrl: config.REDIS_URL, memory, keeper, ...metering });
  opened.defer(() => meters.close());
  const listener = listeners.listen(config.HOST, data.port, "PORT", true);
  const ours = { settings, store, meters, clock, steadyClock: steady, listeners, telemetry, log, failures, refusals };
  const openConsole = () => host.call("openConsole");
  const { gate, keyring, ready, usage } = serve(listener, { ...ours, openConsole, readinessLog: UNSAID });
  gate.open();
  ready.start();
  opened.defer(startThreadJobs({ keyring, usage, store, check: ready.isReady, steadyClock: steady, report }));
  opened.defer(limitConnections({ connections: listeners, telemetry: noTelemetry, log: UNSAID }));
  return {
    announceStop() {
      ready.stop();
      listeners.announceStop();
    },
    drain: (step: DrainStep) => listeners.takeStep(step),
    close: () => closeAll(opened),
    metrics: snapshot,
  };
}
