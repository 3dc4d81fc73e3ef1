import { describe, expect, test } from "bun:test";
import { newSecret } from "../../src/domain/keys/key.ts";
import { getRequest } from "../harness/requests/load.ts";
import { RawConnection } from "../harness/requests/raw.ts";
import { startService } from "../harness/service/service.ts";
import { FakeClock } from "../harness/time/clock.ts";

// The closing of connections, and requests that no HTTP client would send.

/** Few enough for two callers to stay below the flood limit, beyond which responses are held back. */
const PIPELINED = 40;
const countAnswers = (received: string): number => received.split("HTTP/1.1 ").length - 1;
const bearer = (secret: string) => ({ Authorization: `Bearer ${secret}` });

/** All responses to these bytes before the service closes the connection. */
async function untilClosed(origin: string, text: string): Promise<string> {
  const connection = await RawConnection.open(origin);
  connection.send(text);
  return connection.until(() => false);
}

/** All responses to these bytes, followed by a request for a page that must be answered. */
async function whileOpen(origin: string, text: string): Promise<string> {
  const connection = await RawConnection.open(origin);
  connection.send(text);
  const isAnswered = (received: string) => /\r\n\r\n.*\{"status":"ok"\}$/s.test(received);
  await connection.until((received) => received.includes("\r\n\r\n"));
  connection.send(getRequest("/healthz"));
  const received = await connection.until(isAnswered);
  expect(received).toSatisfy(isAnswered);
  connection.destroy();
  return received;
}

describe("a caller that is refused for a while", () => {
  /** Starts a service with a banned key, and an address whose quota is used up. */
  async function setUp(env: Record<string, string> = {}) {
    const service = await startService({ clock: new FakeClock(), env: { ANONYMOUS_PER_MINUTE: "1", ...env } });
    const { secret } = await service.issueKey({ plan: "enterprise", quotas: { perMinute: 1, perDay: 1000 } });
    for (let code = ""; code !== "key_banned"; )
      code = (await service.call("GET /pets", { secret })).json?.code ?? "served";
    await service.call("GET /pets", { secret: null });
    return { ...service, banned: getRequest("/v1/pets", bearer(secret)), anonymous: getRequest("/v1/pets") };
  }

  test("gets one refusal with all headers per connection, and what it pipelined is dropped", async () => {
    const { origin, banned, anonymous } = await setUp();
    for (const [request, code] of [
      [banned, "key_banned"],
      [anonymous, "rate_limit_exceeded"],
    ] as const) {
      const received = await untilClosed(origin, request.repeat(PIPELINED));
      expect(countAnswers(received)).toBe(1);
      expect(received).toStartWith("HTTP/1.1 429 ");
      expect(received).toContain(`"code":"${code}"`);
      for (const header of ["connection: close", "retry-after: ", "x-ratelimit-reset: ", "x-request-id: "])
        expect(received.toLowerCase()).toContain(`\r\n${header}`);
    }
  });

  test("keeps its connection if that is a trusted proxy's, which carries the requests of others too", async () => {
    const { origin, banned, anonymous } = await setUp({ TRUSTED_PROXIES: "127.0.0.1" });
    for (const request of [banned, anonymous]) {
      const received = await whileOpen(origin, request.repeat(PIPELINED));
      expect(countAnswers(received)).toBe(PIPELINED + 1);
      expect(received.toLowerCase()).not.toContain("connection: close");
    }
  });

  // Bun closes a connection on which a request follows one that is answered later.
  test("does not keep a valid key from being looked up at once, so that what is pipelined with it is answered", async () => {
    const { origin, issueKey } = await setUp();
    const secrets = [newSecret(), (await issueKey()).secret, (await issueKey()).secret];
    const connections = await Promise.all(secrets.map(() => RawConnection.open(origin)));
    for (const [i, secret] of secrets.entries()) connections[i]?.send(getRequest("/v1/pets", bearer(secret)).repeat(3));
    const received = await Promise.all(connections.map((each) => each.until((text) => countAnswers(text) === 3)));
    expect(received.map((text) => text.match(/(?<=HTTP\/1.1 )\d+/g))).toEqual([
      ["429"],
      ["200", "200", "200"],
      ["200", "200", "200"],
    ]);
    for (const connection of connections) connection.destroy();
  });
});

test("a refusal that the next request may not get leaves the connection open", async () => {
  const { origin, issueKey } = await startService({ clock: new FakeClock() });
  const { secret } = await issueKey({ plan: "free", quotas: { perMinute: 1, perDay: 1 } });
  expect(await whileOpen(origin, getRequest("/v1/pets"))).toStartWith("HTTP/1.1 401 ");
  expect(await whileOpen(origin, getRequest("/v1/pets", bearer("wrong")))).toStartWith("HTTP/1.1 401 ");
  const exhausted = await whileOpen(origin, getRequest("/v1/pets", bearer(secret)).repeat(2));
  expect(exhausted).toContain('"code":"rate_limit_exceeded"');
});

test("a flood of requests for pages ends its connections, and a visitor's stays open", async () => {
  const { origin } = await startService();
  const twoHosts = getRequest("/healthz", { Host: "localhost\r\nHost: other" });
  // Whatever was pipelined is dropped, with the first response that is held back.
  for (const request of [getRequest("/healthz"), getRequest("/nothing"), twoHosts]) {
    const received = await untilClosed(origin, request.repeat(1000));
    expect(countAnswers(received)).toBeLessThan(1000);
    // Callers who would connect again at once delay others more.
    expect(/connection: close/i.test(received)).toBe(false);
  }
  await Bun.sleep(100);
  await whileOpen(origin, getRequest("/healthz"));
});

describe("odd requests", () => {
  test("two Host headers are answered with 400 and an Error, on every path, with and without a key", async () => {
    const { origin, boundless } = await startService();
    const targets = [
      ["/v1/pets", bearer(boundless)],
      ["/v1/pets", {}],
      ["/v1/nothing", bearer(boundless)],
      ["/healthz", {}],
      ["/nothing", {}],
    ] as const;
    for (const [path, fields] of targets)
      for (const hosts of ["localhost\r\nHost: other", "localhost\r\nHost: localhost", "\r\nHost: localhost"]) {
        const received = await whileOpen(origin, getRequest(path, { Host: hosts, ...fields }));
        expect(received).toStartWith("HTTP/1.1 400 ");
        expect(received).toContain('{"code":"invalid_parameter","message":"The Host header ');
      }
  });

  test("CONNECT is answered with 405 and an Error, and the connection is closed", async () => {
    const { origin } = await startService();
    for (const rest of ["\r\n", "Content-Length: 5\r\n\r\nhello", `\r\n${getRequest("/healthz")}`]) {
      const received = await untilClosed(
        origin,
        `CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n${rest}`,
      );
      expect(received).toStartWith("HTTP/1.1 405 ");
      expect(received).toContain('{"code":"method_not_allowed",');
      expect(countAnswers(received)).toBe(1);
    }
  });

  test("CONNECT closes its connection even if its target is like a path", async () => {
    const { origin } = await startService();
    for (const target of ["*", "a", ":", "http://a/", "http://a/v1/pets", "http://a/healthz", "http://a/v1/nothing"]) {
      const received = await untilClosed(origin, `CONNECT ${target} HTTP/1.1\r\nHost: a\r\n\r\n`);
      expect([target, received]).toEqual([target, expect.stringMatching(/^HTTP\/1\.1 40[015] /)]);
    }
  });

  test("an Upgrade is ignored, and a whole URL as the target is taken for its path", async () => {
    const { origin, boundless } = await startService();
    const websocket = {
      Connection: "Upgrade",
      Upgrade: "websocket",
      "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
      "Sec-WebSocket-Version": "13",
    };
    for (const [target, fields] of [
      ["/v1/pets", websocket],
      ["/v1/pets", { Connection: "Upgrade, HTTP2-Settings", Upgrade: "h2c", "HTTP2-Settings": "AAMAAABkAAQAAP__" }],
      ["http://other.example/v1/pets", {}],
      ["http://user:password@localhost/v1/pets", {}],
    ] as const) {
      const received = await whileOpen(origin, getRequest(target, { ...bearer(boundless), ...fields }));
      expect(received).toStartWith("HTTP/1.1 200 ");
      expect(received).toContain("\r\n\r\n[]");
    }
  });
});

describe("while the service stops", () => {
  test("every answer is the last of its connection, and none is lost", async () => {
    const service = await startService({ quietMs: 50 });
    const { origin, boundless } = service;
    const body = '{"name":"Last","categoryId":1}';
    const head = { ...bearer(boundless), "Content-Type": "application/json", "Content-Length": String(body.length) };
    const requests = {
      "/v1/pets": getRequest("/v1/pets", bearer(boundless)),
      "/v1/nothing": getRequest("/v1/nothing", bearer(boundless)),
      "/healthz": getRequest("/healthz"),
      "/readyz": getRequest("/readyz"),
      "/": getRequest("/"),
      "/nothing": getRequest("/nothing"),
    };
    const connections = await Promise.all(Object.keys(requests).map(() => RawConnection.open(origin)));
    for (const connection of connections) {
      connection.send(getRequest("/healthz"));
      await connection.answer();
    }
    const uploading = await RawConnection.open(origin);
    uploading.send(`${getRequest("/v1/pets", head).replace("GET", "POST")}${body.slice(0, 10)}`);
    await Bun.sleep(20);

    const stopped = service.stop();
    const statuses: Record<string, string> = {};
    await Promise.all(
      Object.entries(requests).map(async ([path, request], i) => {
        const connection = connections[i] as RawConnection;
        connection.send(request);
        const received = (await connection.until(() => false)).split("HTTP/1.1 ").at(-1) as string;
        expect(received.toLowerCase()).toContain("\r\nconnection: close\r\n");
        statuses[path] = received.slice(0, 3);
      }),
    );
    expect(statuses).toEqual({
      "/v1/pets": "200",
      "/v1/nothing": "404",
      "/healthz": "200",
      "/readyz": "503",
      "/": "200",
      "/nothing": "404",
    });
    uploading.send(body.slice(10));
    const created = await uploading.until(() => false);
    expect(created).toStartWith("HTTP/1.1 201 ");
    expect(created.toLowerCase()).toContain("\r\nconnection: close\r\n");
    await stopped;
    await expect(RawConnection.open(origin)).rejects.toThrow();
  });
});
