import { type TrustedNetworks, type TrustedProxies, trustedProxies } from "../access/address.ts";
import { createGate, type Gate } from "../access/gate.ts";
import { Keyring } from "../access/keyring.ts";
import type { SteadyClock, SystemTime } from "../base/time/clock.ts";
import { ratePolicyOfAddress } from "../domain/limits/tally.ts";
import { ReplyCache } from "../http/cache/reply-cache.ts";
import { createCors } from "../http/cors/cors.ts";
import type { CorsOrigins } from "../http/cors/origins.ts";
import { type ConsoleEndpoint, consoleRelay } from "../http/pages/console/relay.ts";
import { HeldFlood } from "../http/reply/floods.ts";
import { type AddressSettings, createAddresses } from "../http/request/addresses.ts";
import { createWithIdempotency } from "../http/request/idempotency.ts";
import { createRoutes } from "../http/routes.ts";
import type { Meters } from "../meter/open.ts";
import type { Store } from "../store/ports/store.ts";
import type { FailureLog, Log, RefusalLog } from "../telemetry/log.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import { UsageCounter } from "../telemetry/usage-counter.ts";
import type { Listeners } from "./ports/listen.ts";
import type { Listener } from "./ports/listener.ts";
import { type Readiness, readiness } from "./readiness.ts";

/** What all threads that serve have in common: plain data. */
export interface ServingSettings {
  readonly addresses: AddressSettings;
  /** How many of them there are: they divide the memory for replies. */
  readonly threads: number;
  readonly bodyTimeoutMs: number;
  readonly anonymousPerMinute: number;
  readonly trustedNetworks: TrustedNetworks;
  readonly corsOrigins: CorsOrigins;
  readonly logRequests: boolean;
  /** Whether the console is on the same port. */
  readonly hasConsole: boolean;
}

export interface ServingParts {
  readonly settings: ServingSettings;
  readonly store: Store;
  readonly meters: Meters;
  readonly clock: SystemTime;
  readonly steadyClock: SteadyClock;
  readonly listeners: Listeners;
  readonly telemetry: Telemetry;
  readonly log: Log;
  /** Says when it is not ready, and ready again, which one thread does for all. */
  readonly readinessLog: Log;
  readonly failures: FailureLog;
  readonly refusals: RefusalLog;
  /** Starts the thread of the console, unless it runs. */
  readonly openConsole: () => Promise<ConsoleEndpoint>;
}

export interface Serving {
  readonly gate: Gate;
  readonly keyring: Keyring;
  readonly ready: Readiness;
  readonly usage: UsageCounter;
}

/** What every thread that serves does: it has a keyring and a reply cache of its own, and answers on the shared port. */
export function serve(listener: Listener, parts: ServingParts): Serving {
  const { settings, store, meters, clock, steadyClock, listeners, telemetry, log, failures, refusals } = parts;
  const { bodyTimeoutMs, logRequests } = settings;
  const { environment } = settings.addresses;
  const proxies = trustedProxies(settings.trustedNetworks);
  const keyring = new Keyring(store.keys);
  const addressPolicy = ratePolicyOfAddress(settings.anonymousPerMinute);
  const gate = createGate({ clock, keyring, ...meters, addressPolicy, environment });
  const usage = new UsageCounter();
  const ready = readiness(store, parts.readinessLog);
  listener.serve(
    createRoutes({
      ...store,
      clock,
      addresses: createAddresses(settings.addresses, proxies),
      replyCache: new ReplyCache(store.version, {
        ...settings,
        readsAtOnce: store.maintenance.connections === undefined,
      }),
      withIdempotency: createWithIdempotency(),
      steadyClock,
      bodyTimeoutMs,
      gate,
      trustedProxies: proxies,
      connections: listeners,
      refusalFlood: new HeldFlood(),
      cors: createCors(settings.corsOrigins),
      console: settings.hasConsole ? relayTo(parts, proxies) : undefined,
      isReady: ready.isReady,
      telemetry,
      usage,
      log,
      failures,
      refusals,
      logRequests,
    }),
  );
  return { gate, keyring, ready, usage };
}

const relayTo = ({ settings, openConsole, failures }: ServingParts, proxies: TrustedProxies) =>
  consoleRelay({
    openConsole,
    trustedProxies: proxies,
    askedAddresses: createAddresses({ ...settings.addresses, publicUrl: undefined }, proxies),
    failures,
  });
