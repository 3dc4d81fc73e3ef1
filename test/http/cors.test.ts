import { describe, expect, test } from "bun:test";
import { EXPOSED_HEADERS } from "../../src/http/cors/cors.ts";
import { COMMON_HEADERS } from "../../src/http/reply/header-template.ts";
import { openForCommand } from "../../src/store/open.ts";
import { type DatabaseUrl, parseDatabaseUrl } from "../../src/store/urls/database-url.ts";
import { temporaryFolder } from "../harness/folder.ts";
import { serve } from "../harness/program/program.ts";
import {
  type Answer,
  APP,
  type Asked,
  ask,
  CORS_ORIGINS,
  corsOf,
  DESK,
  preflight,
  readableBy,
  STRANGER,
  UNREADABLE,
  until,
} from "../harness/requests/cors.ts";
import { getRequest } from "../harness/requests/load.ts";
import { RawConnection } from "../harness/requests/raw.ts";
import { openDatabaseFile } from "../harness/rows/sqlite.ts";
import { hasNginx, TestNginx } from "../harness/servers/nginx.ts";
import { freePort } from "../harness/servers/port.ts";
import { startService } from "../harness/service/service.ts";
import { onEveryStore } from "../harness/service/stores.ts";
import { FakeClock } from "../harness/time/clock.ts";

// CORS headers of responses. preflight.test.ts has the preflights.

const env = { CORS_ORIGINS };
const REX = { name: "Rex", categoryId: 7 };

test("every header that the OpenAPI document describes is exposed, but for what browsers show anyway", async () => {
  const service = await startService();
  const names = new Set<string>(COMMON_HEADERS);
  JSON.stringify(await service.document(), (key, value) => {
    if (key === "headers") for (const name of Object.keys(value)) names.add(name.replace(/^Optional-/, ""));
    return value;
  });
  names.delete("Cache-Control");
  expect<readonly string[]>(EXPOSED_HEADERS).toEqual([...names].sort());
});

onEveryStore(({ startService, backend }) => {
  test("a script of an allowed origin can read every answer, whatever its status", async () => {
    const service = await startService({ clock: new FakeClock(), env: { ...env, ANONYMOUS_PER_MINUTE: "6" } });
    const { secret: reader } = await service.issueKey({ scopes: ["pets:read"] });
    const { secret: poor } = await service.issueKey({ plan: "enterprise", quotas: { perMinute: 1, perDay: 9 } });
    const seen = new Set<number>();
    const expectReadable = (status: number, answer: Answer): Answer => {
      expect([answer.status, corsOf(answer)]).toEqual([status, readableBy(APP)]);
      seen.add(status);
      return answer;
    };
    const send = async (status: number, line: string, asked: Asked = {}) =>
      expectReadable(status, await ask(service, line, { origin: APP, secret: service.boundless, ...asked }));

    const key = { "Idempotency-Key": "one" };
    const created = await send(201, "POST /pets", { body: REX, headers: key });
    const replayed = await send(201, "POST /pets", { body: REX, headers: key });
    expect(replayed.headers.get("idempotency-replayed")).toBe("true");
    await send(422, "POST /pets", { body: { ...REX, name: "Max" }, headers: key });
    await send(201, "POST /pets", { body: REX });
    expect((await send(200, "GET /pets?limit=1")).headers.has("link")).toBe(true);
    await send(200, "HEAD /pets");
    const etag = (await send(200, "GET /pets/1")).headers.get("etag") as string;
    expect(created.headers.get("etag")).toBe(etag);
    await send(304, "GET /pets/1", { headers: { "If-None-Match": etag } });
    await send(412, "PATCH /pets/1", { body: REX, headers: { "If-Match": '"x"' } });
    await send(400, "POST /pets", { body: "{" });
    await send(403, "POST /pets", { body: REX, secret: reader });
    await send(404, "GET /pets/99");
    await send(404, "GET /nothing");
    expect((await send(405, "PUT /pets")).headers.get("allow")).toBe("GET, HEAD, POST, OPTIONS");
    await send(413, "POST /pets", { body: { ...REX, name: "x".repeat(20_000) } });
    await send(415, "POST /pets", { body: REX, headers: { "Content-Type": "text/plain" } });
    await send(204, "DELETE /pets/2");
    await send(401, "GET /pets", { secret: undefined });
    await send(401, "GET /pets", { secret: "wrong" });
    expectReadable(429, await until("key_banned", () => ask(service, "GET /pets", { origin: APP, secret: poor })));
    const ofAddress = await until("rate_limit_exceeded", () => ask(service, "GET /pets", { origin: APP }));
    expect(expectReadable(429, ofAddress).headers.get("connection")).toBe("close");
    await backend.query(service.storage, "ALTER TABLE animals RENAME TO creatures");
    await send(500, "GET /pets");
    expect([...seen].sort()).toEqual([200, 201, 204, 304, 400, 401, 403, 404, 405, 412, 413, 415, 422, 429, 500]);
  });

  test("a reply that is kept, shared or replayed is that of no origin: each reads its own", async () => {
    const service = await startService({ env });
    const { boundless: secret } = service;
    await ask(service, "POST /pets", { secret, body: REX });
    const origins = [APP, DESK, STRANGER, undefined];
    const expectOwn = async (line: string, asked: Asked) => {
      const answers = await Promise.all(
        Array.from({ length: 24 }, (_, i) => ask(service, line, { secret, origin: origins[i % 4], ...asked })),
      );
      for (const [i, answer] of answers.entries())
        expect(corsOf(answer)).toEqual(i % 4 < 2 ? readableBy(origins[i % 4] as string) : UNREADABLE);
    };
    for (let round = 0; round < 3; round++) await expectOwn("GET /pets?limit=5", {});
    await ask(service, "POST /pets", { secret, body: REX, headers: { "Idempotency-Key": "same" } });
    await expectOwn("POST /pets", { body: REX, headers: { "Idempotency-Key": "same" } });
  });
});

describe("with *", () => {
  test("anybody can read, also without an origin, and no response varies by it", async () => {
    const service = await startService({ env: { CORS_ORIGINS: "*" } });
    for (const origin of [APP, STRANGER, "null", undefined])
      for (const [status, secret] of [
        [200, service.boundless],
        [401, undefined],
      ] as const) {
        const answer = await ask(service, "GET /pets", { origin, secret });
        expect([answer.status, corsOf(answer)]).toEqual([status, readableBy("*")]);
      }
    const allowed = await preflight(service, "/pets", "POST", { origin: STRANGER });
    expect(corsOf(allowed)).toMatchObject({ ...readableBy("*"), "access-control-max-age": "7200" });
  });
});

describe("without the setting", () => {
  test("nothing is different, byte for byte, whatever a browser sends", async () => {
    const service = await startService({ clock: new FakeClock() });
    const [set, unset] = [await startService({ clock: new FakeClock(), env }), service];
    const raw = async ({ origin, boundless }: typeof service, headers: Record<string, string>) => {
      const connection = await RawConnection.open(origin);
      const fields = { Authorization: `Bearer ${boundless}`, "X-Request-Id": "same", ...headers };
      connection.send(getRequest("/v1/pets", fields));
      const text = (await connection.answer()).replace(/^date: .*\r\n/im, "");
      connection.destroy();
      return text.replace(/(remaining: |r=)\d+/gi, "$1N");
    };
    const plain = await raw(unset, {});
    expect(plain).not.toMatch(/vary|access-control/i);
    expect(await raw(unset, { Origin: APP, "Access-Control-Request-Method": "GET" })).toBe(plain);
    // With the setting, other clients get one more header line.
    const [head, body] = plain.split("\r\n\r\n");
    const added = (await raw(set, {})).split("\r\n").filter((line) => !plain.split("\r\n").includes(line));
    expect(added).toEqual(["Vary: Origin"]);
    expect([head?.split("\r\n")[0], body]).toEqual(["HTTP/1.1 200 OK", "[]"]);
  });

  test("OPTIONS is a method like any other that a path does not support", async () => {
    const service = await startService();
    const anonymous = await preflight(service, "/pets", "GET");
    expect([anonymous.status, corsOf(anonymous)]).toEqual([401, {}]);
    expect(anonymous.headers.get("x-ratelimit-remaining")).toBe("299");
    const refused = await preflight(service, "/pets", "GET", { secret: service.boundless });
    expect([refused.status, corsOf(refused), refused.headers.get("allow")]).toEqual([405, {}, "GET, HEAD, POST"]);
  });

  test("no page says anything about it", async () => {
    const { origin } = await startService();
    const { headers } = await fetch(`${origin}/openapi.json`, { headers: { Origin: APP } });
    expect(corsOf({ headers })).toEqual({ vary: "Accept-Encoding" });
  });
});

test("tools can load the OpenAPI document, and read why not; pages and probes stay as they are", async () => {
  const { origin } = await startService({ env });
  const page = (path: string, from: string, init = {}) => fetch(origin + path, { headers: { Origin: from }, ...init });
  const document = await page("/openapi.json", APP);
  const both = { vary: "Accept-Encoding, Origin" };
  expect([document.status, corsOf(document)]).toEqual([200, { ...readableBy(APP), ...both }]);
  expect(corsOf(await page("/openapi.json", STRANGER))).toEqual(both);
  expect(corsOf(await page("/openapi-3.0.json", APP))).toEqual({ ...readableBy(APP), ...both });
  const known = { Origin: APP, "If-None-Match": document.headers.get("etag") as string };
  const unchanged = await page("/openapi.json", APP, { headers: known });
  expect([unchanged.status, corsOf(unchanged)]).toEqual([304, { ...readableBy(APP), ...both }]);
  const refused = await page("/openapi.json", APP, { method: "POST" });
  expect([refused.status, corsOf(refused)]).toEqual([405, readableBy(APP)]);
  for (const path of ["/", "/docs", "/healthz", "/readyz", "/nowhere"])
    expect(Object.keys(corsOf(await page(path, APP))).filter((name) => name !== "vary")).toEqual([]);
  let limited = await page("/openapi.json", APP);
  while (limited.status !== 429) limited = await page("/openapi.json", APP);
  expect(corsOf(limited)).toEqual(readableBy(APP));
});

test("while a service starts or stops, its answers can be read, and preflights are answered", async () => {
  const cwd = temporaryFolder();
  const file = `${cwd}/store.db`;
  const port = String(await freePort());
  const instance = { origin: `http://127.0.0.1:${port}` };
  // A store without a key, whose first key cannot be written yet.
  await (await openForCommand(parseDatabaseUrl(`sqlite:${file}`) as DatabaseUrl, { create: true })).close();
  const other = openDatabaseFile(file);
  other.exec("BEGIN IMMEDIATE");
  const starting = serve({ cwd, env: { ...env, DATABASE_URL: `sqlite:${file}`, PORT: port, DRAIN_SECONDS: "300" } });
  let first: Answer | undefined;
  while (!first)
    first = await ask(instance, "GET /pets", { origin: APP }).catch(() => Bun.sleep(2).then(() => undefined));
  expect([first.status, corsOf(first)]).toEqual([503, readableBy(APP)]);
  expect((await preflight(instance, "/pets", "GET")).status).toBe(204);
  other.exec("ROLLBACK");
  other.close();
  const service = await starting;

  service.child.kill("SIGTERM");
  while ((await fetch(`${instance.origin}/readyz`)).status !== 503) await Bun.sleep(1);
  const allowed = await preflight(instance, "/pets", "GET");
  expect([allowed.status, allowed.headers.get("connection")]).toEqual([204, "close"]);
  const last = await ask(instance, "GET /pets", { origin: APP });
  expect([last.status, corsOf(last), last.headers.get("connection")]).toEqual([401, readableBy(APP), "close"]);
  expect(await service.kill("SIGINT")).toBe(0);
});

describe.skipIf(!hasNginx)("behind the nginx of deploy/", () => {
  const listed = `  # "${APP}"  "${APP}";`;

  test("preflights and headers pass through, and its own errors can be read if it knows the origin", async () => {
    const service = await startService({ env: { ...env, TRUSTED_PROXIES: "127.0.0.1" } });
    const nginx = await TestNginx.start([service.origin], { replace: { [listed]: listed.replace("# ", "") } });
    const direct = await preflight(service, "/pets", "POST");
    const passed = await preflight(nginx, "/pets", "POST");
    expect([passed.status, corsOf(passed)]).toEqual([204, corsOf(direct)]);
    const headers = { Origin: APP, Authorization: `Bearer ${service.boundless}` };
    const read = await fetch(`${nginx.origin}/v1/pets`, { headers });
    expect([read.status, corsOf(read)]).toEqual([200, readableBy(APP)]);

    const ownErrors = { "access-control-allow-origin": APP, "access-control-expose-headers": expect.any(String) };
    const tooLarge = (origin: string) =>
      fetch(`${nginx.origin}/v1/pets`, { method: "POST", headers: { Origin: origin }, body: "x".repeat(2 ** 21) });
    expect([(await tooLarge(APP)).status, corsOf(await tooLarge(APP))]).toEqual([413, ownErrors]);
    expect(corsOf(await tooLarge(STRANGER))).toEqual({});
    await service.stop();
    const outage = await fetch(`${nginx.origin}/v1/pets`, { headers: { Origin: APP } });
    expect([outage.status, corsOf(outage)]).toEqual([503, ownErrors]);
    const exposed = (outage.headers.get("access-control-expose-headers") as string).split(", ");
    for (const name of ["Retry-After", "X-Request-Id"]) expect(exposed).toContain(name);
  });

  test("unless it is told, it says nothing about origins", async () => {
    const nginx = await TestNginx.start(["http://127.0.0.1:1"]);
    const outage = await fetch(`${nginx.origin}/v1/pets`, { headers: { Origin: APP } });
    expect([outage.status, corsOf(outage)]).toEqual([503, {}]);
  });
});
