import { describe, expect, test } from "bun:test";
import { setUp } from "../harness/cleanup.ts";
import { temporaryFolder } from "../harness/folder.ts";
import { issueBoundlessKey, type RunningService, serve } from "../harness/program/program.ts";
import { RawConnection } from "../harness/requests/raw.ts";
import { HOSTILE_REQUESTS, REFUSED_REQUESTS } from "../harness/requests/worst-requests.ts";
import { hasNginx, TestNginx } from "../harness/servers/nginx.ts";
import { databaseMaker } from "../harness/servers/postgres.ts";

const newDatabase = hasNginx ? await databaseMaker() : undefined;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Sends raw bytes on a new connection. Resolves to the first response, or undefined. */
async function sendRaw(origin: string, bytes: string | Uint8Array): Promise<Answer | undefined> {
  const connection = await RawConnection.open(origin);
  connection.send(bytes);
  const text = await connection.answer();
  connection.destroy();
  return text === "" ? undefined : parseAnswer(text);
}

function parseAnswer(received: string): Answer {
  const end = received.indexOf("\r\n\r\n");
  const [statusLine = "", ...lines] = received.slice(0, end).split("\r\n");
  const headers = new Headers(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon), line.slice(colon + 1).trim()] as [string, string];
    }),
  );
  return { status: Number(statusLine.split(" ")[1]), headers, text: received.slice(end + 4) };
}

/** Checks that the response is an error in the service's form, with this status and code. */
function expectError(name: string, answer: Answer | undefined, status: number, code: string): void {
  const body = answer?.text.startsWith("{") ? JSON.parse(answer.text) : answer?.text;
  expect([name, answer?.status, body]).toEqual([name, status, { code, message: expect.any(String), status }]);
  const { headers } = answer as Answer;
  expect(headers.get("content-type")).toBe("application/json");
  expect(headers.get("cache-control")).toBe("no-store");
  expect(headers.get("x-request-id")).toMatch(/^[\w.-]{1,64}$/);
  expect(headers.has("retry-after")).toBe([429, 503].includes(status));
  expect(headers.has("allow")).toBe(status === 405);
}

describe.skipIf(!hasNginx)("the nginx of deploy/ in front of three instances", () => {
  let fleet: RunningService[] = [];
  let nginx: TestNginx;
  let secret = "";

  setUp(async () => {
    const cwd = temporaryFolder();
    const env = {
      DATABASE_URL: (await newDatabase?.()) as string,
      TRUSTED_PROXIES: "127.0.0.1",
      LOG_LEVEL: "silent",
      ANONYMOUS_PER_MINUTE: "1000000",
    };
    secret = await issueBoundlessKey({ cwd, env });
    fleet = await Promise.all([1, 2, 3].map(() => serve({ cwd, env })));
    nginx = await TestNginx.start(fleet.map((instance) => instance.origin));
  });

  const call = async (method: string, target: string, body?: object, headers = {}): Promise<Answer> => {
    const response = await fetch(`${nginx.origin}${target}`, {
      method,
      headers: {
        Authorization: `Bearer ${secret}`,
        ...(body ? { "Content-Type": "application/json" } : {}),
        ...headers,
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };

  /** Reads and writes until told to stop. Returns all unexpected statuses. */
  function goodClient(): () => Promise<{ requests: number; failures: (number | string)[] }> {
    const failures: (number | string)[] = [];
    let requests = 0;
    let isOver = false;
    const work = (async () => {
      for (; !isOver; requests++) {
        const isWrite = requests % 2 === 1;
        const { status } = await (isWrite
          ? call("POST", "/v1/pets", { name: `good ${requests}`, categoryId: 1 })
          : call("GET", "/v1/pets?limit=1"));
        if (status !== (isWrite ? 201 : 200)) failures.push(status);
      }
    })();
    return async () => {
      isOver = true;
      await work;
      return { requests, failures };
    };
  }

  test("what nginx refuses by itself is an Error with a request id, also when no location was chosen yet", async () => {
    for (const [name, { bytes, status, code }] of Object.entries(REFUSED_REQUESTS))
      expectError(name, await sendRaw(nginx.origin, bytes), status, code);
  });

  test("the console is not handed on, whatever the path looks like", async () => {
    expect((await fetch(`${fleet[0]?.origin}/console/`)).status).toBe(200);
    for (const path of ["/console", "/console/", "/console/api/session", "/%63onsole/", "//console/", "/./console/x"]) {
      const answer = await sendRaw(
        nginx.origin,
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
      );
      expectError(path, answer, 404, "not_found");
    }
  });

  test("the same with an Idempotency-Key, which takes another way through nginx", async () => {
    const posts = Object.entries(REFUSED_REQUESTS).filter(([, { bytes }]) => String(bytes).startsWith("POST "));
    expect(posts.length).toBeGreaterThan(5);
    for (const [name, { bytes, status, code }] of posts) {
      const named = String(bytes).replace("\r\n", "\r\nIdempotency-Key: a\r\n");
      expectError(name, await sendRaw(nginx.origin, named), status, code);
    }
  });

  test("a write with an Idempotency-Key is carried out once, answers its copies, and keeps its errors", async () => {
    const connection = await RawConnection.open(nginx.origin);
    const fields = "Idempotency-Key: nginx 1\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: LENGTH";
    connection.send(post("named", fields, (json) => json));
    const all = await connection.until(() => false);
    expect(all.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 100", "HTTP/1.1 201"]);
    const named = { "Idempotency-Key": "nginx 1" };
    const copy = await call("POST", "/v1/pets", { name: "named", categoryId: 77 }, named);
    expect([copy.status, copy.headers.get("idempotency-replayed")]).toEqual([201, "true"]);
    const other = await call("POST", "/v1/pets", { name: "other", categoryId: 77 }, named);
    expectError("other", other, 422, "idempotency_mismatch");
    const invalid = await call("POST", "/v1/pets", { name: 1 }, { "Idempotency-Key": "nginx 2" });
    expectError("invalid", invalid, 400, "invalid_value");
    expect(invalid.headers.has("x-ratelimit-remaining")).toBe(true);
    const { id } = JSON.parse(copy.text);
    const writes = [
      ["PATCH", `/v1/pets/${id}`, { name: "updated" }, 200],
      ["PUT", "/v1/categories/77", { name: "nginx" }, 201],
      ["DELETE", `/v1/pets/${id}`, undefined, 204],
    ] as const;
    for (const [method, target, body, status] of writes)
      for (const replayed of [null, "true"]) {
        const answer = await call(method, target, body, { "Idempotency-Key": `nginx ${method}` });
        expect([method, answer.status, answer.headers.get("idempotency-replayed")]).toEqual([method, status, replayed]);
      }
  });

  test("the worst requests, 20 times each: a client beside them sees no failure, and no answer is in nginx's own words", async () => {
    const stopGood = goodClient();
    const requests = [...Object.values(REFUSED_REQUESTS).map(({ bytes }) => bytes), ...Object.values(HOSTILE_REQUESTS)];
    for (let round = 0; round < 20; round++)
      await Promise.all(
        requests.map(async (bytes) => {
          const answer = await sendRaw(nginx.origin, bytes);
          expect([bytes.slice(0, 40), answer?.text ?? ""]).not.toEqual([
            bytes.slice(0, 40),
            expect.stringContaining("<html>"),
          ]);
        }),
      );
    const { requests: count, failures } = await stopGood();
    expect(failures).toEqual([]);
    expect(count).toBeGreaterThan(5);
  });

  test("unfinished, slow and cut-off requests hold up nobody", async () => {
    const openings = [
      "",
      "GET /v1/pets HTTP/1.1\r\nHost: a\r\n",
      `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${secret}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{`,
      "POST /v1/pets HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\n",
    ];
    const slow = await Promise.all(
      Array.from({ length: 80 }, async (_, i) => {
        const connection = await RawConnection.open(nginx.origin);
        connection.send(openings[i % openings.length] as string);
        return connection;
      }),
    );
    const stopGood = goodClient();
    for (let i = 0; i < 50; i++) expect((await call("GET", "/v1/pets?limit=1")).status).toBe(200);
    for (const connection of slow) connection.destroy();
    for (let i = 0; i < 50; i++) expect((await call("GET", "/v1/pets?limit=1")).status).toBe(200);
    expect((await stopGood()).failures).toEqual([]);
  });

  const post = (name: string, framing: string, body: (json: string) => string): string => {
    const json = JSON.stringify({ name, categoryId: 77 });
    return `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${secret}\r\nContent-Type: application/json\r\n${framing.replace("LENGTH", String(json.length))}\r\n\r\n${body(json)}`;
  };
  const CHUNKED = "Transfer-Encoding: chunked";
  const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

  test("bodies that an instance alone does not answer rightly are answered once: trailers, one-byte chunks, extra line ends, a half-closed connection", async () => {
    const requests = {
      trailer: post("trailer", CHUNKED, (json) => `${chunk(json)}0\r\nX-Trailer: 1\r\n\r\n`),
      "one-byte chunks": post("one-byte chunks", CHUNKED, (json) => `${[...json].map(chunk).join("")}0\r\n\r\n`),
      "extra line end": post("extra line end", "Content-Length: LENGTH", (json) => `${json}\r\n`),
    };
    for (const [name, bytes] of Object.entries(requests)) {
      const connection = await RawConnection.open(nginx.origin);
      connection.send(bytes);
      expect([name, parseAnswer(await connection.answer()).status]).toEqual([name, 201]);
      // The connection still works for another request.
      connection.send("GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
      const all = await connection.until(() => false);
      expect([name, all.match(/HTTP\/1\.1 \d+/g)]).toEqual([name, ["HTTP/1.1 201", "HTTP/1.1 200"]]);
    }
    const halfClosed = await RawConnection.open(nginx.origin);
    halfClosed.send(post("half-closed", "Content-Length: LENGTH", (json) => json));
    halfClosed.end();
    expect(parseAnswer(await halfClosed.until(() => false)).status).toBe(201);
    const names = JSON.parse((await call("GET", "/v1/pets?categoryId=77")).text).map(
      ({ name }: { name: string }) => name,
    );
    expect(names.filter((name: string) => name !== "named")).toEqual([...Object.keys(requests), "half-closed"]);
  });

  test("a request hidden in the body of another one is never carried out", async () => {
    const hidden = `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${secret}\r\nContent-Type: application/json\r\nContent-Length: 34\r\n\r\n{"name":"smuggled","categoryId":78}`;
    const framings = [
      `Content-Length: 5\r\n${CHUNKED}`,
      `${CHUNKED}\r\nContent-Length: 5`,
      `Content-Length: 5\r\nTransfer-Encoding: x, chunked`,
      "Content-Length: 5\r\nContent-Length: 6",
      "Content-Length: 5, 6",
      "Transfer-Encoding : chunked\r\nContent-Length: 5",
      "Transfer-Encoding:\x0bchunked\r\nContent-Length: 5",
      `Transfer-Encoding: identity\r\n${CHUNKED}`,
    ];
    for (const framing of framings) {
      const bytes = `POST /healthz HTTP/1.1\r\nHost: a\r\n${framing}\r\n\r\n0\r\n\r\n${hidden}`;
      expectError(framing, await sendRaw(nginx.origin, bytes), 400, "invalid_request");
    }
    expect(JSON.parse((await call("GET", "/v1/pets?categoryId=78")).text)).toEqual([]);
  });

  test("OPTIONS and other known methods reach the service, which answers by the contract", async () => {
    for (const method of ["OPTIONS", "PUT", "DELETE"]) {
      const answer = await call(method, "/v1/pets");
      expectError(method, answer, 405, "method_not_allowed");
      expect(answer.headers.get("allow")).toBe("GET, HEAD, POST");
      expect(answer.headers.has("x-ratelimit-remaining")).toBe(true);
    }
    expect(await call("HEAD", "/v1/pets")).toMatchObject({ status: 200, text: "" });
  });

  test("tags stay strong, and conditions reach the service: 304, 412, and 204 without a body", async () => {
    const created = await call("POST", "/v1/pets", { name: "Rex", categoryId: 80 }, { "Accept-Encoding": "gzip" });
    const path = `/v1/pets/${JSON.parse(created.text).id}`;
    const tag = created.headers.get("etag") as string;
    expect(tag).toMatch(/^"[\w-]{22}"$/);
    for (const target of [path, "/v1/pets?categoryId=80"]) {
      const read = await call("GET", target, undefined, { "Accept-Encoding": "gzip" });
      const known = read.headers.get("etag") as string;
      expect(known).toStartWith('"');
      const same = await call("GET", target, undefined, { "If-None-Match": known });
      expect([same.status, same.text, same.headers.get("etag")]).toEqual([304, "", known]);
      expect(same.headers.has("x-ratelimit-remaining")).toBe(true);
    }
    const updated = await call("PATCH", path, { name: "Max" }, { "If-Match": tag });
    expect(updated.status).toBe(200);
    for (const key of [{}, { "Idempotency-Key": "stale tag" }])
      expectError(
        "412",
        await call("DELETE", path, undefined, { "If-Match": tag, ...key }),
        412,
        "precondition_failed",
      );
    const current = updated.headers.get("etag") as string;
    expect(await call("DELETE", path, undefined, { "If-Match": current })).toMatchObject({ status: 204, text: "" });
  });

  test("a PATCH and a DELETE with an Idempotency-Key answer their copies", async () => {
    const { text } = await call("POST", "/v1/pets", { name: "Rex", categoryId: 79 });
    const path = `/v1/pets/${JSON.parse(text).id}`;
    for (const [method, status, body] of [
      ["PATCH", 200, { name: "Max" }],
      ["DELETE", 204, undefined],
    ] as const) {
      const key = { "Idempotency-Key": `${method} ${path}` };
      const first = await call(method, path, body, key);
      const copy = await call(method, path, body, key);
      expect([first.status, copy.status, copy.text]).toEqual([status, status, first.text]);
      expect(copy.headers.get("idempotency-replayed")).toBe("true");
    }
    expectError("DELETE", await call("DELETE", path), 404, "pet_not_found");
  });

  test("what an instance answers as an Error reaches the client as it is: 400, 401, 404, 413", async () => {
    expectError("400", await call("POST", "/v1/pets", { name: 1 }), 400, "invalid_value");
    expectError("404", await call("GET", "/v1/pets/9999999"), 404, "pet_not_found");
    expectError("413", await call("POST", "/v1/pets", { name: "x".repeat(300_000) }), 413, "payload_too_large");
    expectError("401", await sendRaw(nginx.origin, "GET /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n"), 401, "missing_api_key");
  });

  test("what the HTTP parser of an instance answers by itself keeps its status, and gets a request id", async () => {
    const bare = {
      400: "GET /v1/pets HTTP/1.1\r\nHost: a\r\nX-Odd: a\x01b\r\n\r\n",
      431: `GET /v1/pets HTTP/1.1\r\nHost: a\r\n${"X: a\r\n".repeat(250)}\r\n`,
    };
    for (const [status, bytes] of Object.entries(bare)) {
      const answer = await sendRaw(nginx.origin, bytes);
      expect(answer?.status).toBe(Number(status));
      expect(answer?.headers.get("x-request-id")).toMatch(/^[0-9a-f]{32}$/);
      expect(answer?.headers.get("cache-control")).toBe("no-store");
    }
  });

  test("instances that were killed or stopped cost no request", async () => {
    const [first, second] = fleet as [RunningService, RunningService];
    for (const [instance, signal] of [
      [first, "SIGKILL"],
      [second, "SIGTERM"],
    ] as const) {
      await instance.kill(signal);
      for (let i = 0; i < 40; i++) {
        expect((await call("GET", "/v1/pets?limit=1")).status).toBe(200);
        expect((await call("POST", "/v1/pets", { name: "Rex", categoryId: 1 })).status).toBe(201);
      }
    }
  });
});
