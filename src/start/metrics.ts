import manifest from "../../package.json" with { type: "json" };
import { lazy } from "../base/lazy.ts";
import { type Config, knownHostNames } from "../config.ts";
import { createHoldBack } from "../http/outside.ts";
import { hasKnownHost } from "../http/request/known-hosts.ts";
import type { Store } from "../store/ports/store.ts";
import { noTelemetry, type Telemetry } from "../telemetry/telemetry.ts";
import type { Listeners } from "./listening/listen.ts";

/** Measures the connections of a store on a server. Without metrics, nothing is measured. */
export function measureStore({ maintenance }: Pick<Store, "maintenance">, telemetry: Telemetry): void {
  const { connections } = maintenance;
  if (!connections || !telemetry.isOn) return;
  telemetry.databaseConnections(connections.stats);
  connections.onAnswer(telemetry.databaseAnswer);
}

const UNKNOWN_HOST =
  "The metrics are not answered under this host name. Ask for them by address, or add the name to TRUSTED_HOSTS.\n";

const loadPrometheus = lazy(() => import("../telemetry/metrics.ts"));

/** Publishes Prometheus metrics on a port of their own, if one is set. */
export async function startMetrics(config: Config, listeners: Listeners) {
  const { METRICS_HOST: host, METRICS_PORT: port, METRICS_BY_KEY: byKey, ENVIRONMENT: environment } = config;
  if (port === undefined) return { telemetry: noTelemetry, url: undefined, include() {} };
  const { prometheus } = await loadPrometheus();
  const build = { version: manifest.version, environment, bun: Bun.version };
  const { telemetry, handle, include } = prometheus({ isFirst: true, byKey, build });
  const listener = listeners.listen(host, port, "METRICS_PORT");
  const names = knownHostNames(config);
  const holdBack = createHoldBack(undefined);
  listener.serve({
    fetch: async (request, server) => {
      const isKnown = hasKnownHost(request.url, names);
      const response = isKnown ? await handle(request) : new Response(UNKNOWN_HOST, { status: 421 });
      return holdBack(request, server, response);
    },
  });
  return { telemetry, url: `${listener.origin}/metrics`, include };
}

/** The metrics of one more thread, which the first one asks for. */
export async function startThreadMetrics({ METRICS_PORT, METRICS_BY_KEY: byKey }: Config) {
  if (METRICS_PORT === undefined) return { telemetry: noTelemetry, snapshot: async () => undefined };
  const { prometheus } = await loadPrometheus();
  return prometheus({ isFirst: false, byKey });
}
