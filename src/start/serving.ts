import { trustedProxies } from "../access/address.ts";
import { createGate } from "../access/gate.ts";
import { Keyring } from "../access/keyring.ts";
import { type SystemTime, steadyClock, systemClock } from "../base/time/clock.ts";
import { ratePolicyOfAddress } from "../domain/limits/tally.ts";
import { ReplyCache } from "../http/cache/reply-cache.ts";
import { createCors } from "../http/cors/cors.ts";
import { KnownSessions } from "../http/pages/console/known-sessions.ts";
import { type ConsoleEndpoint, consoleRelay } from "../http/pages/console/relay.ts";
import { HeldFlood } from "../http/reply/floods.ts";
import { createAddresses } from "../http/request/addresses.ts";
import { createWithIdempotency } from "../http/request/idempotency.ts";
import { createRoutes } from "../http/routes.ts";
import { type MeterMemory, type MeterSettings, openMeters } from "../meter/open.ts";
import type { Store } from "../store/ports/store.ts";
import { isEmbedded } from "../store/urls/database-url.ts";
import type { Log } from "../telemetry/log.ts";
import { RequestKeeper } from "../telemetry/request-keeper.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import { UsageCounter } from "../telemetry/usage-counter.ts";
import { POLL_FAILURE, startPolling, startThreadJobs } from "./jobs/background-jobs.ts";
import { Schedule } from "./jobs/schedule.ts";
import { type Connections, limitConnections } from "./listening/connection-limit.ts";
import type { DrainStep } from "./listening/drain.ts";
import type { Listeners } from "./listening/listen.ts";
import type { Logs } from "./logs.ts";
import { announcer } from "./meters.ts";
import { measureStore } from "./metrics.ts";
import { readiness } from "./readiness.ts";
import { addressSettings, BODY_TIMEOUT_MS, type ServingSettings } from "./settings.ts";

interface ServingParts {
  readonly settings: ServingSettings;
  readonly port: number;
  /** True: other threads listen on the port already. */
  readonly isShared: boolean;
  readonly store: Store;
  /** The counters of all serving threads. */
  readonly memory: MeterMemory;
  /** Saves the counters, in this thread or through the one that does. */
  readonly keeper: MeterSettings["keeper"];
  /** Undefined: the system's clock, and for counters in Redis that of Redis. */
  readonly clock: SystemTime | undefined;
  readonly listeners: Listeners;
  readonly telemetry: Telemetry;
  readonly logs: Logs;
  /** For events of the whole process, which one thread logs for all. */
  readonly processLog: Log;
}

/** The other threads of the process, for which one thread does some work. */
interface Others {
  /** The limit of open files is watched for all of them. */
  readonly connections: readonly Connections[];
  /** Lets them poll for changed keys, and the store. */
  poll(): void;
}

/** The part of a start that every serving thread shares: it opens the counters and the port. */
export async function openServing(opened: AsyncDisposableStack, parts: ServingParts) {
  const { store, listeners, telemetry, logs, processLog } = parts;
  const { config } = parts.settings;
  const clock = parts.clock ?? systemClock;
  const steady = steadyClock(clock);
  measureStore(store, telemetry);
  const { meters, countsAlone } = await startMeters(parts);
  opened.defer(() => meters.close());
  // After the counters: a proxy prefers an instance that refuses connections to one that answers 503 while it waits
  // for Redis.
  const listener = listeners.listen(config.HOST, parts.port, "PORT", parts.isShared);
  const keyring = new Keyring(store.keys, { readsAtOnce: isEmbedded(config.DATABASE_URL) });
  const addressPolicy = ratePolicyOfAddress(config.ANONYMOUS_PER_MINUTE);
  const { keyMeter, addressMeter } = meters;
  const gate = createGate({ clock, keyring, keyMeter, addressMeter, addressPolicy, environment: config.ENVIRONMENT });
  const usage = new UsageCounter();
  const keeper = config.REQUEST_LOG_DAYS > 0 ? new RequestKeeper() : undefined;
  const ready = readiness(store, processLog);
  const { isReady } = ready;
  const schedule = new Schedule(undefined, () => !usage.isEmpty);
  const { report } = logs;
  /** Polls for changed keys, and the store. Resolves to whether all is well, and as it was. */
  const poll = async (): Promise<boolean> => {
    const isWell = isReady();
    return !(await keyring.refresh()) && isWell;
  };
  return {
    listener,
    schedule,
    meters,
    steadyClock: steady,
    isReady,
    /** True: this instance counts by itself because Redis does not answer. */
    countsAlone,
    /** Answers on the port from now on, but admits nobody to /v1 yet: until then, the answer is 503. */
    answer(openConsole: () => Promise<ConsoleEndpoint>): void {
      const shared = routeParts(parts, openConsole);
      listener.serve(
        createRoutes({ ...shared, clock, steadyClock: steady, gate, usage, requestKeep: keeper, isReady }),
      );
    },
    /**
     * Admits requests to /v1, and starts the jobs of this thread. `polls`: it polls for changes by itself. At rest, one
     * that does not has nothing to wake up for.
     */
    admit({ polls, others }: { readonly polls: boolean; readonly others?: Others }): void {
      gate.open();
      ready.start();
      opened.defer(startThreadJobs({ schedule, keyring, usage, keeper, store, steadyClock: steady, report }));
      if (polls) opened.defer(startPolling({ schedule, poll, tellOthers: others?.poll, report }));
      if (!others) return;
      const { connections } = others;
      const onFailure = report("could not compare the open files with their limit");
      const limited = { connections: [...connections, listeners], schedule, telemetry, log: processLog, onFailure };
      opened.defer(limitConnections(limited));
    },
    /** Polls once: another thread has seen a change. */
    poll: (): void => void poll().catch(report(POLL_FAILURE)),
    /** From now on, it is not ready, and each response is the last one of its connection. */
    announceStop(): void {
      ready.stop();
      listeners.announceStop();
    },
    drain: (step: DrainStep): Promise<void> => listeners.takeStep(step),
  };
}

/** Opens the meters, and tells the operator when instances do not count together. */
async function startMeters({ settings, memory, keeper, clock, telemetry, logs, processLog }: ServingParts) {
  const away = new Set<string>();
  const meters = await openMeters({
    redisUrl: settings.config.REDIS_URL,
    answerTimeoutMs: settings.redisAnswerTimeoutMs,
    memory,
    keeper,
    clock: clock ?? systemClock,
    scriptClock: clock,
    onSaveFailure: logs.report("could not save the counters"),
    onServerChange: announcer(away, processLog, telemetry),
    onAnswer: telemetry.isOn ? telemetry.redisAnswer : undefined,
  });
  return { meters, countsAlone: () => away.size > 0 };
}

function routeParts(
  { settings, store, listeners, clock, telemetry, logs }: ServingParts,
  openConsole: () => Promise<ConsoleEndpoint>,
) {
  const { config, threads, bodyTimeoutMs = BODY_TIMEOUT_MS } = settings;
  const proxies = trustedProxies(config.TRUSTED_PROXIES);
  const addresses = addressSettings(config);
  const askedAddresses = createAddresses({ ...addresses, publicUrl: undefined }, proxies);
  const hasConsole = config.CONSOLE && config.CONSOLE_PORT === undefined;
  return {
    animals: store.animals,
    categories: store.categories,
    orders: store.orders,
    keyStore: store.keys,
    usageStore: store.usage,
    environment: config.ENVIRONMENT,
    addresses: createAddresses(addresses, proxies),
    replyCache: new ReplyCache(store.version, { threads, readsAtOnce: isEmbedded(config.DATABASE_URL) }),
    withIdempotency: createWithIdempotency(),
    bodyTimeoutMs,
    trustedProxies: proxies,
    connections: listeners,
    refusalFlood: new HeldFlood(),
    cors: createCors(config.CORS_ORIGINS),
    console: hasConsole
      ? {
          relay: consoleRelay({ openConsole, trustedProxies: proxies, askedAddresses, failures: logs.failures }),
          sessions: new KnownSessions(store.sessions, clock ?? systemClock),
        }
      : undefined,
    account: config.ACCOUNT,
    telemetry,
    ...logs,
    logRequests: config.LOG_REQUESTS,
  };
}
