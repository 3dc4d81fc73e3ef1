import { lazy } from "../base/lazy.ts";
import type { Store } from "../store/ports/store.ts";
import type { MetricsSnapshot } from "../telemetry/metrics.ts";
import { noTelemetry, type Telemetry } from "../telemetry/telemetry.ts";
import type { Listeners } from "./ports/listen.ts";

/** Measures the connections of a store on a server. Without metrics, nothing is measured. */
export function measureStore({ maintenance }: Pick<Store, "maintenance">, telemetry: Telemetry): void {
  const { connections } = maintenance;
  if (!connections || !telemetry.isOn) return;
  telemetry.databaseConnections(connections.stats);
  connections.onAnswer(telemetry.databaseAnswer);
}

interface MetricsSettings {
  readonly host: string;
  /** Undefined: metrics are off. */
  readonly port: number | undefined;
  readonly byKey: boolean;
  readonly build: Readonly<Record<string, string>>;
}

/** The metrics of the first thread, which publishes those of all. */
interface ServiceMetrics {
  readonly telemetry: Telemetry;
  readonly url: string | undefined;
  /** Publishes what other threads measure, too. */
  include(threads: { metrics(): Promise<readonly MetricsSnapshot[]> }): void;
}

const loadPrometheus = lazy(() => import("../telemetry/metrics.ts"));

/** Publishes Prometheus metrics on a port of their own, if one is set. */
export async function startMetrics(settings: MetricsSettings, listeners: Listeners): Promise<ServiceMetrics> {
  const { host, port, byKey, build } = settings;
  if (port === undefined) return { telemetry: noTelemetry, url: undefined, include() {} };
  const { prometheus } = await loadPrometheus();
  const { telemetry, handle, include } = prometheus({ isFirst: true, byKey, build });
  const listener = listeners.listen(host, port, "METRICS_PORT");
  listener.serve({ fetch: handle });
  return { telemetry, url: `${listener.origin}/metrics`, include: (threads) => include(() => threads.metrics()) };
}

/** The metrics of one more thread, which the first one asks for. */
export async function startThreadMetrics({
  areOn,
  byKey,
}: {
  readonly areOn: boolean;
  readonly byKey: boolean;
}): Promise<{ readonly telemetry: Telemetry; readonly snapshot: () => Promise<MetricsSnapshot | undefined> }> {
  if (!areOn) return { telemetry: noTelemetry, snapshot: async () => undefined };
  const { prometheus } = await loadPrometheus();
  return prometheus({ isFirst: false, byKey });
}
