import { createGate } from "./access/gate.ts";
import { Keyring } from "./access/keyring.ts";
import type { Config } from "./config.ts";
import { SECOND_MS, type SystemTime, steadyClock, systemClock } from "./domain/clock.ts";
import { OperatorError } from "./domain/operator-error.ts";
import { ratePolicyOfAddress } from "./domain/tally.ts";
import { RefusalFlood } from "./http/floods.ts";
import { createWithIdempotency } from "./http/idempotency.ts";
import { ReplyCache } from "./http/reply-cache.ts";
import { createRoutes } from "./http/routes.ts";
import { startBackgroundJobs } from "./start/background-jobs.ts";
import { Closers } from "./start/closers.ts";
import { limitConnections } from "./start/connection-limit.ts";
import { Listeners } from "./start/listen.ts";
import { noteCountingPlace, startMeters } from "./start/meters.ts";
import { measureStore, startMetrics } from "./start/metrics.ts";
import { provideOperatorKey } from "./start/operator-key.ts";
import { readOnlyNote, talliesOf } from "./start/read-only.ts";
import { readiness } from "./start/readiness.ts";
import { createStop, type StopOptions } from "./start/stop.ts";
import { reportStoreProblems } from "./start/store-problems.ts";
import { displayName } from "./store/database-url.ts";
import { openForServing } from "./store/open.ts";
import { StoreUnavailable } from "./store/store.ts";
import { createFailureLog } from "./telemetry/failures.ts";
import type { Log } from "./telemetry/log.ts";
import { createReporter } from "./telemetry/reporter.ts";

/** A running service. */
export interface Service {
  /** Where it listens, without a path. */
  readonly origin: string;
  /** The base address that clients use. */
  readonly publicUrl: string;
  readonly metricsUrl: string | undefined;
  /** Where everything is stored, without a password. */
  readonly database: string;
  /** The file with the operator's first key, if it is there. */
  readonly operatorKeyFile: string | undefined;
  /** Requests are accepted for DRAIN_SECONDS more, and answered; then there are no connections, and counters are saved. */
  stop(options?: StopOptions): Promise<void>;
}

export interface StartParts {
  readonly log: Log;
  /** By default the system's, and for counters in Redis that of Redis. */
  readonly clock?: SystemTime;
  /** How long a body may take to arrive. */
  readonly bodyTimeoutMs?: number;
  /** How long Redis's answer to one request is waited for. */
  readonly redisAnswerTimeoutMs?: number;
  /** For how long no request may have arrived before a stop closes idle connections. */
  readonly quietMs?: number;
}

const BODY_TIMEOUT_MS = 5_000;

/** The composition root. Fails with an OperatorError, and then leaves nothing open. */
export async function start(config: Config, parts: StartParts): Promise<Service> {
  const opened = new Closers();
  try {
    return await startWith(config, parts, opened);
  } catch (error) {
    await opened
      .close()
      .catch((failure: unknown) => parts.log.error({ err: failure }, "could not clean up after a failed start"));
    if (!(error instanceof StoreUnavailable)) throw error;
    throw new OperatorError(`cannot use the database ${displayName(config.DATABASE_URL)}: ${error.message}`);
  }
}

async function startWith(config: Config, parts: StartParts, opened: Closers): Promise<Service> {
  const { log, clock = systemClock, bodyTimeoutMs = BODY_TIMEOUT_MS } = parts;
  const steady = steadyClock(clock);
  const database = config.DATABASE_URL;
  const store = await openForServing(database, {
    connections: config.DATABASE_CONNECTIONS,
    mayMigrate: config.MIGRATE,
    onProgress: (message) => log.info(message),
  });
  opened.add(() => store.close());

  const listeners = new Listeners(opened, parts.quietMs);
  const { telemetry, metricsUrl } = await startMetrics(config.METRICS_HOST, config.METRICS_PORT, listeners);
  const failures = createFailureLog({ log });
  opened.add(() => failures.close());
  const report = createReporter({ failures, telemetry });
  reportStoreProblems(store, report);
  measureStore(store, telemetry);
  const noteReadOnly = readOnlyNote(store, log);

  const meters = await startMeters({
    database,
    redisUrl: config.REDIS_URL,
    tallies: talliesOf(store),
    clock: parts.clock,
    answerTimeoutMs: parts.redisAnswerTimeoutMs,
    log,
    telemetry,
    report,
  });
  opened.add(() => meters.close());
  // Before any key is issued: a port that is in use must leave no trace. After the counters: a proxy prefers an
  // instance that refuses connections to one that answers 503 while it waits for Redis.
  const listener = listeners.listen(config.HOST, config.PORT, "PORT");
  const { origin } = listener;
  const keyring = new Keyring(store.keys);
  const addressPolicy = ratePolicyOfAddress(config.ANONYMOUS_PER_MINUTE);
  const gate = createGate({ clock, keyring, ...meters, addressPolicy });
  const ready = readiness(store, log);
  const publicUrl = config.PUBLIC_URL ?? `${origin}/v1`;
  listener.serve(
    createRoutes({
      ...store,
      clock,
      publicUrl,
      docsUrl: new URL(publicUrl.replace(/v1$/, "docs")).href,
      replyCache: new ReplyCache(store.version),
      withIdempotency: createWithIdempotency(),
      steadyClock: steady,
      bodyTimeoutMs,
      gate,
      trustedProxies: config.TRUSTED_PROXIES,
      connections: listeners,
      refusalFlood: new RefusalFlood(),
      isReady: ready.isReady,
      telemetry,
      log,
      failures,
      logRequests: config.LOG_REQUESTS,
    }),
  );
  // Until the gate opens, requests under /v1 get 503.
  const operatorKeyFile = await provideOperatorKey(database, store.keys, clock, log);
  gate.open();
  ready.start();
  await noteCountingPlace(store, config.REDIS_URL ? "redis" : "database", report);

  const { isReady } = ready;
  opened.add(startBackgroundJobs({ keyring, meters, store, noteReadOnly, isReady, steadyClock: steady, report }));
  opened.add(limitConnections({ connections: listeners, telemetry, log }));
  log.info({ url: origin, publicUrl, database: displayName(database) }, "started");

  const stop = createStop({ drainMs: config.DRAIN_SECONDS * SECOND_MS, ready, listeners, opened, log });
  return { origin, publicUrl, metricsUrl, database: displayName(database), operatorKeyFile, stop };
}
