import type { Server } from "bun";
import { createGate } from "./access/gate.ts";
import { Keyring } from "./access/keyring.ts";
import type { Config } from "./config.ts";
import { type Clock, systemClock } from "./domain/clock.ts";
import { Fault, OperatorError } from "./domain/fault.ts";
import { forgottenUntilMs } from "./domain/once.ts";
import { termsOfAddress } from "./domain/tally.ts";
import { loadContract } from "./http/body.ts";
import { KeptReplies } from "./http/kept.ts";
import { createRetriable } from "./http/once.ts";
import { publicError } from "./http/page.ts";
import { publicPages, v1Resources } from "./http/routes.ts";
import { createHandlers } from "./http/server.ts";
import { noTelemetry } from "./http/telemetry.ts";
import type { Log } from "./log.ts";
import { openMeters } from "./meters.ts";
import { issueOperatorKey, operatorKeyFile } from "./operator-key.ts";
import { repeat, reporter } from "./repeat.ts";
import { nameOf, openStore } from "./store/open.ts";
import { StoreUnavailable } from "./store/store.ts";

/** A running service. */
export interface Service {
  /** Where it listens, without a path. */
  readonly origin: string;
  /** The base address that clients use. */
  readonly publicUrl: string;
  readonly metricsUrl: string | undefined;
  /** Where everything is kept, fit to be shown. */
  readonly database: string;
  /** Where the operator's first key lies, if the file is there. */
  readonly operatorKeyFile: string | undefined;
  /** No new connections; what is under way finishes; counters are saved. */
  stop(): Promise<void>;
}

export interface StartParts {
  readonly log: Log;
  readonly clock?: Clock;
  /** How long a body may take to arrive. */
  readonly bodyDeadlineMs?: number;
  /** Start with all loaded that is otherwise loaded when the first answers are out. */
  readonly warmUpAtOnce?: boolean;
}

const REFRESH_KEYS_EVERY_MS = 500;
const IDLE_TIMEOUT_SECONDS = 30;
// A body that is late is answered before a stop gives up, and a stop ends before a supervisor's usual 10 s.
const BODY_DEADLINE_MS = 5_000;
const STOP_DEADLINE_MS = 6_000;
/** When the first answers are out, what they did not need is loaded, before someone does. */
const WARM_UP_AFTER_MS = 100;
const SWEEP_EVERY_MS = 10_000;
const DRAIN_CHECK_EVERY_MS = 20;

/** The composition root: puts all parts together. Fails with an OperatorError. */
export async function start(config: Config, parts: StartParts): Promise<Service> {
  const { log, clock = systemClock, bodyDeadlineMs = BODY_DEADLINE_MS } = parts;
  const metrics = config.METRICS_PORT === undefined ? undefined : (await import("./http/metrics.ts")).prometheus();
  const telemetry = metrics?.telemetry ?? noTelemetry;

  const address = config.DATABASE_URL;
  const store = await openStore(address, { create: true, serve: true, connections: config.DATABASE_CONNECTIONS });
  const servers: Server<undefined>[] = [];
  try {
    // Before anything is issued: a port in use must leave no trace. The routes come when all is known.
    const server = listen(config.HOST, config.PORT, "PORT");
    servers.push(server);
    const metricsServer = metrics && listen("127.0.0.1", config.METRICS_PORT as number, "METRICS_PORT");
    if (metricsServer) servers.push(metricsServer);

    const keyFile = address.kind === "sqlite" ? operatorKeyFile(address.path) : undefined;
    if (keyFile && (await issueOperatorKey(store.keys, keyFile, clock)))
      log.info({ file: keyFile }, "operator key issued");
    const meters = await openMeters({ config, tallies: store.tallies, clock, log, telemetry });
    const keyring = new Keyring(store.keys);
    const gate = createGate({
      clock,
      keyring,
      keyMeter: meters.keyMeter,
      addressMeter: meters.addressMeter,
      addressTerms: termsOfAddress(config.ANONYMOUS_PER_MINUTE),
    });

    let isStopping = false;
    const isReady = async () => {
      if (isStopping) return false;
      try {
        await store.check();
        return true;
      } catch (error) {
        log.warn({ err: error }, "not ready");
        return false;
      }
    };

    const origin = originOf(config.HOST, server.port as number);
    const publicUrl = config.PUBLIC_URL ?? `${origin}/v1`;
    const docsUrl = new URL(publicUrl.replace(/v1$/, "docs")).href;
    server.reload(
      createHandlers({
        resources: v1Resources({
          ...store,
          clock,
          kept: new KeptReplies(store.version),
          retriable: createRetriable(clock),
          publicUrl,
          docsUrl,
          bodyDeadlineMs,
        }),
        pages: publicPages({ publicUrl, isReady }),
        gate,
        trustedProxies: config.TRUSTED_PROXIES,
        telemetry,
        log,
        logRequests: config.LOG_REQUESTS,
      }),
    );

    if (metrics) metricsServer?.reload({ fetch: metrics.handle });

    const stopTasks = [
      repeat(REFRESH_KEYS_EVERY_MS, () => keyring.refresh(), reporter("changes to keys not seen", log, telemetry)),
      repeat(
        SWEEP_EVERY_MS,
        async () => store.sweep(forgottenUntilMs(clock.nowMs())),
        reporter("old answers not swept", log, telemetry),
      ),
    ];
    const warmUp = async () => {
      await loadContract();
      if (!isStopping) store.warmUp();
    };
    const warmUpTimer = parts.warmUpAtOnce
      ? await warmUp()
      : setTimeout(() => warmUp().catch(reporter("warm-up failed", log, telemetry)), WARM_UP_AFTER_MS);
    const database = nameOf(address);
    log.info({ url: origin, publicUrl, database }, "started");

    const stop = async () => {
      isStopping = true;
      if (warmUpTimer) clearTimeout(warmUpTimer);
      await Promise.all(servers.map(stopServer));
      await Promise.all(stopTasks.map((stopTask) => stopTask()));
      await meters.close();
      await store.close();
      log.info("stopped");
    };
    let stopped: Promise<void> | undefined;
    return {
      origin,
      publicUrl,
      metricsUrl: metricsServer && `${originOf("127.0.0.1", metricsServer.port as number)}/metrics`,
      database,
      operatorKeyFile: keyFile && (await Bun.file(keyFile).exists()) ? keyFile : undefined,
      stop: () => (stopped ??= stop()),
    };
  } catch (error) {
    await Promise.all(servers.map((server) => server.stop(true)));
    await store.close();
    if (error instanceof StoreUnavailable)
      throw new OperatorError(`cannot use the database ${nameOf(address)}: ${error.message}`);
    throw error;
  }
}

const NOT_YET = () => publicError(new Fault("service_unavailable", "The service is starting. Try again shortly."));

function listen(hostname: string, port: number, setting: string): Server<undefined> {
  try {
    return Bun.serve({
      hostname,
      port,
      // Without this, `development: false` lets a second process share the port in silence.
      reusePort: false,
      development: false,
      idleTimeout: IDLE_TIMEOUT_SECONDS,
      // Our own limit answers, with an Error: Bun's would close the connection without one.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      fetch: NOT_YET,
    });
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code === "EADDRINUSE")
      throw new OperatorError(`port ${port} on ${hostname} is in use: stop what uses it, or set ${setting}`);
    throw new OperatorError(
      `cannot listen on ${hostname}, port ${port}: ${message}. HOST must be an address of this machine, and ${setting} a port that it lets you use`,
    );
  }
}

/** An address that a client on this machine can use, also when all addresses are listened on. */
function originOf(host: string, port: number): string {
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}

/** Requests under way finish; a connection that has only begun to send one does not hold up the stop. */
async function stopServer(server: Server<undefined>): Promise<void> {
  const deadlineMs = performance.now() + STOP_DEADLINE_MS;
  const stopped = server.stop();
  while (server.pendingRequests > 0 && performance.now() < deadlineMs)
    await Promise.race([stopped, Bun.sleep(DRAIN_CHECK_EVERY_MS)]);
  await server.stop(true);
}
