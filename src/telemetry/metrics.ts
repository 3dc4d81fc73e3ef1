import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  type GaugeConfiguration,
  Registry,
} from "prom-client";
import { sharedRuns } from "../base/time/shared-runs.ts";
import { LATENCY_BOUNDS_MS } from "../domain/usage/usage.ts";
import { Histogram } from "./histogram.ts";
import { KeyRequests } from "./key-requests.ts";
import type { DatabaseConnections, Telemetry } from "./telemetry.ts";

const PREFIX = "animal_store_";
/** A collection keeps the first thread busy for milliseconds, so anyone who asks for many must wait between them. */
const PAUSE_MS = 100;
const LATENCY_BUCKETS_SECONDS = LATENCY_BOUNDS_MS.map((ms) => ms / 1000);

/** The metrics of one thread: plain data, which it can send to the first one. */
export type MetricsSnapshot = readonly object[];

interface MetricsParts {
  /** True: this thread is the one that is asked for metrics, and measures the process too. */
  readonly isFirst: boolean;
  /** True: requests are counted for each key, too. */
  readonly byKey?: boolean;
  /** Names and values of labels that say what is running. */
  readonly build?: Readonly<Record<string, string>>;
}

/** Telemetry as Prometheus metrics. Each thread counts for itself, and the published values are sums. */
export function prometheus({ isFirst, byKey = false, build }: MetricsParts) {
  const ofProcess = new Registry();
  if (isFirst) collectDefaultMetrics({ register: ofProcess });
  const { gauge } = metricsIn(ofProcess);
  if (build) gauge("build_info", "What is running: always 1", { labelNames: Object.keys(build) }).set(build, 1);
  const counted = new Registry();
  const keyRequests = byKey ? new KeyRequests() : undefined;
  const { telemetry, histograms } = countIn(counted, keyRequests);
  let others: () => Promise<readonly MetricsSnapshot[]> = async () => [];
  /** Returns the metrics of this thread. */
  const snapshot = async (): Promise<MetricsSnapshot> => [
    ...(await counted.getMetricsAsJSON()),
    ...histograms.map((histogram) => histogram.snapshot()),
    ...(keyRequests ? [keyRequests.snapshot()] : []),
  ];

  const collect = sharedRuns(async (): Promise<string> => {
    const sum = AggregatorRegistry.aggregate([await snapshot(), ...(await others())]);
    return `${await ofProcess.metrics()}\n${await sum.metrics()}`;
  }, PAUSE_MS);

  return {
    telemetry,
    snapshot,
    /** Adds the snapshots of other threads to what is answered. */
    include(source: typeof others): void {
      others = source;
    },
    /** Answers with the metrics of all threads and of the process. */
    async handle(request: Request): Promise<Response> {
      if (URL.parse(request.url, "http://localhost")?.pathname !== "/metrics")
        return new Response("The metrics are at /metrics.\n", { status: 404 });
      return new Response(await collect(), { headers: { "Content-Type": ofProcess.contentType } });
    },
  };
}

/** Makes metrics in a registry. An aggregator says how values of threads are combined if they are not added up. */
const metricsIn = (register: Registry) => ({
  counter: <Label extends string = never>(name: string, help: string, labelNames: Label[] = []) =>
    new Counter({ name: PREFIX + name, help, labelNames, registers: [register] }),

  gauge: <Label extends string = never>(
    name: string,
    help: string,
    rest: Partial<GaugeConfiguration<Label>> = {},
  ): Gauge<Label> => new Gauge({ name: PREFIX + name, help, ...rest, registers: [register] }),

  /** A histogram is in no registry, since it is not prom-client's. */
  seconds: (name: string, help: string, label: string, labelValues: readonly string[] = []) =>
    new Histogram({ name: PREFIX + name, help, label, labelValues, buckets: LATENCY_BUCKETS_SECONDS }),
});

/** The metrics of one thread. */
function countIn(register: Registry, keyRequests: KeyRequests | undefined) {
  const { counter, gauge, seconds } = metricsIn(register);
  const requests = counter("requests_total", "Requests under /v1 by operation and status", ["operation", "status"]);
  const latency = seconds("request_seconds", "Time from the request header to the response, by operation", "operation");
  const refusals = counter("refusals_total", "Requests refused before they reached an operation, by error code", [
    "code",
  ]);
  const bans = counter("bans_total", "API keys banned");
  const storeErrors = counter("store_errors_total", "Failures of the store");
  const degraded = gauge(
    "meter_degraded",
    "1 while Redis, or a node of its cluster, does not count and this instance counts by itself",
    { aggregator: "max" },
  );
  const redisUp = gauge(
    "redis_up",
    "1 while a server of Redis counts, 0 while this instance counts by itself instead",
    { aggregator: "min", labelNames: ["server"] },
  );
  const redisAnswers = seconds(
    "redis_answer_seconds",
    "Time from asking Redis to its answer, or to giving it up, by outcome",
    "outcome",
    ["answered", "given_up", "failed"],
  );
  const databaseAnswers = seconds(
    "database_answer_seconds",
    "Time of a statement or transaction on PostgreSQL, with the wait for a connection, by kind",
    "kind",
    ["read", "write", "transaction"],
  );
  const limited = gauge(
    "connections_limited",
    "1 while connections are closed early because the limit of open files is near",
    { aggregator: "max" },
  );
  const telemetry: Telemetry = {
    isOn: true,
    request(operation, status, seconds) {
      requests.inc({ operation, status });
      latency.observe(operation, seconds);
    },
    requestOfKey: (keyId, outcome) => keyRequests?.count(keyId, outcome),
    refusal: (code) => refusals.inc({ code }),
    ban: () => bans.inc(),
    storeError: () => storeErrors.inc(),
    meterDegraded: (isDegraded) => degraded.set(isDegraded ? 1 : 0),
    redisServer: (server, isUp) =>
      isUp === undefined ? redisUp.remove(server) : redisUp.set({ server }, isUp ? 1 : 0),
    redisAnswer: (outcome, seconds) => redisAnswers.observe(outcome, seconds),
    databaseConnections(stats) {
      const show = (name: string, help: string, value: keyof DatabaseConnections) =>
        gauge(name, help, {
          collect() {
            this.set(stats()[value]);
          },
        });
      show("database_connections", "Open connections to PostgreSQL", "open");
      show("database_connections_in_use", "Those with a statement under way", "inUse");
      show("database_waiting", "Statements that wait for a connection", "waiting");
    },
    databaseAnswer: (kind, seconds) => databaseAnswers.observe(kind, seconds),
    connectionsLimited: (areLimited) => limited.set(areLimited ? 1 : 0),
  };
  return { telemetry, histograms: [latency, redisAnswers, databaseAnswers] };
}
