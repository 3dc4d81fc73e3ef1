import { lazy } from "../domain/lazy.ts";
import { noTelemetry, type Telemetry } from "../telemetry/telemetry.ts";
import type { Listeners } from "./listen.ts";

const loadPrometheus = lazy(() => import("../telemetry/metrics.ts"));

/** Prometheus metrics on a port of their own, if one is set. */
export async function startMetrics(
  port: number | undefined,
  listeners: Listeners,
): Promise<{ readonly telemetry: Telemetry; readonly metricsUrl: string | undefined }> {
  if (port === undefined) return { telemetry: noTelemetry, metricsUrl: undefined };
  const { prometheus } = await loadPrometheus();
  const { telemetry, handle } = prometheus();
  const listener = listeners.listen("127.0.0.1", port, "METRICS_PORT");
  listener.serve({ fetch: handle });
  return { telemetry, metricsUrl: `${listener.origin}/metrics` };
}
