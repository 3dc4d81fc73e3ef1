import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { systemClock } from "../../src/base/time/clock.ts";
import { temporaryFolder } from "../harness/folder.ts";
import { type RunningService, serve } from "../harness/program/program.ts";
import { RawConnection } from "../harness/requests/raw.ts";
import { openDatabaseFile } from "../harness/rows/sqlite.ts";
import { hasNginx, TestNginx } from "../harness/servers/nginx.ts";
import { databaseMaker } from "../harness/servers/postgres.ts";
import { startService } from "../harness/service/service.ts";

const newDatabase = await databaseMaker();

const secretOf = async (cwd: string): Promise<string> =>
  (await Bun.file(join(cwd, "data/animal-store.operator-key")).text()).trim();

const lines = (service: RunningService) =>
  service
    .logged()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("logs", () => {
  test("start and stop are always logged, as JSON, requests are not", async () => {
    const cwd = temporaryFolder();
    const service = await serve({ cwd });
    await fetch(`${service.origin}/v1/pets`, { headers: { Authorization: `Bearer ${await secretOf(cwd)}` } });
    await service.kill("SIGTERM");
    const messages = lines(service).map((line) => line.msg);
    // Unless the stop comes before.
    const expected = messages.filter((message) => message !== "all threads answer requests");
    expect(expected).toEqual(["operator key issued", "started", "stopping", "stopped"]);
  });

  test("with LOG_REQUESTS=on each request is one line, and no line ever has a secret or a query", async () => {
    const cwd = temporaryFolder();
    // With several threads, the order of lines need not be that of the requests.
    const service = await serve({ cwd, env: { LOG_REQUESTS: "on", LOG_LEVEL: "debug", THREADS: "1" } });
    const secret = await secretOf(cwd);
    await fetch(`${service.origin}/v1/pets?key=hidden-query`, { headers: { Authorization: `Bearer ${secret}` } });
    await fetch(`${service.origin}/v1/pets/7`, {
      headers: { Authorization: "Bearer hidden-secret", "X-Request-Id": "r1" },
    });
    await fetch(`${service.origin}/v1/pets/${secret}`, { headers: { "X-Request-Id": secret } });
    const encoded = [...secret].map((character) => `%${character.charCodeAt(0).toString(16)}`).join("");
    const odd = await RawConnection.open(service.origin);
    odd.send(`GET /v1/pets/${encoded} HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${secret.slice(4)}\r\n\r\n`);
    await odd.answer();
    odd.send(`GET /v1/pets/${encodeURIComponent(encoded)}/${"x-".repeat(4000)} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await odd.until((received) => received.split("HTTP/1.1 401").length === 3);
    odd.destroy();
    await service.kill("SIGTERM");
    const requests = lines(service).filter((line) => line.msg === "request");
    expect(requests).toMatchObject([
      {
        level: "info",
        time: expect.stringMatching(/^20\d\d-.+T.+\.\d{3}Z$/),
        requestId: expect.any(String),
        method: "GET",
        path: "/v1/pets",
        operation: "listPets",
        status: 400,
        ms: expect.any(Number),
        address: "127.0.0.1",
        keyId: expect.stringMatching(/^key_/),
        code: "invalid_parameter",
      },
      { path: "/v1/pets/7", status: 401, requestId: "r1", address: "127.0.0.1", code: "invalid_api_key" },
      { method: "GET", path: "/v1/pets/ask_…", operation: "getPet", status: 401 },
      { method: "GET", path: "/v1/pets/ask_…", operation: "getPet", status: 401 },
      { method: "GET", path: expect.stringMatching(/^\/v1\/pets\/ask_…\/[x-]{150,200}…$/), operation: "none" },
    ]);
    expect(decodeURIComponent(decodeURIComponent(service.logged()))).not.toContain(secret.slice(4, 34));
    expect(service.logged()).not.toContain(secret);
    expect(service.logged()).not.toContain("hidden");
  });

  test("a key that does not work any more is named in the log, with the reason, and not in the response", async () => {
    const logged: string[] = [];
    const service = await startService({ logged });
    const { id, secret } = await service.issueKey({ expiresAtMs: 1 });
    const { status, text } = await service.call("GET /pets", { secret });
    await service.stop();
    expect([status, text.includes(id)]).toEqual([401, false]);
    const [refused] = logged.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "request refused");
    expect(refused).toMatchObject({ code: "invalid_api_key", reason: "expired", keyId: id });
  });

  test("who is refused is always logged, with address, key and code, and a flood of refusals in a few lines", async () => {
    const logged: string[] = [];
    const service = await startService({ logged });
    const { id, secret } = await service.issueKey({ quotas: { perMinute: 1, perDay: 100 }, scopes: ["pets:read"] });
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const create = { secret, body: { name: "x", categoryId: 1 }, headers: { traceparent, "X-Request-Id": "r1" } };
    await service.call("POST /pets?hidden=query", create);
    for (let i = 0; i < 65; i++) await service.call("GET /pets", { secret });
    for (let i = 0; i < 400; i++) await service.call("GET /nothing?hidden=query", { secret: "hidden-secret" });
    for (let i = 0; i < 130; i++) await fetch(`${service.origin}/docs?hidden=query`);
    const flooded = logged.splice(0).map((line) => JSON.parse(line));
    const about = (code: string) => flooded.filter((line) => line.code === code);
    const address = "127.0.0.1";
    expect(about("insufficient_scope")).toMatchObject([
      {
        level: "info",
        msg: "request refused",
        requestId: "r1",
        method: "POST",
        path: "/v1/pets",
        status: 403,
        address,
        keyId: id,
        trace_id: traceparent.slice(3, 35),
      },
    ]);
    expect(about("invalid_api_key")).toMatchObject([{ path: "/v1/nothing", status: 401, address }]);
    expect(about("rate_limit_exceeded")).toMatchObject([
      { msg: "request refused", status: 429, address, keyId: id },
      { msg: "request refused", status: 429, address, path: "/v1/nothing" },
      { msg: "request refused", status: 429, address, path: "/docs" },
    ]);
    expect(about("key_banned")).toMatchObject([
      { level: "warn", msg: "key banned", address, keyId: id },
      { level: "info", msg: "request refused", address, keyId: id },
    ]);
    await service.stop();
    const counted = logged.map((line) => JSON.parse(line)).filter(({ repeated }) => repeated);
    const byCode = Object.groupBy(counted, ({ code, keyId, path }) => `${code} ${keyId ?? address}${path ?? ""}`);
    expect(Object.keys(byCode).sort()).toEqual(
      [
        `invalid_api_key ${address}`,
        `key_banned ${id}`,
        `rate_limit_exceeded ${address}`,
        `rate_limit_exceeded ${id}`,
      ].sort(),
    );
    expect(counted.reduce((sum, { repeated }) => sum + repeated, 0) + 6).toBe(1 + 65 + 400 + 10);
    expect(JSON.stringify([flooded, counted])).not.toContain("hidden");
  });

  test("with LOG_REQUESTS=on, what is carried out always has a line, and of a flood of refusals so many a minute", async () => {
    const logged: string[] = [];
    const service = await startService({ logged, env: { LOG_REQUESTS: "on" } });
    for (let i = 0; i < 700; i++) await service.call("GET /pets", { secret: null });
    for (let i = 0; i < 700; i++) await service.call("GET /pets");
    const lines = logged.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "request");
    const byStatus = Object.groupBy(lines, ({ status }) => status);
    expect(byStatus[200]).toHaveLength(700);
    expect([byStatus[401]?.length, byStatus[429]?.length]).toEqual([300, 300]);
    expect(lines.find(({ status }) => status === 429)).toMatchObject({
      address: "127.0.0.1",
      code: "rate_limit_exceeded",
    });
    await service.stop();
    const [counted, ...others] = logged.map((line) => JSON.parse(line)).filter(({ repeated }) => repeated);
    expect([counted, others]).toMatchObject([
      { msg: "request refused", repeated: 99, code: "rate_limit_exceeded" },
      [],
    ]);
  });

  test("every line about a request names the trace that it belongs to, unless its traceparent is invalid", async () => {
    const logged: string[] = [];
    const trace = { trace_id: "4bf92f3577b34da6a3ce929d0e0e4736", span_id: "00f067aa0ba902b7", trace_flags: "01" };
    const traceparent = `00-${trace.trace_id}-${trace.span_id}-${trace.trace_flags}`;
    const hostile = `00-${trace.trace_id}-${trace.span_id}-01-"},{"forged":"<script>`;
    const service = await startService({ logged, env: { LOG_REQUESTS: "on" } });
    const lineOf = (message: string) =>
      JSON.parse(logged.splice(0).findLast((line) => line.includes(`"msg":"${message}"`)) as string);
    const get = (path: string, headers: Record<string, string>) => fetch(`${service.origin}${path}`, { headers });

    await get("/v1/pets", { traceparent });
    expect(lineOf("request")).toMatchObject({ operation: "listPets", status: 401, ...trace });
    for (const headers of [{ traceparent: hostile }, { traceparent: traceparent.toUpperCase() }, {}]) {
      await get("/v1/pets", headers as Record<string, string>);
      expect(Object.keys(lineOf("request")).filter((name) => /trace|span|forged/.test(name))).toEqual([]);
    }

    const other = openDatabaseFile(service.path);
    other.run("ALTER TABLE animals RENAME TO creatures");
    await get("/v1/pets", { traceparent, Authorization: `Bearer ${service.boundless}` });
    expect(lineOf("request failed")).toMatchObject(trace);
    other.close();
    await service.stop();
  });

  test.skipIf(!hasNginx)("the nginx of deploy/ passes the trace on", async () => {
    const logged: string[] = [];
    const service = await startService({ logged, env: { LOG_REQUESTS: "on" } });
    const nginx = await TestNginx.start([service.origin]);
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    await fetch(`${nginx.origin}/v1/pets`, { headers: { traceparent } });
    const line = logged.find((text) => text.includes('"msg":"request"')) as string;
    expect(JSON.parse(line)).toMatchObject({ status: 401, trace_id: traceparent.slice(3, 35) });
  });

  test("a fault of ours answers 500 without its cause, which is in the log under the request id", async () => {
    const logged: string[] = [];
    const service = await startService({ logged });
    const other = openDatabaseFile(service.path);
    other.run("ALTER TABLE animals RENAME TO creatures");
    const { status, json, headers } = await service.call("GET /pets");
    expect(status).toBe(500);
    expect(json).toMatchObject({ code: "internal_error", status: 500 });
    expect(json.message).not.toContain("animals");
    const line = JSON.parse(logged.find((text) => text.includes("request failed")) as string);
    expect(line).toMatchObject({
      level: "error",
      requestId: headers.get("x-request-id"),
      err: { message: "no such table: animals" },
    });
    await Promise.all(Array.from({ length: 200 }, () => service.call("GET /pets")));
    expect(logged.filter((text) => text.includes("request failed"))).toHaveLength(1);
    expect((await fetch(`${service.origin}/readyz`)).status).toBe(503);
    other.run("ALTER TABLE creatures RENAME TO animals");
    other.close();
    expect((await service.call("GET /pets")).status).toBe(200);
    expect((await fetch(`${service.origin}/readyz`)).status).toBe(200);
    await service.stop();
    const repeated = logged.filter((text) => text.includes("request failed")).map((text) => JSON.parse(text).repeated);
    expect(repeated).toEqual([undefined, 200]);
  });

  test("even a fault in what answers faults is answered with an Error, and logged", async () => {
    const logged: string[] = [];
    const clock = { ...systemClock };
    const service = await startService({ logged, clock });
    clock.nowMs = () => {
      throw new Error("the clock fell off the wall");
    };
    const response = await fetch(`${service.origin}/v1/pets`, {
      headers: { Authorization: `Bearer ${service.boundless}` },
    });
    clock.nowMs = systemClock.nowMs;
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ code: "internal_error", message: expect.any(String), status: 500 });
    expect(logged.join("")).toContain("the clock fell off the wall");
  });
});

describe("metrics", () => {
  test("there are none unless a port is set", async () => {
    const service = await serve({ cwd: temporaryFolder() });
    expect(service.banner).not.toContain("Metrics");
    expect((await fetch(`${service.origin}/metrics`)).status).toBe(404);
    await service.kill("SIGTERM");
  });

  test("METRICS_HOST is the address that they are served on", async () => {
    const service = await serve({ cwd: temporaryFolder(), env: { METRICS_PORT: "0", METRICS_HOST: "127.0.0.2" } });
    const url = /Metrics +(\S+)/.exec(service.banner)?.[1] as string;
    expect(url).toStartWith("http://127.0.0.2:");
    expect((await fetch(url)).status).toBe(200);
    await expect(fetch(url.replace("127.0.0.2", "127.0.0.1"))).rejects.toThrow();
    await service.kill("SIGTERM");
  });

  test("with METRICS_BY_KEY=on, requests of all threads by key and what came of them, and what is running", async () => {
    const cwd = temporaryFolder();
    const service = await serve({ cwd, threads: 2, env: { METRICS_PORT: "0", METRICS_BY_KEY: "on" } });
    const secret = await secretOf(cwd);
    const get = (path: string) =>
      fetch(`${service.origin}${path}`, { headers: { Authorization: `Bearer ${secret}`, Connection: "close" } });
    for (let i = 0; i < 20; i++) await get("/v1/pets");
    await get("/v1/pets/9");
    await fetch(`${service.origin}/v1/pets`);
    const text = await (await fetch(/Metrics +(\S+)/.exec(service.banner)?.[1] as string)).text();
    expect(text).toMatch(/^animal_store_key_requests_total\{key="key_\w{12}",outcome="passed"\} 20$/m);
    expect(text).toMatch(/^animal_store_key_requests_total\{key="key_\w{12}",outcome="client_error"\} 1$/m);
    expect(text.match(/^animal_store_key_requests_total\{/gm)).toHaveLength(2);
    const { version } = await Bun.file(join(import.meta.dir, "../../package.json")).json();
    expect(text).toContain(
      `animal_store_build_info{version="${version}",environment="production",bun="${Bun.version}"} 1\n`,
    );
    await service.kill("SIGTERM");
  });

  test("requests by operation and status, latency, refusals, bans and store errors", async () => {
    const cwd = temporaryFolder();
    const service = await serve({ cwd, env: { METRICS_PORT: "0" } });
    const url = /Metrics +(\S+)/.exec(service.banner)?.[1] as string;
    expect(url).toStartWith("http://127.0.0.1:");
    const authorization = { Authorization: `Bearer ${await secretOf(cwd)}` };
    await fetch(`${service.origin}/v1/pets`, { headers: authorization });
    await fetch(`${service.origin}/v1/pets/9`, { headers: authorization });
    await fetch(`${service.origin}/v1/pets`);
    await fetch(`${service.origin}/v1/nothing`, { headers: authorization });
    const response = await fetch(url);
    expect(response.headers.get("content-type")).toStartWith("text/plain");
    const text = await response.text();
    for (const line of [
      'animal_store_requests_total{operation="listPets",status="200"} 1',
      'animal_store_requests_total{operation="listPets",status="401"} 1',
      'animal_store_requests_total{operation="getPet",status="404"} 1',
      'animal_store_requests_total{operation="none",status="404"} 1',
      'animal_store_request_seconds_count{operation="listPets"} 2',
      'animal_store_refusals_total{code="missing_api_key"} 1',
      "animal_store_bans_total 0",
      "animal_store_store_errors_total 0",
    ])
      expect(text).toContain(`${line}\n`);
    expect(text).toContain("animal_store_build_info{");
    expect(text).not.toContain("animal_store_key_requests_total");
    expect((await fetch(new URL("/", url))).status).toBe(404);
    const odd = await RawConnection.open(new URL(url).origin);
    odd.send("GET // HTTP/1.1\r\nHost: ^^\r\n\r\n");
    expect(await odd.answer()).toStartWith("HTTP/1.1 421");
    odd.destroy();
    await service.kill("SIGTERM");
  });
});

test("metrics say how many connections to PostgreSQL are open and busy, and how long it takes to answer", async () => {
  const env = { DATABASE_URL: await newDatabase(), METRICS_PORT: "0" };
  const service = await serve({ cwd: temporaryFolder(), env });
  const metrics = async (): Promise<string> =>
    (await fetch(/Metrics +(\S+)/.exec(service.banner)?.[1] as string)).text();
  expect((await fetch(`${service.origin}/readyz`)).status).toBe(200);
  const text = await metrics();
  expect(text).toMatch(/^animal_store_database_connections [1-9]/m);
  expect(text).toMatch(/^animal_store_database_connections_in_use \d/m);
  expect(text).toMatch(/^animal_store_database_waiting 0$/m);
  expect(text).toMatch(/^animal_store_database_answer_seconds_count\{kind="read"\} [1-9]/m);
  await service.kill("SIGTERM");
});
