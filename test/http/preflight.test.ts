import { describe, expect, test } from "bun:test";
import { usageOf } from "../../src/domain/usage/usage.ts";
import {
  APP,
  ask,
  CORS_ORIGINS,
  corsOf,
  preflight,
  readableBy,
  STRANGER,
  UNREADABLE,
  until,
} from "../harness/requests/cors.ts";
import { RawConnection } from "../harness/requests/raw.ts";
import { startService } from "../harness/service/service.ts";
import { onEveryStore } from "../harness/service/stores.ts";
import { FakeClock } from "../harness/time/clock.ts";

// Preflights of cross-origin requests with a key, and other uses of OPTIONS.

const env = { CORS_ORIGINS };

const ALLOWED_HEADERS =
  "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Request-Id, traceparent, tracestate, User-Agent, *";

const permissionFor = (methods: string) => ({
  ...readableBy(APP),
  "access-control-allow-methods": methods,
  "access-control-allow-headers": ALLOWED_HEADERS,
  "access-control-max-age": "7200",
});

const METHODS = {
  "/pets": "GET, HEAD, POST, OPTIONS",
  "/pets/1": "GET, HEAD, PATCH, DELETE, OPTIONS",
  "/categories/1": "GET, HEAD, PUT, DELETE, OPTIONS",
  "/store/orders/no-id": "GET, HEAD, PATCH, OPTIONS",
  "/key": "GET, HEAD, OPTIONS",
};

onEveryStore(({ startService }) => {
  test("a preflight counts against nobody, and works when a quota is used up", async () => {
    const clock = new FakeClock();
    const service = await startService({ clock, env: { ...env, ANONYMOUS_PER_MINUTE: "3" } });
    const { id, secret } = await service.issueKey({ plan: "enterprise", quotas: { perMinute: 2, perDay: 9 } });
    // Browsers send no key with it. A client that does is not counted either, and gets no strikes.
    const many = async () => {
      for (let i = 0; i < 5; i++)
        expect((await preflight(service, "/pets", "POST", i % 2 ? { secret } : {})).status).toBe(204);
    };
    let others = 0;
    const get = (key?: string) => {
      others++;
      return ask(service, "GET /pets", { secret: key });
    };
    await many();
    expect((await get(secret)).headers.get("x-ratelimit-remaining")).toBe("1");
    expect((await get()).headers.get("x-ratelimit-remaining")).toBe("2");
    await until("rate_limit_exceeded", () => get());
    await get(secret);
    expect((await get(secret)).text).toContain("banned after 59 more refused requests");
    await many();
    expect((await get(secret)).text).toContain("banned after 58 more refused requests");
    await service.stop();
    await service.withStore(async ({ usage }) => {
      const span = { grain: "hour", fromMs: 0, beforeMs: clock.nowMs() + 1 } as const;
      const [[ofKey], [all]] = [await usage.ofKey(id, span), await usage.totals(span)];
      expect([usageOf(ofKey?.counts ?? []).requests, usageOf(all?.counts ?? []).requests]).toEqual([4, others]);
    });
  });
});

describe("a preflight", async () => {
  const service = await startService({ env });

  test("is answered with what its path supports, for two hours, and depends on the origin alone", async () => {
    for (const [path, methods] of Object.entries(METHODS))
      for (const method of ["GET", "DELETE", "FOO"]) {
        const answer = await preflight(service, path, method);
        expect([answer.status, answer.text, corsOf(answer)]).toEqual([204, "", permissionFor(methods)]);
        expect(answer.headers.get("allow")).toBe(methods);
        expect(answer.headers.get("cache-control")).toBe("no-store");
      }
  });

  test("has a request id, and no limits, since they would be nobody's", async () => {
    const { headers } = await preflight(service, "/pets", "GET", { headers: { "X-Request-Id": "mine" } });
    expect(headers.get("x-request-id")).toBe("mine");
    expect([...headers.keys()].filter((name) => name.includes("ratelimit"))).toEqual([]);
  });

  test("of a path that does not exist allows everything, so that its 404 can be read", async () => {
    for (const path of ["", "/", "/nothing", "/pets/1/more"]) {
      const answer = await preflight(service, path, "DELETE");
      const methods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";
      expect([path, answer.status, corsOf(answer)]).toEqual([path, 204, permissionFor(methods)]);
      expect(answer.headers.has("allow")).toBe(false);
      const real = await ask(service, `DELETE ${path}`, { origin: APP, secret: service.boundless });
      expect([real.status, corsOf(real)]).toEqual([404, readableBy(APP)]);
    }
  });

  test("of an origin that is not allowed gets no permission, and counts against nobody either", async () => {
    for (const origin of [STRANGER, "null", `${APP}.stranger.example`, `${APP}/`, APP.toUpperCase()])
      for (const path of ["/pets", "/nothing"]) {
        const answer = await preflight(service, path, "GET", { origin });
        expect([answer.status, corsOf(answer)]).toEqual([204, UNREADABLE]);
      }
    expect((await ask(service, "GET /pets")).headers.get("x-ratelimit-remaining")).toBe("299");
  });

  test("with two Host headers is refused as any request, and one with an unread body is the last of its connection", async () => {
    const send = async (head: string) => {
      const connection = await RawConnection.open(service.origin);
      connection.send(`OPTIONS /v1/pets HTTP/1.1\r\nHost: a\r\nOrigin: ${APP}\r\n${head}`);
      const answer = await connection.until((received) => received.includes("\r\n\r\n"));
      connection.destroy();
      return answer;
    };
    expect(await send("Host: b\r\n\r\n")).toStartWith("HTTP/1.1 400");
    const unread = await send("Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n");
    expect(unread).toStartWith("HTTP/1.1 204");
    expect(unread.toLowerCase()).toContain("connection: close");
  });
});

test("in a flood, preflights are held back, and none is refused", async () => {
  const { origin } = await startService({ env });
  const connection = await RawConnection.open(origin);
  const request = `OPTIONS /v1/pets HTTP/1.1\r\nHost: a\r\nOrigin: ${APP}\r\nAccess-Control-Request-Method: GET\r\n\r\n`;
  connection.send(request.repeat(1000));
  const answersIn = (received: string) => received.split("HTTP/1.1 204 ").length - 1;
  // Requests after one that is held back are dropped.
  const received = await connection.until((received) => answersIn(received) === 1000);
  expect(answersIn(received)).toBeWithin(1, 1000);
  const answers = await Promise.all(Array.from({ length: 200 }, () => preflight({ origin }, "/pets", "GET")));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]));
  connection.destroy();
});

describe("OPTIONS that is no preflight", async () => {
  const service = await startService({ env });

  test("says without a key what a path supports", async () => {
    for (const [path, methods] of Object.entries(METHODS)) {
      const plain = await ask(service, `OPTIONS ${path}`);
      expect([plain.status, plain.headers.get("allow"), corsOf(plain)]).toEqual([204, methods, UNREADABLE]);
      const ofScript = await ask(service, `OPTIONS ${path}`, { origin: APP });
      expect([ofScript.status, corsOf(ofScript)]).toEqual([204, permissionFor(methods)]);
    }
  });

  test("is refused where there is nothing, as every method is", async () => {
    const anonymous = await ask(service, "OPTIONS /nothing", { origin: APP });
    expect([anonymous.status, corsOf(anonymous)]).toEqual([401, readableBy(APP)]);
    expect((await ask(service, "OPTIONS /nothing", { secret: service.boundless })).status).toBe(404);
  });
});

test("requests are logged and measured, preflights too", async () => {
  const logged: string[] = [];
  const service = await startService({ logged, env: { ...env, LOG_REQUESTS: "on", METRICS_PORT: "0" } });
  await preflight(service, "/pets", "POST", { headers: { "X-Request-Id": "mine" } });
  const metrics = await (await fetch(service.metricsUrl as string)).text();
  expect(metrics).toContain('animal_store_requests_total{operation="none",status="204"} 1');
  const line = logged.map((text) => JSON.parse(text)).find(({ msg }) => msg === "request");
  expect(line).toMatchObject({
    requestId: "mine",
    method: "OPTIONS",
    path: "/v1/pets",
    status: 204,
    address: "127.0.0.1",
  });
});
