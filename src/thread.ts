import { closeAll, opening } from "./base/disposal.ts";
import { clockIn } from "./base/time/clock.ts";
import type { Rpc } from "./base/worker/rpc.ts";
import { runThread } from "./base/worker/thread.ts";
import type { MeterMemory } from "./meter/open.ts";
import { Listeners } from "./start/listening/listen.ts";
import { openLogs } from "./start/logs.ts";
import { startThreadMetrics } from "./start/metrics.ts";
import { openServing } from "./start/serving.ts";
import type { ServingSettings } from "./start/settings.ts";
import { forwardedLog } from "./start/threads/forwarded-log.ts";
import type { HostMethods, ThreadMethods } from "./start/threads/threads.ts";
import { openHandle, type StoreHandle } from "./store/open.ts";
import { isEmbedded } from "./store/urls/database-url.ts";
import type { Log } from "./telemetry/log.ts";

// The composition root of one more serving thread. start/threads/threads.ts says what the threads share.

/** Plain data, memory that all threads share, and the port in the handle of an embedded store. */
export interface ServingThreadData {
  readonly settings: ServingSettings;
  /** The port that the first thread listens on. */
  readonly port: number;
  readonly storeHandle: StoreHandle;
  readonly memory: MeterMemory;
  /** The memory that a test sets the time in; undefined: the time is the system's. */
  readonly clockMemory: SharedArrayBuffer | undefined;
}

/** The first thread logs what concerns the whole process. */
const SILENT: Log = { info() {}, warn() {}, error() {} };

runThread<ServingThreadData, ThreadMethods, HostMethods>((data, host) =>
  opening((opened) => start(data, host, opened)),
);

async function start(data: ServingThreadData, host: Rpc<HostMethods>, opened: AsyncDisposableStack) {
  const { settings, port, memory, clockMemory } = data;
  const log = forwardedLog((lines) => host.notify("log", lines));
  opened.defer(() => log.flush());
  const store = await openHandle(data.storeHandle);
  opened.defer(() => store.close());
  const { telemetry, snapshot } = await startThreadMetrics(settings.config);
  const listeners = new Listeners(opened, settings.quietMs);
  const serving = await openServing(opened, {
    settings,
    port,
    isShared: true,
    store,
    memory,
    keeper: { saveElsewhere: () => host.call("save") },
    clock: clockMemory && clockIn(clockMemory),
    listeners,
    telemetry,
    logs: openLogs(log, opened, telemetry),
    processLog: SILENT,
  });
  serving.answer(() => host.call("openConsole"));
  // The first thread polls a file for all; connections to PostgreSQL may lead each thread to another server.
  serving.admit({ polls: !isEmbedded(data.storeHandle) });
  const { announceStop, drain, poll } = serving;
  return {
    announceStop,
    drain,
    poll,
    limit: (areLimited: boolean) => listeners.limit(areLimited),
    renew: () => listeners.renewSoon(),
    metrics: snapshot,
    close: () => closeAll(opened),
  };
}
