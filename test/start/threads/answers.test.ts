import { expect, test } from "bun:test";
import { KeptConnections } from "../../harness/requests/kept-connections.ts";
import { openDatabaseFile } from "../../harness/rows/sqlite.ts";
import { listenersOn } from "../../harness/servers/port.ts";
import { startService } from "../../harness/service/service.ts";
import { FakeClock } from "../../harness/time/clock.ts";

// Several threads answer, and callers cannot tell.

const THREADS = 4;
const env = { THREADS: String(THREADS) };
const REX = { name: "Rex", categoryId: 7 };

test("all threads answer, and what each of them has to report is in the log when the service has stopped", async () => {
  const logged: string[] = [];
  const service = await startService({ logged, env });
  if (process.platform === "linux") expect(listenersOn(service.origin)).toBe(THREADS);
  const connections = await KeptConnections.open(service);
  await connections.callAll("GET /pets");
  const other = openDatabaseFile(service.path);
  other.run("PRAGMA busy_timeout = 5000");
  other.run("ALTER TABLE animals RENAME TO creatures");
  // Each thread reports a failure once, and then how often it happened again.
  const answers = await connections.callAll("GET /pets", {}, 5);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([500]));
  other.run("ALTER TABLE creatures RENAME TO animals");
  other.close();
  connections.end();
  await service.stop();
  const failures = logged.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "request failed");
  const [first, repeated] = [failures.filter((line) => !line.repeated), failures.filter((line) => line.repeated)];
  expect(first).toHaveLength(THREADS);
  const ids = new Set(answers.map(({ headers }) => headers.get("x-request-id")));
  for (const line of first) {
    expect(ids).toContain(line.requestId);
    expect(line.err).toMatchObject({ code: "SQLITE_ERROR", message: "no such table: animals" });
    expect(line.err.stack).toContain("src/");
  }
  const sum = repeated.reduce((total, line) => total + line.repeated, 0);
  expect(first.length + sum).toBe(answers.length);
  expect(logged.at(-1)).toContain('"msg":"stopped"');
});

test("whichever thread is asked, the answer is the same, and so are the refusals", async () => {
  const service = await startService({ clock: new FakeClock(), env: { ...env, ANONYMOUS_PER_MINUTE: "1000000" } });
  const connections = await KeptConnections.open(service);
  await connections.call(0, "POST /pets", { body: REX });
  for (const [line, status, options] of [
    ["GET /pets", 200, {}],
    ["GET /pets/1", 200, {}],
    ["GET /pets?id=1", 200, {}],
    ["GET /pets?limit=0", 400, {}],
    ["GET /pets/2", 404, {}],
    ["GET /nothing", 404, {}],
    ["GET /pets", 401, { secret: null }],
    ["GET /pets", 401, { secret: "wrong" }],
    ["POST /pets", 400, { body: "{" }],
    ["POST /pets", 413, { body: { ...REX, name: "x".repeat(100_000) } }],
    ["PUT /pets", 405, {}],
  ] as const) {
    const answers = await connections.callAll(line, options);
    const kinds = answers.map((answer) => JSON.stringify([answer.status, answer.text, answer.headers.get("etag")]));
    expect([line, [...new Set(kinds)].length, answers[0]?.status]).toEqual([line, 1, status]);
  }
  connections.end();
});

test("requests of all threads are logged and measured, and keys are noted as used", async () => {
  const logged: string[] = [];
  const clock = new FakeClock();
  const service = await startService({ logged, clock, env: { ...env, LOG_REQUESTS: "on", METRICS_PORT: "0" } });
  const connections = await KeptConnections.open(service);
  const keys = await Promise.all(
    Array.from({ length: connections.count }, (_, i) => service.issueKey({ name: `key ${i}`, plan: "free" })),
  );
  await Promise.all(keys.map(({ secret }, i) => connections.call(i, "GET /pets", { secret })));
  await connections.callAll("POST /pets", { body: REX });
  for (const [i, { secret }] of keys.entries()) if (i % 2) await connections.call(i, "GET /pets/0", { secret });
  await connections.callAll("GET /pets", { secret: "wrong" });

  const metrics = await (await fetch(service.metricsUrl as string)).text();
  const { count } = connections;
  for (const line of [
    `animal_store_requests_total{operation="listPets",status="200"} ${count}`,
    `animal_store_requests_total{operation="createPet",status="201"} ${count}`,
    `animal_store_requests_total{operation="getPet",status="404"} ${count / 2}`,
    `animal_store_requests_total{operation="listPets",status="401"} ${count}`,
    `animal_store_request_seconds_count{operation="createPet"} ${count}`,
    `animal_store_refusals_total{code="invalid_api_key"} ${count}`,
  ])
    expect(metrics).toContain(line);
  connections.end();
  await service.stop();
  const requests = logged.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "request");
  expect(requests).toHaveLength(3 * count + count / 2);
  expect(new Set(requests.map(({ requestId }) => requestId)).size).toBe(requests.length);
  expect(new Set(requests.map(({ keyId }) => keyId).filter(Boolean)).size).toBe(count + 1);
  const uses = await service.withStore(async (store) =>
    Promise.all(keys.map(async ({ id }) => (await store.keys.get(id))?.lastUsedAtMs)),
  );
  const minute = Math.floor(clock.nowMs() / 60_000) * 60_000;
  expect(new Set(uses)).toEqual(new Set([minute]));
});
