import { lazy } from "../domain/lazy.ts";
import type { Store } from "../store/store.ts";
import { noTelemetry, type Telemetry } from "../telemetry/telemetry.ts";
import type { Listeners } from "./listen.ts";

/** What a store on a server says about its connections. Without metrics, nothing is measured. */
export function measureStore({ connections }: Pick<Store, "connections">, telemetry: Telemetry): void {
  if (!connections || !telemetry.isOn) return;
  telemetry.databaseConnections(connections.stats);
  connections.onAnswer(telemetry.databaseAnswer);
}

const loadPrometheus = lazy(() => import("../telemetry/metrics.ts"));

/** Prometheus metrics on a port of their own, if one is set. */
export async function startMetrics(
  host: string,
  port: number | undefined,
  listeners: Listeners,
): Promise<{ readonly telemetry: Telemetry; readonly metricsUrl: string | undefined }> {
  if (port === undefined) return { telemetry: noTelemetry, metricsUrl: undefined };
  const { prometheus } = await loadPrometheus();
  const { telemetry, handle } = prometheus();
  const listener = listeners.listen(host, port, "METRICS_PORT");
  listener.serve({ fetch: handle });
  return { telemetry, metricsUrl: `${listener.origin}/metrics` };
}
