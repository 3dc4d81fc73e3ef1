import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Telemetry } from "./telemetry.ts";

const LATENCY_BUCKETS_SECONDS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5,
];

/** Telemetry as Prometheus metrics, and the request handler that serves them. */
export function prometheus(): { telemetry: Telemetry; handle: (request: Request) => Promise<Response> } {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: "animal_store_requests_total",
    help: "Requests under /v1 by operation and status",
    labelNames: ["operation", "status"],
    registers,
  });
  const latency = new Histogram({
    name: "animal_store_request_seconds",
    help: "Time from the request header to the response, by operation",
    labelNames: ["operation"],
    buckets: LATENCY_BUCKETS_SECONDS,
    registers,
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
    help: "1 while Redis is not responding and this instance counts by itself",
    registers,
  });
  const limited = new Gauge({
    name: "animal_store_connections_limited",
    help: "1 while connections are closed early because the limit of open files is near",
    registers,
  });

  return {
    telemetry: {
      isOn: true,
      request(operation, status, seconds) {
        requests.inc({ operation, status });
        latency.observe({ operation }, seconds);
      },
      refusal: (code) => refusals.inc({ code }),
      ban: () => bans.inc(),
      storeError: () => storeErrors.inc(),
      meterDegraded: (isDegraded) => degraded.set(isDegraded ? 1 : 0),
      connectionsLimited: (areLimited) => limited.set(areLimited ? 1 : 0),
    },
    async handle(request) {
      if (URL.parse(request.url, "http://localhost")?.pathname !== "/metrics")
        return new Response("The metrics are at /metrics.\n", { status: 404 });
      return new Response(await registry.metrics(), { headers: { "Content-Type": registry.contentType } });
    },
  };
}
