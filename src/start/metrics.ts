import manifest from "../../package.json" with { type: "json" };
import { lazy } from "../base/lazy.ts";
import type { Config } from "../config.ts";
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

const loadPrometheus = lazy(() => import("../telemetry/metrics.ts"));

/** Publishes Prometheus metrics on a port of their own, if one is set. */
export async function startMetrics(config: Config, listeners: Listeners) {
  const { METRICS_HOST: host, METRICS_PORT: port, METRICS_BY_KEY: byKey, ENVIRONMENT: environment } = config;
  if (port === undefined) return { telemetry: noTelemetry, url: undefined, include() {} };
  const { prometheus } = await loadPrometheus();
  const build = { version: manifest.version, environment, bun: Bun.version };
  const { telemetry, handle, include } = prometheus({ isFirst: true, byKey, build });
  const listener = listeners.listen(host, port, "METRICS_PORT");
  listener.serve({ fetch: handle });
  return { telemetry, url: `${listener.origin}/metrics`, include };
}

/** The metrics of one more thread, which the first one asks for. */
export async function startThreadMetrics({ METRICS_PORT, METRICS_BY_KEY: byKey }: Config) {
  if (METRICS_PORT === undefined) return { telemetry: noTelemetry, snapshot: async () => undefined };
  const { prometheus } = await loadPrometheus();
  return prometheus({ isFirst: false, byKey });
}
