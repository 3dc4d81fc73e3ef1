import { describe, expect, test } from "bun:test";
import { type AddressInfo, createServer } from "node:net";
import { atEnd } from "../../test/harness/cleanup.ts";
import { AnimalStore, type AnimalStoreOptions, type Category, type HttpMethod, type Pet } from "../src/index.ts";
import { startTarget } from "./harness/target.ts";

interface Sent {
  readonly line: string;
  readonly headers: Headers;
}

/** A client of a new service, and what it sends. */
async function start(options: AnimalStoreOptions = {}) {
  const service = await startTarget();
  const sent: Sent[] = [];
  const store = new AnimalStore({
    baseUrl: `${service.origin}/v1`,
    apiKey: service.boundless,
    retries: 0,
    fetch: async (url, init) => {
      sent.push({ line: `${init.method} ${url.replace(/.*\/v1/, "")}`, headers: new Headers(init.headers) });
      return fetch(url, init);
    },
    ...options,
  });
  return { service, store, sent };
}

const REX = { name: "Rex", categoryId: "9007199254740993" };

describe("a request of one's own", () => {
  test("reads and writes what there are methods for, with exact ids and answers around the data", async () => {
    const { store, sent } = await start();
    const { data: rex, status, etag } = await store.request<Pet>("POST", "/pets", { body: REX }).withResponse();
    expect([rex, status]).toEqual([{ id: "1", status: "available", ...REX }, 201]);
    expect(await store.request<Pet[]>("GET", "/pets", { query: { id: [1, 2n], limit: 5 } })).toEqual([rex]);
    expect(await store.request("PATCH", "/pets/1", { body: { name: "Rexi" }, ifMatch: etag })).toMatchObject({
      name: "Rexi",
    });
    expect(await store.request<Category>("PUT", "/categories/7", { body: { name: "Dogs" } })).toEqual({
      id: "7",
      name: "Dogs",
    });
    expect(await store.request("DELETE", "/pets/1")).toBeUndefined();
    expect(sent.map(({ line }) => line)).toEqual([
      "POST /pets",
      "GET /pets?id=1&id=2&limit=5",
      "PATCH /pets/1",
      "PUT /categories/7",
      "DELETE /pets/1",
    ]);
    expect(sent.map(({ headers }) => headers.has("idempotency-key"))).toEqual([true, false, true, true, true]);
  });

  test("takes an etag, an idempotency key and the service's errors as any call does", async () => {
    const { store } = await start();
    const create = () => store.request<Pet>("POST", "/pets", { body: REX, idempotencyKey: "once" });
    expect(await Promise.all([await create(), create()])).toMatchObject([{ id: "1" }, { id: "1" }]);
    const { etag } = await store.request("GET", "/pets").withResponse();
    expect(await store.request("GET", "/pets", { ifNoneMatch: etag })).toBeUndefined();
    expect(await store.request("GET", "/nothing").catch((error: unknown) => error)).toMatchObject({
      code: "not_found",
      status: 404,
    });
  });

  test("that could lead elsewhere is a TypeError, and nothing is sent", async () => {
    const { store, sent } = await start();
    const refused = ["", "pets", "/../console", "/pets/../..", "/%2e%2e/x", "/pets?id=1", "/#x", "/a b", "/ä"];
    for (const path of refused)
      expect(await store.request("GET", path).catch(String)).toStartWith(`TypeError: path is ${JSON.stringify(path)}.`);
    // A path with two slashes stays below the base URL, and has nothing there.
    expect(await store.request("GET", "//host/pets").catch(({ code }) => code)).toBe("not_found");
    expect(await store.request("get" as "GET", "/pets").catch(String)).toStartWith('TypeError: method is "get".');
    expect(await store.request("GET", "/pets", { query: { id: [] } }).catch(String)).toStartWith(
      "TypeError: id is empty.",
    );
    expect(sent.map(({ line }) => line)).toEqual(["GET //host/pets"]);
  });
});

describe("the success of a request of one's own", () => {
  const JSON_TYPE = { "Content-Type": "application/json" };
  const bare =
    (status: number, headers: Record<string, string> = {}) =>
    () =>
      new Response(null, { status, headers });
  const answered = (method: HttpMethod, answer: () => Response) =>
    new AnimalStore({
      baseUrl: "http://127.0.0.1:1/v1",
      apiKey: "pk",
      fetch: async () => answer(),
      clock: { now: () => 0, sleep: async () => {} },
    })
      .request(method, "/toys")
      .withResponse();
  const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
  const SUCCESSES: readonly (readonly [what: string, answer: () => Response, data: unknown])[] = [
    ["204", bare(204), undefined],
    ["200 without a body", bare(200), undefined],
    ["202 without a body", bare(202), undefined],
    [
      "202 without a body, which is said to be JSON",
      () => new Response("", { status: 202, headers: JSON_TYPE }),
      undefined,
    ],
    ["205", bare(205), undefined],
    ["200 with an object", () => Response.json({ id: 2 ** 53 - 1 }), { id: "9007199254740991" }],
    ["201 with a list", () => Response.json([{ id: 1 }], { status: 201 }), [{ id: "1" }]],
  ];

  test.each(SUCCESSES)("may be %s, whatever its method", async (_, answer, data) => {
    for (const method of METHODS) {
      const { attempts, ...answerOf } = await answered(method, answer);
      expect([method, answerOf.data, attempts]).toEqual([method, data, 1]);
    }
  });

  test("is none if it is not the service's, or half of it: a write is then in doubt", async () => {
    const DAMAGED = [
      () => new Response("<html>", { headers: { "Content-Type": "text/html" } }),
      () => new Response('{"id":', { headers: JSON_TYPE }),
      () => new Response(new TextEncoder().encode('{"id":')),
      () => new Response("{}", { headers: { "Content-Type": "applica" } }),
      () => Response.json(null),
      () => Response.json("done"),
      // The answer to a preflight.
      bare(204, { Allow: "POST" }),
    ];
    for (const method of METHODS.slice(1))
      for (const answer of DAMAGED) {
        const error = await answered(method, answer).catch((error: unknown) => error);
        expect(error).toMatchObject({ code: "connection_failed", attempts: 5 });
      }
  });

  test("has no body on the wire, however the server says so", async () => {
    const endings = ["Content-Length: 0", "Transfer-Encoding: chunked", "X-Length: none"];
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => {
        const ending = endings.shift() ?? "";
        socket.end(
          `HTTP/1.1 202 Accepted\r\nConnection: close\r\n${ending}\r\n\r\n${ending.endsWith("chunked") ? "0\r\n\r\n" : ""}`,
        );
      });
    });
    atEnd(() => server.close());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const store = new AnimalStore({ baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: "pk", retries: 0 });
    while (endings.length)
      expect(await store.request("POST", "/toys").withResponse()).toMatchObject({ data: undefined, status: 202 });
  });
});

describe("the headers of a call", () => {
  test("are sent with it alone, in place of the client's, and never in place of what the call needs", async () => {
    const { store, sent } = await start({ headers: { "X-Team": "desk", "X-Shift": "early" } });
    const headers = { "x-team": "night", "Content-Type": "text/plain", "Idempotency-Key": "mine" };
    await store.pets.create(REX, { headers });
    await store.pets.list({}, { headers: { "User-Agent": "robot" } });
    const seen = (name: string) => sent.map((each) => each.headers.get(name));
    expect(seen("x-team")).toEqual(["night", "desk"]);
    expect(seen("x-shift")).toEqual(["early", "early"]);
    expect(seen("content-type")).toEqual(["application/json", null]);
    expect(seen("user-agent")[1]).toBe("robot");
    expect(seen("idempotency-key")[0]).not.toBe("mine");
  });

  test("that cannot be sent are a TypeError without their values, and nothing is sent", async () => {
    const { store, sent } = await start();
    for (const [headers, message] of [
      [{ Authorization: "Bearer Zebra" }, "TypeError: headers has Authorization. Use apiKey."],
      [{ "X-Secret": "Zebra\nx" }, "TypeError: headers or userAgent must be printable ASCII."],
    ] as const) {
      const said = await store.key({ headers }).catch(String);
      expect(said).toBe(message);
    }
    expect(sent).toEqual([]);
  });
});

describe("a client with other options", () => {
  test("has the rest of the first one's, and leaves that as it was", async () => {
    const { store, sent } = await start({ headers: { "X-Team": "desk" } });
    const other = store.withOptions({ headers: { "X-Team": "night" } }).withOptions({ timeoutMs: 5_000 });
    await other.key();
    await store.key();
    expect(sent.map(({ headers }) => headers.get("x-team"))).toEqual(["night", "desk"]);
    expect(() => store.withOptions({ timeoutMs: 0 })).toThrow("timeoutMs is 0.");
  });

  test("shares the limits of its key, and has its own with another key, address or pacing", async () => {
    const { service, store } = await start();
    await store.key();
    const { secret } = await service.issueKey({ plan: "free" });
    const remaining = ({ limits }: AnimalStore) => limits.windows.minute?.remaining;
    expect(remaining(store)).toBeNumber();
    expect(remaining(store.withOptions({ retries: 2 }))).toBe(remaining(store));
    for (const options of [{ apiKey: secret }, { baseUrl: `${service.origin}/v1` }, { pacing: false }])
      expect(remaining(store.withOptions(options))).toBeUndefined();
    const free = store.withOptions({ apiKey: secret });
    expect((await free.key()).plan).toBe("free");
    expect(remaining(free)).toBe(59);
  });
});
