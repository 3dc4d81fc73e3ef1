import { trustedProxies } from "./access/address.ts";
import { closeAll, opening } from "./base/disposal.ts";
import { clockIn, systemClock } from "./base/time/clock.ts";
import type { Handlers, Rpc } from "./base/worker/rpc.ts";
import { runThread } from "./base/worker/thread.ts";
import type { Config } from "./config.ts";
import { ConsoleCache } from "./console/cached/cache.ts";
import type { CallerOf } from "./console/dispatcher.ts";
import type { ConsoleSettings } from "./console/handler.ts";
import { BackgroundTasks } from "./console/jobs/background.ts";
import { ImportJobs } from "./console/jobs/import-jobs.ts";
import { NameIndexing } from "./console/jobs/name-indexing.ts";
import { boundedSnapshots } from "./console/resources/export.ts";
import { createConsole } from "./console/server.ts";
import { createHoldBack, outside } from "./http/outside.ts";
import { type Caller, type ConsoleEndpoint, callerOf, relayedCaller } from "./http/pages/console/relay.ts";
import { type Handler, type Handlers as PageHandlers, wrapped } from "./http/pipeline/handler.ts";
import { createAddresses } from "./http/request/addresses.ts";
import { countersOf } from "./keys/queries/counters.ts";
import { readTallies } from "./meter/open.ts";
import { finish } from "./start/listening/finish.ts";
import { Listeners } from "./start/listening/listen.ts";
import { openLogs } from "./start/logs.ts";
import type { ConsoleHostMethods, ConsoleThreadMethods } from "./start/threads/console-host.ts";
import { forwardedLog } from "./start/threads/forwarded-log.ts";
import { openHandle, openServedSnapshot, type StoreHandle } from "./store/open.ts";
import { isEmbedded } from "./store/urls/database-url.ts";

// The composition root of the console's thread, which start/threads/console-host.ts starts on demand.

/** Plain data, memory that all threads share, and the port in the handle of an embedded store. */
export interface ConsoleThreadData {
  readonly config: Config;
  readonly settings: ConsoleSettings;
  /** The socket to listen on; undefined: it listens on CONSOLE_PORT. */
  readonly endpoint: ConsoleEndpoint | undefined;
  readonly storeHandle: StoreHandle;
  /** The memory that a test sets the time in; undefined: the time is the system's. */
  readonly clockMemory: SharedArrayBuffer | undefined;
}

/** The console has its own connections to a database server, beside those of the serving threads. */
const CONNECTIONS = 2;
const APART = { idleTimeout: 60, maxRequestBodySize: Number.MAX_SAFE_INTEGER };
const FINISH_TIMEOUT_MS = 2_000;
/**
 * Bun's types do not know this option for a socket, where the default is 10 seconds. The listener that relays a request
 * has a timeout for idle clients, and slow work has limits of its own.
 */
const NEVER_IDLE: object = { idleTimeout: 0 };

runThread<ConsoleThreadData, ConsoleThreadMethods, ConsoleHostMethods>((data, host) =>
  opening((opened) => start(data, host, opened)),
);

async function start(data: ConsoleThreadData, host: Rpc<ConsoleHostMethods>, opened: AsyncDisposableStack) {
  const { config, settings, storeHandle, clockMemory } = data;
  const clock = clockMemory ? clockIn(clockMemory) : systemClock;
  const log = forwardedLog((lines) => host.notify("log", lines));
  opened.defer(() => log.flush());
  const ownHandle = isEmbedded(storeHandle) ? storeHandle : { ...storeHandle, connections: CONNECTIONS };
  const store = await openHandle(ownHandle);
  opened.defer(() => store.close());
  const logs = openLogs(log, opened);
  const { failures } = logs;
  const background = new BackgroundTasks(failures);
  const { REDIS_URL: redisUrl, DATABASE_URL: database } = config;
  const counters = countersOf(store, redisUrl && ((keyIds) => readTallies(redisUrl, keyIds)));
  const onFailure = (error: unknown) => failures.report("console: work beside requests failed", error);
  const run = background.run.bind(background);
  const imports = new ImportJobs({ store, clock, run, onFailure });
  const nameIndexing = new NameIndexing({ isOn: config.NAME_INDEX, nameIndex: store.nameIndex, run, onFailure });
  const cache = new ConsoleCache({ store, clock, counters, database, onFailure });
  opened.defer(() => imports.close());
  opened.defer(() => background.stop());
  opened.defer(() => cache.close());
  const openSnapshot = boundedSnapshots(() => openServedSnapshot(storeHandle));
  const parts = { settings, store, clock, ...logs, background, counters, openSnapshot, cache, imports, nameIndexing };
  const { isIdle, ...listening } = data.endpoint
    ? listenBehind(data.endpoint, createConsole(parts, relayed(data.endpoint)), opened)
    : listenApart(config, createConsole(parts, directCaller(config)), opened);
  return { ...listening, isIdle: () => background.isIdle && isIdle(), close: () => closeAll(opened) };
}

type Listening = Handlers<ConsoleThreadMethods>;

/** Listens behind the serving threads, which relay requests. */
function listenBehind(
  { socket, password }: ConsoleEndpoint,
  handlers: PageHandlers,
  opened: AsyncDisposableStack,
): Listening {
  /** Other users of this machine who find the socket learn nothing. */
  const guarded =
    (handle: Handler): Handler =>
    (request, server) =>
      relayedCaller(request, password) ? handle(request, server) : new Response(null, { status: 404 });
  const server = Bun.serve({
    unix: socket,
    development: false,
    ...NEVER_IDLE,
    // The listener that relays the request has limited it.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    ...wrapped(handlers, guarded),
  });
  opened.defer(() => finish(server, FINISH_TIMEOUT_MS));
  return {
    address: () => undefined,
    limit(areLimited) {
      if (areLimited) server.closeIdleConnections();
    },
    // The relaying threads always send whole requests.
    renew() {},
    isIdle: () => server.pendingRequests === 0,
  };
}

/** Only for requests that the guard has let through. */
const relayed =
  ({ password }: ConsoleEndpoint): CallerOf =>
  (request) =>
    relayedCaller(request, password) as Caller;

function listenApart(config: Config, handlers: PageHandlers, opened: AsyncDisposableStack): Listening {
  const { CONSOLE_HOST, CONSOLE_PORT, TRUSTED_PROXIES } = config;
  const holdBack = createHoldBack(trustedProxies(TRUSTED_PROXIES));
  const listeners = new Listeners(opened);
  const listener = listeners.listen(CONSOLE_HOST, CONSOLE_PORT as number, "CONSOLE_PORT", false, APART);
  opened.defer(() => listener.finish(FINISH_TIMEOUT_MS));
  listener.serve(wrapped(handlers, (handle) => outside(holdBack, handle)));
  return {
    address: () => listener.origin,
    limit: (areLimited) => listeners.limit(areLimited),
    renew: () => listeners.renewSoon(),
    // It is never asked, since it runs as long as the service.
    isIdle: () => false,
  };
}

function directCaller(config: Config): CallerOf {
  const proxies = trustedProxies(config.TRUSTED_PROXIES);
  const addresses = { publicUrl: undefined, environment: config.ENVIRONMENT, otherUrl: undefined };
  const known = { trustedProxies: proxies, askedAddresses: createAddresses(addresses, proxies) };
  return (request, server) => callerOf(request, server, known);
}
