import manifest from "../package.json" with { type: "json" };
import { opening } from "./base/disposal.ts";
import { OperatorError } from "./base/operator-error.ts";
import { SECOND_MS, type SystemTime, systemClock } from "./base/time/clock.ts";
import { transfer } from "./base/worker/rpc.ts";
import { type Config, consoleUrlOf } from "./config.ts";
import { removeAbandonedUploads } from "./console/jobs/upload-folder.ts";
import type { ConsoleThreadData } from "./console-thread.ts";
import type { EnvironmentName } from "./domain/environment.ts";
import type { Author } from "./domain/journal.ts";
import { newMeterMemory } from "./meter/open.ts";
import { announceStart } from "./start/announce.ts";
import { firstConsoleLink } from "./start/first-console-link.ts";
import { startBackgroundJobs } from "./start/jobs/background-jobs.ts";
import { Heartbeat } from "./start/jobs/heartbeat.ts";
import { roomForFiles } from "./start/listening/connection-limit.ts";
import { Listeners } from "./start/listening/listen.ts";
import { openLogs } from "./start/logs.ts";
import { noteCountingPlace, tallyKeeper } from "./start/meters.ts";
import { startMetrics } from "./start/metrics.ts";
import { type OperatorKey, provideOperatorKey } from "./start/operator-key.ts";
import { openServing } from "./start/serving.ts";
import { consoleSettings, type Timeouts, threadCount } from "./start/settings.ts";
import { createStop, type StopOptions } from "./start/stop.ts";
import { reportStoreProblems } from "./start/store-problems.ts";
import { ConsoleHost } from "./start/threads/console-host.ts";
import { type ForwardedLine, logForwarded } from "./start/threads/forwarded-log.ts";
import { Threads } from "./start/threads/threads.ts";
import { openForServing, type StoreHandle } from "./store/open.ts";
import { type ServingStore, StoreUnavailable } from "./store/ports/store.ts";
import { displayName } from "./store/urls/database-url.ts";
import type { Log } from "./telemetry/log.ts";
import type { ServingThreadData } from "./thread.ts";

/** A running service. */
export interface Service {
  /** Scheme, host and port that it listens on. */
  readonly origin: string;
  /** The base address that clients use; without PUBLIC_URL, one that works on this machine. */
  readonly publicUrl: string;
  readonly environment: EnvironmentName;
  readonly metricsUrl: string | undefined;
  /** The console's address, without a link's token; undefined: there is no console. */
  readonly consoleUrl: string | undefined;
  /** Makes a link into the console of a new store, if there is a console, and an author to make it for. */
  firstConsoleLink(findAuthor: () => Promise<Author | undefined>): Promise<string | undefined>;
  /** The database's address, without a password. */
  readonly database: string;
  /** The operator's first key, if its file is there. */
  readonly operatorKey: OperatorKey | undefined;
  /** Resolves when all threads answer requests. The first one does so from the beginning. */
  readonly isComplete: Promise<void>;
  /** Accepts requests for DRAIN_SECONDS more and answers them, then closes all connections and saves the counters. */
  stop(options?: StopOptions): Promise<void>;
}

/** The time, and the memory that it is in if a test sets it for all threads. */
type ServiceClock = SystemTime & { readonly buffer?: SharedArrayBuffer };

export interface StartParts extends Timeouts {
  readonly log: Log;
  /** A thread has ended by itself: the service has to be stopped. By default, the error is uncaught. */
  readonly onThreadDeath?: (error: Error) => void;
  /** By default the system's, and for counters in Redis that of Redis. */
  readonly clock?: ServiceClock;
  /** The interval of checks whether the console is still needed. */
  readonly consoleCheckIntervalMs?: number;
}

/** Beside this file, also in the executable. */
const THREAD = new URL("./thread.ts", import.meta.url).href;
const CONSOLE_THREAD = new URL("./console-thread.ts", import.meta.url).href;

const CLEAN_UP_AFTER_MS = 100;

/** The composition root. Fails with an OperatorError, and then leaves nothing open. */
export async function start(config: Config, parts: StartParts): Promise<Service> {
  try {
    return await opening(
      (opened) => startWith(config, parts, opened),
      (error) => parts.log.error({ err: error }, "could not clean up after a failed start"),
    );
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    throw new OperatorError(`cannot use the database ${displayName(config.DATABASE_URL)}: ${error.message}`);
  }
}

async function startWith(config: Config, parts: StartParts, opened: AsyncDisposableStack): Promise<Service> {
  const { log, clock = systemClock, bodyTimeoutMs, redisAnswerTimeoutMs, quietMs } = parts;
  const { DATABASE_URL: databaseUrl, ENVIRONMENT: environment, REDIS_URL: redisUrl } = config;
  const settings = { config, threads: threadCount(config), bodyTimeoutMs, redisAnswerTimeoutMs, quietMs };
  // At the limit of open files, it could not read the limit.
  const hasRoom = roomForFiles();

  const store = await openStore(config, settings.threads, parts);
  opened.defer(() => store.close());
  const listeners = new Listeners(opened, quietMs);
  const metrics = await startMetrics(config, listeners);
  const { telemetry } = metrics;
  const logs = openLogs(log, opened, telemetry);
  const { report } = logs;
  reportStoreProblems(store, report);

  // Before any key is issued: a port that is in use must leave no trace.
  const memory = newMeterMemory({ hasRedis: redisUrl !== undefined });
  const serving = await openServing(opened, {
    settings,
    port: config.PORT,
    isShared: false,
    store,
    memory,
    keeper: tallyKeeper(store),
    clock: parts.clock,
    listeners,
    telemetry,
    logs,
    processLog: log,
  });
  const { listener, meters, schedule, steadyClock } = serving;
  const { origin, port } = listener;

  const consoleHost = newConsoleHost(config, parts, store, origin, hasRoom);
  opened.defer(() => consoleHost.close());
  serving.answer(consoleHost.open);
  const consoleUrl = await startConsole(config, consoleHost, origin);

  const operatorKey = await provideOperatorKey(databaseUrl, store.keys, environment, clock, log);
  const threadData = { settings, port, memory, clockMemory: parts.clock?.buffer };
  const threads = new Threads<ServingThreadData>({
    script: THREAD,
    count: settings.threads - 1,
    hasRoom,
    share: () => listener.share(),
    newData: () => withHandle(store, threadData),
    handlers: { log: forwardTo(log), save: meters.save, openConsole: consoleHost.open },
    onDeath: parts.onThreadDeath,
    log,
  });
  serving.admit({ polls: true, others: { connections: [consoleHost, threads], poll: () => threads.poll() } });
  await noteCountingPlace(store, redisUrl ? "redis" : "database", report);

  const instance = { version: manifest.version, environment, threads: settings.threads };
  const heartbeat = new Heartbeat({ ...instance, ...consoleAddresses(config, consoleUrl), store, clock, serving });
  opened.defer(startBackgroundJobs({ schedule, meters, heartbeat, store, steadyClock, report, config }));
  announceStart(config, origin, log);
  opened.defer(() => threads.close());
  metrics.include(() => threads.metrics());

  return {
    origin,
    publicUrl: config.PUBLIC_URL ?? `${origin}/v1`,
    environment,
    metricsUrl: metrics.url,
    consoleUrl,
    firstConsoleLink: firstConsoleLink(store, clock, consoleUrl, operatorKey),
    database: displayName(databaseUrl),
    operatorKey,
    isComplete: threads.start(),
    stop: createStop({ drainMs: config.DRAIN_SECONDS * SECOND_MS, serving, threads, opened, log }),
  };
}

/** The addresses from which commands on the same machine make links. */
const consoleAddresses = (config: Config, directUrl: string | undefined) =>
  directUrl === undefined ? {} : { consoleUrl: consoleUrlOf(config, directUrl), consoleDirectUrl: directUrl };

const openStore = (config: Config, threads: number, { log, databaseDeadlineMs }: StartParts) =>
  openForServing(config.DATABASE_URL, {
    connections: config.DATABASE_CONNECTIONS,
    threads,
    deadlineMs: databaseDeadlineMs,
    mayMigrate: config.MIGRATE,
    onProgress: (message) => log.info(message),
  });

/** The data of a thread with a handle on the store, whose port is handed over. */
function withHandle<Data extends object>(store: ServingStore<StoreHandle>, data: Data) {
  const storeHandle = store.newHandle();
  return transfer({ ...data, storeHandle }, storeHandle.port ? [storeHandle.port] : []);
}

/** The host of the console's thread, which the first request for the console starts. */
function newConsoleHost(
  config: Config,
  parts: StartParts,
  store: ServingStore<StoreHandle>,
  apiOrigin: string,
  hasRoom: () => boolean,
) {
  const { log, clock = systemClock } = parts;
  const data = { config, clockMemory: parts.clock?.buffer, settings: consoleSettings(config, apiOrigin, parts) };
  return new ConsoleHost<ConsoleThreadData>({
    script: CONSOLE_THREAD,
    newData: (endpoint) => withHandle(store, { ...data, endpoint }),
    handlers: { log: forwardTo(log) },
    hasRoom,
    isLasting: config.CONSOLE_PORT !== undefined,
    checkIntervalMs: parts.consoleCheckIntervalMs,
    time: clock,
    log,
  });
}

const forwardTo = (log: Log) => (lines: readonly ForwardedLine[]) => logForwarded(log, lines);

/** Returns where the console is. One with a port of its own is there from the beginning, or the start fails. */
async function startConsole(
  { CONSOLE, CONSOLE_PORT }: Config,
  consoleHost: ConsoleHost<ConsoleThreadData>,
  origin: string,
): Promise<string | undefined> {
  if (!CONSOLE) return undefined;
  // The first replies have been sent by then.
  setTimeout(removeAbandonedUploads, CLEAN_UP_AFTER_MS).unref();
  if (CONSOLE_PORT === undefined) return `${origin}/console/`;
  const address = await consoleHost.start().catch((error: Error) => {
    throw new OperatorError(error.message);
  });
  return `${address}/console/`;
}
