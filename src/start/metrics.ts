import { lazy } from "../base/lazy.ts";
import type { Store } from "../store/ports/store.ts";
import type { MetricsSnapshot } from "../telemetry/metrics.ts";
import { noTelemetry, type Telemetry } from "../telemetry/telemetry.ts";
import type { Listeners } from "./ports/listen.ts";

/** What a store on a server says about its connections. Without metrics, nothing is measured. */
export function measureStore({ maintenance: { connections } }: Pick<Store, "maintenance">, telemetry: Telemetry): void {
  if (!connections || !telemetry.isOn) return;
  telemetry.databaseConnections(connections.stats);
  connections.onAnswer(telemetry.databaseAnswer);
}

/** What metrics are made of. */
interface MetricsSettings {
  readonly host: string;
  /** Undefined: there are none. */
  readonly port: number | undefined;
  readonly byKey: boolean;
  readonly build: Readonly<Record<string, string>>;
}

const loadPrometheus = lazy(() => import("../telemetry/metrics.ts"));

/** Prometheus metrics on a port of their own, if one is set. */
export async function startMetrics(
  { host, port, byKey, build }: MetricsSettings,
  listeners: Listeners,
  /** What the other threads have measured. */
  others: () => Promise<readonly MetricsSnapshot[]>,
): Promise<{ readonly telemetry: Telemetry; readonly metricsUrl: string | undefined }> {
  if (port === undefined) return { telemetry: noTelemetry, metricsUrl: undefined };
  const { prometheus } = await loadPrometheus();
  const { telemetry, handle } = prometheus({ isFirst: true, others, byKey, build });
  const listener = listeners.listen(host, port, "METRICS_PORT");
  listener.serve({ fetch: handle });
  return { telemetry, metricsUrl: `${listener.origin}/metrics` };
}

/** Those of one more thread, which the first one asks for. */
export async function startThreadMetrics(
  port: number | undefined,
  byKey: boolean,
): Promise<{ readonly telemetry: Telemetry; readonly snapshot: () => Promise<MetricsSnapshot | undefined> }> {
  if (port === undefined) return { telemetry: noTelemetry, snapshot: async () => undefined };
  const { prometheus } = await loadPrometheus();
  return prometheus({ isFirst: false, others: async () => [], byKey });
}
