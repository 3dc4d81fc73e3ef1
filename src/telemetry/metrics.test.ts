import { describe, expect, test } from "bun:test";
import { type MetricsSnapshot, prometheus } from "./metrics.ts";

const alone = () => prometheus({ isFirst: true });

const get = (metrics: Pick<ReturnType<typeof prometheus>, "handle">, path = "/metrics") =>
  metrics.handle(new Request(`http://localhost${path}`));

const textOf = async (metrics: ReturnType<typeof prometheus>): Promise<string> => (await get(metrics)).text();

test("those who ask at once share a collection, which has all that came before they asked", async () => {
  const metrics = alone();
  let collections = 0;
  metrics.include(async () => {
    collections++;
    return [];
  });
  for (let round = 1; round <= 3; round++) {
    metrics.telemetry.ban();
    const texts = await Promise.all(Array.from({ length: 50 }, () => textOf(metrics)));
    for (const text of texts) expect(text).toContain(`animal_store_bans_total ${round}\n`);
    expect(collections).toBe(round);
  }
});

test("everything that telemetry hears of is at /metrics", async () => {
  const metrics = alone();
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
  const response = await get(metrics);
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
  const later = await textOf(metrics);
  expect(later).toContain("animal_store_meter_degraded 0\n");
  expect(later).toContain("animal_store_connections_limited 0\n");
});

test("any other path answers 404 and says where the metrics are", async () => {
  const response = await get(alone(), "/");
  expect([response.status, await response.text()]).toEqual([404, "The metrics are at /metrics.\n"]);
});

/** Metrics of three threads, of which the first one is asked. Snapshots arrive as they would from a thread. */
function threeThreads() {
  const others = [1, 2].map(() => prometheus({ isFirst: false }));
  const sent = (): Promise<MetricsSnapshot[]> =>
    Promise.all(others.map(async (thread) => structuredClone(await thread.snapshot())));
  const first = prometheus({ isFirst: true });
  first.include(sent);
  return { first, threads: [first, ...others].map(({ telemetry }) => telemetry) };
}

describe("the metrics of several threads", () => {
  test("are added up: counters, histograms and connections", async () => {
    const { first, threads } = threeThreads();
    for (const [i, telemetry] of threads.entries()) {
      telemetry.request("listPets", 200, 0.25 * (i + 1));
      telemetry.request(`operation${i}`, 201, 0.001);
      telemetry.refusal("banned");
      telemetry.ban();
      telemetry.storeError();
      telemetry.redisAnswer("answered", 0.5);
      telemetry.databaseAnswer("read", 0.25 * (i + 1));
      telemetry.databaseConnections(() => ({ open: 10 + i, inUse: i, waiting: 2 }));
    }
    const text = await textOf(first);
    for (const line of [
      'animal_store_requests_total{operation="listPets",status="200"} 3',
      'animal_store_requests_total{operation="operation0",status="201"} 1',
      'animal_store_requests_total{operation="operation2",status="201"} 1',
      'animal_store_request_seconds_bucket{le="0.1",operation="listPets"} 0',
      'animal_store_request_seconds_bucket{le="0.5",operation="listPets"} 2',
      'animal_store_request_seconds_bucket{le="+Inf",operation="listPets"} 3',
      'animal_store_request_seconds_sum{operation="listPets"} 1.5',
      'animal_store_request_seconds_count{operation="listPets"} 3',
      'animal_store_refusals_total{code="banned"} 3',
      "animal_store_bans_total 3",
      "animal_store_store_errors_total 3",
      'animal_store_redis_answer_seconds_count{outcome="answered"} 3',
      'animal_store_redis_answer_seconds_count{outcome="failed"} 0',
      'animal_store_database_answer_seconds_bucket{le="0.5",kind="read"} 2',
      'animal_store_database_answer_seconds_sum{kind="read"} 1.5',
      "animal_store_database_connections 33",
      "animal_store_database_connections_in_use 3",
      "animal_store_database_waiting 6",
    ])
      expect(text).toContain(`${line}\n`);
  });

  test("say what is the matter if it is so in any of them", async () => {
    const { first, threads } = threeThreads();
    for (const telemetry of threads) {
      telemetry.redisServer("a:1", true);
      telemetry.redisServer("b:1", true);
    }
    const [, second, third] = threads;
    const gauges = async () =>
      (await textOf(first)).split("\n").filter((line) => /^animal_store_(meter|redis_up|connections)/.test(line));
    expect(await gauges()).toEqual([
      "animal_store_meter_degraded 0",
      'animal_store_redis_up{server="a:1"} 1',
      'animal_store_redis_up{server="b:1"} 1',
      "animal_store_connections_limited 0",
    ]);
    second?.meterDegraded(true);
    second?.redisServer("b:1", false);
    third?.connectionsLimited(true);
    for (const telemetry of threads) telemetry.redisServer("a:1", undefined);
    expect(await gauges()).toEqual([
      "animal_store_meter_degraded 1",
      'animal_store_redis_up{server="b:1"} 0',
      "animal_store_connections_limited 1",
    ]);
  });

  test("have those of the process once, from the first thread, and each metric is described once", async () => {
    const { first } = threeThreads();
    const text = await textOf(first);
    expect(text.match(/^process_resident_memory_bytes /gm)).toHaveLength(1);
    expect(text.match(/^process_start_time_seconds /gm)).toHaveLength(1);
    const described = text.split("\n").filter((line) => line.startsWith("# HELP "));
    expect(new Set(described).size).toBe(described.length);
    expect(text).toEndWith("\n");
  });
});

test("the build is described once, by the first thread", async () => {
  const build = { version: "1.2.3", environment: "staging", bun: "1.4" };
  const text = await textOf(prometheus({ isFirst: true, build }));
  expect(text).toContain('animal_store_build_info{version="1.2.3",environment="staging",bun="1.4"} 1\n');
});

describe("requests by key", () => {
  test("are counted only if that is asked for", async () => {
    const metrics = alone();
    metrics.telemetry.requestOfKey("key_a", "passed");
    expect(await textOf(metrics)).not.toContain("key_a");
  });

  test("are added up over all threads", async () => {
    const other = prometheus({ isFirst: false, byKey: true });
    const others = async () => [structuredClone(await other.snapshot())];
    const first = prometheus({ isFirst: true, byKey: true });
    first.include(others);
    for (const { telemetry } of [first, other, other]) telemetry.requestOfKey("key_a", "passed");
    first.telemetry.requestOfKey("key_a", "minute_quota");
    other.telemetry.requestOfKey("key_b", "failed");
    const text = await textOf(first);
    expect(text).toContain("# TYPE animal_store_key_requests_total counter\n");
    for (const line of [
      'animal_store_key_requests_total{key="key_a",outcome="passed"} 3',
      'animal_store_key_requests_total{key="key_a",outcome="minute_quota"} 1',
      'animal_store_key_requests_total{key="key_b",outcome="failed"} 1',
    ])
      expect(text).toContain(`${line}\n`);
  });

  test("are bounded: keys beyond the first thousand are counted together", async () => {
    const metrics = prometheus({ isFirst: true, byKey: true });
    for (let i = 0; i < 1_500; i++) metrics.telemetry.requestOfKey(`key_${i}`, "passed");
    metrics.telemetry.requestOfKey("key_0", "passed");
    const text = await textOf(metrics);
    expect(text).toContain('{key="key_0",outcome="passed"} 2\n');
    expect(text).toContain('{key="other",outcome="passed"} 500\n');
    expect(text.match(/^animal_store_key_requests_total\{/gm)).toHaveLength(1_001);
  });
});
