import manifest from "../package.json" with { type: "json" };
import { opening } from "./base/disposal.ts";
import { OperatorError } from "./base/operator-error.ts";
import { isLoopback } from "./base/system/reachable-host.ts";
import { type Clock, SECOND_MS, type SystemTime, steadyClock, systemClock } from "./base/time/clock.ts";
import { transfer } from "./base/worker/rpc.ts";
import { type Config, consolePath } from "./config.ts";
import type { ConsoleThreadData } from "./console-thread.ts";
import type { EnvironmentName } from "./domain/environment.ts";
import type { Author } from "./domain/journal.ts";
import { newMeterMemory } from "./meter/open.ts";
import { openBoundedLogs } from "./start/bounded-logs.ts";
import { startBackgroundJobs, startThreadJobs } from "./start/jobs/background-jobs.ts";
import { Heartbeat, noticeCountingAlone } from "./start/jobs/heartbeat.ts";
import { noteCountingPlace, startMeters } from "./start/meters.ts";
import { measureStore, startMetrics } from "./start/metrics.ts";
import { type OperatorKey, provideOperatorKey } from "./start/operator-key.ts";
import { limitConnections, roomForFiles } from "./start/ports/connection-limit.ts";
import { Listeners, REQUEST_MAX_BYTES } from "./start/ports/listen.ts";
import { readOnlyNote, talliesOf } from "./start/read-only.ts";
import { type ServingSettings, serve } from "./start/serving.ts";
import { createStop, type StopOptions } from "./start/stop.ts";
import { reportStoreProblems } from "./start/store-problems.ts";
import { ConsoleHost } from "./start/threads/console-host.ts";
import { defaultThreads } from "./start/threads/cores.ts";
import { logForwarded } from "./start/threads/forwarded-log.ts";
import { type HostMethods, Threads } from "./start/threads/threads.ts";
import { openForServing, type ServingOptions, type StoreHandle } from "./store/open.ts";
import { type ServingStore, type Store, StoreUnavailable } from "./store/ports/store.ts";
import { displayName } from "./store/urls/database-url.ts";
import type { Log } from "./telemetry/log.ts";
import { createReporter } from "./telemetry/reporter.ts";
import type { ServingThreadData } from "./thread.ts";

/** A running service. */
export interface Service {
  /** Where it listens, without a path. */
  readonly origin: string;
  /** The base address that clients use, or that those on this machine can use. */
  readonly publicUrl: string;
  readonly environment: EnvironmentName;
  readonly metricsUrl: string | undefined;
  /** Where the console is, without a link's token; undefined: nowhere. */
  readonly consoleUrl: string | undefined;
  /** Makes a link into the console, if it has one, nobody has used this store before, and there is somebody to see it. */
  firstConsoleLink(findAuthor: () => Promise<Author | undefined>): Promise<string | undefined>;
  /** Where everything is stored, without a password. */
  readonly database: string;
  /** The operator's first key, if its file is there. */
  readonly operatorKey: OperatorKey | undefined;
  /** Resolves when all threads answer requests. The first one does so from the beginning. */
  readonly isComplete: Promise<void>;
  /** Requests are accepted for DRAIN_SECONDS more, and answered; then there are no connections, and counters are saved. */
  stop(options?: StopOptions): Promise<void>;
}

/** The time, and the memory that it is in if somebody sets it for all threads. */
export type ServiceClock = SystemTime & { readonly buffer?: SharedArrayBuffer };

export interface StartParts {
  readonly log: Log;
  /** A thread has ended by itself: the service has to be stopped. By default, the error is uncaught. */
  readonly onThreadDeath?: (error: Error) => void;
  /** By default the system's, and for counters in Redis that of Redis. */
  readonly clock?: ServiceClock;
  /** How long a body may take to arrive. */
  readonly bodyTimeoutMs?: number;
  /** How long Redis's answer to one request is waited for. */
  readonly redisAnswerTimeoutMs?: number;
  /** For how long no request may have arrived before a stop closes idle connections. */
  readonly quietMs?: number;
  /** How often is looked whether the console is still needed. */
  readonly consoleCheckIntervalMs?: number;
}

const BODY_TIMEOUT_MS = 5_000;
/** Beside this file, also in the executable. */
const THREAD = new URL("./thread.ts", import.meta.url).href;
const CONSOLE_THREAD = new URL("./console-thread.ts", import.meta.url).href;

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
  const { log, clock = systemClock, redisAnswerTimeoutMs, quietMs } = parts;
  const common = { config, clockMemory: parts.clock?.buffer, redisAnswerTimeoutMs, quietMs };
  const steady = steadyClock(clock);
  const { DATABASE_URL: database, ENVIRONMENT: environment } = config;
  const threadCount = threadCountFor(config);
  const store = await openForServing(database, servingOptions(config, threadCount, log));
  opened.defer(() => store.close());

  // Made of what is made below, once that is there.
  const threads = new Threads<ServingThreadData>({
    count: threadCount - 1,
    hasRoom: roomForFiles(),
    share: () => listener.share(),
    newData: () => withHandle(store, { ...common, settings, port: listener.port, memory }),
    handlers: { log: forwardTo(log), save: () => meters.save(), openConsole: () => console.open() },
    onDeath: parts.onThreadDeath ?? rethrow,
    script: THREAD,
    log,
  });
  const listeners = new Listeners(opened, quietMs);
  const others = () => threads.metrics();
  const { telemetry, metricsUrl } = await startMetrics(metricsSettings(config), listeners, others);
  const { failures, refusals } = openBoundedLogs(log, opened);
  const report = createReporter({ failures, telemetry });
  reportStoreProblems(store, report);
  measureStore(store, telemetry);
  const noteReadOnly = readOnlyNote(store, log);

  const memory = newMeterMemory({ hasRedis: config.REDIS_URL !== undefined });
  const keeper = talliesOf(store);
  const { noticing, countsAlone } = noticeCountingAlone(telemetry);
  const metering = { clock: parts.clock, answerTimeoutMs: redisAnswerTimeoutMs, log, telemetry: noticing, report };
  const meters = await startMeters({ redisUrl: config.REDIS_URL, memory, keeper, ...metering });
  opened.defer(() => meters.close());
  // Before any key is issued: a port that is in use must leave no trace. After the counters: a proxy prefers an
  // instance that refuses connections to one that answers 503 while it waits for Redis.
  const listener = listeners.listen(config.HOST, config.PORT, "PORT");
  const { origin } = listener;
  const settings = servingSettings(config, parts, threadCount);
  const ours = { settings, store, meters, clock, steadyClock: steady, listeners, telemetry, log, failures, refusals };
  const console = consoleHost(common, parts, store, origin, clock);
  opened.defer(() => console.close());
  const { gate, keyring, ready, usage } = serve(listener, { ...ours, openConsole: console.open, readinessLog: log });
  const consoleUrl = await startConsole(config, console, origin);
  // Until the gate opens, requests under /v1 get 503.
  const operatorKey = await provideOperatorKey(database, store.keys, environment, clock, log);
  gate.open();
  ready.start();
  await noteCountingPlace(store, config.REDIS_URL ? "redis" : "database", report);

  const check = async () => {
    await ready.isReady();
    noteReadOnly();
  };
  opened.defer(startThreadJobs({ keyring, usage, store, check, steadyClock: steady, report }));
  const build = { version: manifest.version, environment: config.ENVIRONMENT, threads: threadCount };
  const heartbeat = new Heartbeat({ ...build, store, clock, isReady: ready.isReady, countsAlone });
  opened.defer(startBackgroundJobs({ meters, heartbeat, store, steadyClock: steady, report }));
  opened.defer(limitConnections({ connections: listeners, telemetry, log }));
  const { PUBLIC_URL: publicUrl = `${origin}/v1` } = config;
  logStart(config, origin, log);

  opened.defer(() => threads.close());
  const stop = createStop({ drainMs: config.DRAIN_SECONDS * SECOND_MS, ready, listeners, threads, opened, log });
  const isComplete = threads.start();
  const urls = { origin, publicUrl, metricsUrl, consoleUrl };
  const firstConsoleLink = firstLink(store, clock, consoleUrl, operatorKey);
  return { ...urls, firstConsoleLink, environment, database: displayName(database), operatorKey, isComplete, stop };
}

/**
 * On PostgreSQL, one unless more are asked for: threads gather what arrives together each for itself, so the database
 * gets smaller batches. There, each thread has a connection of its own at the least.
 */
function threadCountFor({ THREADS, DATABASE_URL, DATABASE_CONNECTIONS }: Config): number {
  if (DATABASE_URL.kind === "sqlite") return THREADS ?? defaultThreads();
  return Math.min(THREADS ?? 1, DATABASE_CONNECTIONS);
}

const servingOptions = ({ DATABASE_CONNECTIONS, MIGRATE }: Config, threads: number, log: Log): ServingOptions => ({
  connections: DATABASE_CONNECTIONS,
  threads,
  mayMigrate: MIGRATE,
  onProgress: (message) => log.info(message),
});

/** The data of a thread with a handle on the store, whose port is handed over. */
function withHandle<Data extends object>(store: ServingStore<StoreHandle>, data: Data) {
  const storeHandle = store.newHandle();
  const ports = storeHandle.kind === "sqlite" ? [storeHandle.port] : [];
  return transfer({ ...data, storeHandle }, ports);
}

const forwardTo =
  (log: Log): HostMethods["log"] =>
  (lines) =>
    logForwarded(log, lines);

const metricsSettings = ({ METRICS_HOST, METRICS_PORT, METRICS_BY_KEY, ENVIRONMENT }: Config) => ({
  host: METRICS_HOST,
  port: METRICS_PORT,
  byKey: METRICS_BY_KEY,
  build: { version: manifest.version, environment: ENVIRONMENT, bun: Bun.version },
});

const servingSettings = (
  config: Config,
  { bodyTimeoutMs = BODY_TIMEOUT_MS }: StartParts,
  threads: number,
): ServingSettings => ({
  addresses: {
    publicUrl: config.PUBLIC_URL,
    environment: config.ENVIRONMENT,
    otherUrl: config.ENVIRONMENT === "production" ? config.STAGING_URL : config.PRODUCTION_URL,
  },
  threads,
  bodyTimeoutMs,
  anonymousPerMinute: config.ANONYMOUS_PER_MINUTE,
  trustedNetworks: config.TRUSTED_PROXIES,
  corsOrigins: config.CORS_ORIGINS,
  logRequests: config.LOG_REQUESTS,
  hasConsole: config.CONSOLE && config.CONSOLE_PORT === undefined,
});

/** The console's thread, which the first request for it starts. */
function consoleHost(
  { config, clockMemory }: Pick<ConsoleThreadData, "config" | "clockMemory">,
  { log, bodyTimeoutMs = BODY_TIMEOUT_MS, consoleCheckIntervalMs }: StartParts,
  store: ServingStore<StoreHandle>,
  apiOrigin: string,
  time: SystemTime,
): ConsoleHost<ConsoleThreadData> {
  const { PUBLIC_URL: publicUrl } = config;
  const isApart = config.CONSOLE_PORT !== undefined;
  const settings = {
    environment: config.ENVIRONMENT,
    version: manifest.version,
    database: config.DATABASE_URL,
    publicUrl,
    apiOrigin,
    base: consolePath(config),
    isApart,
    uploadMaxBytes: isApart ? undefined : REQUEST_MAX_BYTES,
    bodyTimeoutMs,
    logRequests: config.LOG_REQUESTS,
  };
  return new ConsoleHost({
    newData: (endpoint) => withHandle(store, { config, clockMemory, settings, endpoint }),
    handlers: { log: forwardTo(log) },
    time,
    log,
    script: CONSOLE_THREAD,
    isLasting: isApart,
    checkIntervalMs: consoleCheckIntervalMs,
  });
}

/** Returns where the console is. One with a port of its own is there from the beginning, or the start fails. */
async function startConsole(
  { CONSOLE, CONSOLE_PORT }: Config,
  console: ConsoleHost<ConsoleThreadData>,
  origin: string,
): Promise<string | undefined> {
  if (!CONSOLE) return undefined;
  if (CONSOLE_PORT === undefined) return `${origin}/console/`;
  const address = await console.start().catch((error: Error) => {
    throw new OperatorError(error.message);
  });
  return `${address}/console/`;
}

/** An embedded store is new when it gets its operator's key; one on a server, as long as it has no key at all. */
const firstLink =
  (store: Store, clock: Clock, consoleUrl: string | undefined, operatorKey: OperatorKey | undefined) =>
  async (findAuthor: () => Promise<Author | undefined>): Promise<string | undefined> => {
    if (consoleUrl === undefined || store.isReadOnly()) return undefined;
    const isFirst = operatorKey
      ? operatorKey.isNew
      : (await store.keys.listSome({ afterId: "", size: 1 })).length === 0;
    const author = isFirst ? await findAuthor() : undefined;
    if (!author) return undefined;
    const { addressOfLink, makeConsoleLink } = await import("./console/auth/link.ts");
    const link = await makeConsoleLink({ sessions: store.sessions, clock, author }, { name: author.by });
    return addressOfLink(consoleUrl, link);
  };

/** What was started, and settings that are valid but rarely what was meant. */
function logStart(config: Config, url: string, log: Log): void {
  const { ENVIRONMENT, HOST, PUBLIC_URL, DATABASE_URL, REDIS_URL } = config;
  if (DATABASE_URL.kind === "postgres" && !REDIS_URL)
    log.warn("REDIS_URL is not set: this instance counts requests by itself. More than one instance needs Redis.");
  if (PUBLIC_URL === undefined && !isLoopback(HOST))
    log.warn(
      { host: HOST },
      "PUBLIC_URL is not set: links lead to the host that each request names. Set it to the base address that clients use, such as https://api.example.com/v1",
    );
  // In staging, every line says so.
  const environment = ENVIRONMENT === "production" ? { environment: ENVIRONMENT } : {};
  log.info({ ...environment, url, publicUrl: PUBLIC_URL, database: displayName(DATABASE_URL) }, "started");
}

/** In a turn of its own, where nobody catches it. */
const rethrow = (error: Error): void =>
  void setImmediate(() => {
    throw error;
  });
