import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { LATENCY_BOUNDS_MS } from "../domain/usage/usage.ts";
import { Histogram } from "./histogram.ts";
import { KeyRequests } from "./key-requests.ts";
import type { Telemetry } from "./telemetry.ts";

const LATENCY_BUCKETS_SECONDS = LATENCY_BOUNDS_MS.map((ms) => ms / 1000);

/** The metrics of one thread: plain data, which it can send to the first one. */
export type MetricsSnapshot = readonly object[];

export interface Metrics {
  readonly telemetry: Telemetry;
  /** Returns the metrics of this thread. */
  snapshot(): Promise<MetricsSnapshot>;
  /** Adds the snapshots of other threads to what is answered. */
  include(others: () => Promise<readonly MetricsSnapshot[]>): void;
  /** Answers with the metrics of all threads and of the process. */
  handle(request: Request): Promise<Response>;
}

interface MetricsParts {
  /** True: this thread is the one that is asked for metrics, and measures the process too. */
  readonly isFirst: boolean;
  /** True: requests are counted for each key, too. */
  readonly byKey?: boolean;
  /** Names and values of labels that say what is running. */
  readonly build?: Readonly<Record<string, string>>;
}

/** Telemetry as Prometheus metrics. Each thread counts for itself, and the published values are sums. */
export function prometheus({ isFirst, byKey = false, build }: MetricsParts): Metrics {
  const ofProcess = new Registry();
  if (isFirst) collectDefaultMetrics({ register: ofProcess });
  if (build) describeBuild(build, ofProcess);
  const counted = new Registry();
  const keyRequests = byKey ? new KeyRequests() : undefined;
  const { telemetry, histograms } = countIn([counted], keyRequests);
  let others: () => Promise<readonly MetricsSnapshot[]> = async () => [];
  const snapshot = async () => [
    ...(await counted.getMetricsAsJSON()),
    ...histograms.map((histogram) => histogram.snapshot()),
    ...(keyRequests ? [keyRequests.snapshot()] : []),
  ];

  return {
    telemetry,
    snapshot,
    include(source) {
      others = source;
    },
    async handle(request) {
      if (URL.parse(request.url, "http://localhost")?.pathname !== "/metrics")
        return new Response("The metrics are at /metrics.\n", { status: 404 });
      const sum = AggregatorRegistry.aggregate([await snapshot(), ...(await others())]);
      return new Response(`${await ofProcess.metrics()}\n${await sum.metrics()}`, {
        headers: { "Content-Type": ofProcess.contentType },
      });
    },
  };
}

function describeBuild(build: Readonly<Record<string, string>>, register: Registry): void {
  const info = new Gauge({
    name: "animal_store_build_info",
    help: "What is running: always 1",
    labelNames: Object.keys(build),
    registers: [register],
  });
  info.set(build, 1);
}

/** The metrics of one thread. An `aggregator` says how values are combined if they are not added up. */
function countIn(
  registers: Registry[],
  keyRequests: KeyRequests | undefined,
): { telemetry: Telemetry; histograms: readonly Histogram[] } {
  const requests = new Counter({
    name: "animal_store_requests_total",
    help: "Requests under /v1 by operation and status",
    labelNames: ["operation", "status"],
    registers,
  });
  const latency = new Histogram({
    name: "animal_store_request_seconds",
    help: "Time from the request header to the response, by operation",
    label: "operation",
    buckets: LATENCY_BUCKETS_SECONDS,
  });
  const refusals = new Counter({
    name: "animal_store_refusals_total",
    help: "Requests refused before they reached an operation, by error code",
    labelNames: ["code"],
    registers,
  });
  const bans = new Counter({ name: "animal_store_bans_total", help: "API keys banned", registers });
  const storeErrors = new Counter({
    name: "animal_store_store_errors_total",
    help: "Failures of the store",
    registers,
  });
  const degraded = new Gauge({
    name: "animal_store_meter_degraded",
    help: "1 while Redis, or a node of its cluster, does not count and this instance counts by itself",
    aggregator: "max",
    registers,
  });
  const { answers: redisAnswers, ...redis } = redisMetrics(registers);
  const { answers: databaseAnswers, ...database } = databaseMetrics(registers);
  const limited = new Gauge({
    name: "animal_store_connections_limited",
    help: "1 while connections are closed early because the limit of open files is near",
    aggregator: "max",
    registers,
  });

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
    ...redis,
    ...database,
    connectionsLimited: (areLimited) => limited.set(areLimited ? 1 : 0),
  };
  return { telemetry, histograms: [latency, redisAnswers, databaseAnswers] };
}

/** Histograms are in no registry, since they are not prom-client's. */
interface Answers {
  readonly answers: Histogram;
}

/** The gauges appear when a database server is used. */
function databaseMetrics(registers: Registry[]): Pick<Telemetry, "databaseConnections" | "databaseAnswer"> & Answers {
  const answers = new Histogram({
    name: "animal_store_database_answer_seconds",
    help: "Time of a statement or transaction on PostgreSQL, with the wait for a connection, by kind",
    label: "kind",
    labelValues: ["read", "write", "transaction"],
    buckets: LATENCY_BUCKETS_SECONDS,
  });
  const gauge = (name: string, help: string, value: () => number): Gauge =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(value());
      },
    });
  return {
    databaseConnections(stats) {
      gauge("animal_store_database_connections", "Open connections to PostgreSQL", () => stats().open);
      gauge("animal_store_database_connections_in_use", "Those with a statement under way", () => stats().inUse);
      gauge("animal_store_database_waiting", "Statements that wait for a connection", () => stats().waiting);
    },
    databaseAnswer: (kind, seconds) => answers.observe(kind, seconds),
    answers,
  };
}

function redisMetrics(registers: Registry[]): Pick<Telemetry, "redisServer" | "redisAnswer"> & Answers {
  const up = new Gauge({
    name: "animal_store_redis_up",
    help: "1 while a server of Redis counts, 0 while this instance counts by itself instead",
    labelNames: ["server"],
    aggregator: "min",
    registers,
  });
  const answers = new Histogram({
    name: "animal_store_redis_answer_seconds",
    help: "Time from asking Redis to its answer, or to giving it up, by outcome",
    label: "outcome",
    labelValues: ["answered", "given_up", "failed"],
    buckets: LATENCY_BUCKETS_SECONDS,
  });
  return {
    redisServer: (server, isUp) => (isUp === undefined ? up.remove(server) : up.set({ server }, isUp ? 1 : 0)),
    redisAnswer: (outcome, seconds) => answers.observe(outcome, seconds),
    answers,
  };
}
