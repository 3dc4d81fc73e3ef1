import { expect, test } from "bun:test";
import { prometheus } from "./metrics.ts";

const get = (metrics: ReturnType<typeof prometheus>, path: string) =>
  metrics.handle(new Request(`http://localhost${path}`));

test("everything that telemetry hears of is at /metrics", async () => {
  const metrics = prometheus();
  const { telemetry } = metrics;
  expect(telemetry.isOn).toBe(true);
  telemetry.request("listPets", 200, 0.003);
  telemetry.request("listPets", 200, 0.3);
  telemetry.request("createPet", 429, 0.001);
  telemetry.refusal("rate_limit_exceeded");
  telemetry.ban();
  telemetry.storeError();
  telemetry.meterDegraded(true);
  telemetry.connectionsLimited(true);
  const response = await get(metrics, "/metrics");
  expect(response.headers.get("content-type")).toStartWith("text/plain");
  const text = await response.text();
  for (const line of [
    'animal_store_requests_total{operation="listPets",status="200"} 2',
    'animal_store_requests_total{operation="createPet",status="429"} 1',
    'animal_store_request_seconds_bucket{le="0.005",operation="listPets"} 1',
    'animal_store_request_seconds_count{operation="listPets"} 2',
    'animal_store_refusals_total{code="rate_limit_exceeded"} 1',
    "animal_store_bans_total 1",
    "animal_store_store_errors_total 1",
    "animal_store_meter_degraded 1",
    "animal_store_connections_limited 1",
  ])
    expect(text).toContain(`${line}\n`);
  telemetry.meterDegraded(false);
  telemetry.connectionsLimited(false);
  const later = await (await get(metrics, "/metrics")).text();
  expect(later).toContain("animal_store_meter_degraded 0\n");
  expect(later).toContain("animal_store_connections_limited 0\n");
});

test("any other path answers 404 and says where the metrics are", async () => {
  const response = await get(prometheus(), "/");
  expect([response.status, await response.text()]).toEqual([404, "The metrics are at /metrics.\n"]);
});
