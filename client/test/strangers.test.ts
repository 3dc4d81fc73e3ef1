import { describe, expect, test } from "bun:test";
import { atEnd } from "../../test/harness/cleanup.ts";
import { AnimalStore, type AnimalStoreOptions } from "../src/index.ts";

const baseUrl = "http://127.0.0.1:1/v1";

/** A client that gets these answers in turn, the last one again and again, and waits for nothing. */
function clientWith(...answers: readonly (() => Response)[]) {
  let sent = 0;
  const fetch: AnimalStoreOptions["fetch"] = async () => (answers[sent++] ?? answers.at(-1) ?? Response.error)();
  const clock = { now: () => 0, sleep: async () => {} };
  return new AnimalStore({ baseUrl, apiKey: "pk", clock, fetch, onDeprecated: () => {} });
}

function startServer(fetch: () => Response) {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch });
  atEnd(() => server.stop(true));
  return server;
}

describe("reading what a stranger sent takes time in proportion to its length", () => {
  const PARTS = ["<?cursor=", "<", "<>;", '<a?cursor=b>; rel="', '"', '"a";r=1', '"a";q=', "1", "; ", ",", "?&", "{,"];
  const HEADERS = [
    "Link",
    "RateLimit",
    "RateLimit-Policy",
    "Retry-After",
    "Date",
    "Sunset",
    "Content-Type",
    "X-Request-Id",
  ];

  /** Doubles the input, and stops before a reader whose time grows faster would take seconds. */
  async function expectLinear(answerWith: (text: string) => Response, part: string): Promise<void> {
    for (let length = 128; length <= 65_536; length *= 2) {
      const answer = answerWith(`${part.repeat(length / part.length)}x`);
      const before = process.cpuUsage();
      await clientWith(() => answer)
        .pets.list({}, { retries: 0 })
        .catch(() => {});
      const { user } = process.cpuUsage(before);
      expect([length, user < 300_000]).toEqual([length, true]);
    }
  }

  test.each(HEADERS)("in %s", async (name) => {
    for (const part of PARTS)
      await expectLinear((text) => {
        const headers = new Headers({ "Content-Type": "application/json", Deprecation: "@1" });
        headers.set(name, text);
        return new Response("[]", { headers });
      }, part);
  });

  test("in RateLimit and its policy, which are read together", async () => {
    for (const policy of PARTS)
      for (const part of PARTS)
        await expectLinear((text) => {
          const headers = { "RateLimit-Policy": policy.repeat(text.length / policy.length), RateLimit: text };
          return Response.json([], { headers });
        }, part);
  });

  test("in the body", async () => {
    for (const part of [...PARTS, '{"id":', '{"id":1', "{ "])
      await expectLinear((name) => Response.json([{ id: 2 ** 60, name }]), part);
  });
});

test("a link is found among others, and only its query is used", async () => {
  const LINKS: readonly (readonly [link: string, cursor: string | undefined])[] = [
    ['<https://a.example/v1/pets?limit=2&cursor=0a>; rel="next"', "0a"],
    ["</v1/pets?cursor=0a&limit=2>;rel=next", "0a"],
    ['<https://a.example/docs?cursor=1>; rel="deprecation", </pets?cursor=0a>; rel="next"', "0a"],
    ['</pets?cursor=0a>; rel="prev"', undefined],
    ['</pets?cursor=0a>; rel="nextish"', undefined],
    ['</pets?cursor=>; rel="next"', undefined],
    ['</pets?limit=2>; rel="next"', undefined],
    ['</cursor=0a>; rel="next"', undefined],
    ['</pets?cursor=0a; rel="next"', undefined],
  ];
  for (const [Link, cursor] of LINKS) {
    const { nextCursor } = await clientWith(() => Response.json([], { headers: { Link } })).pets.list();
    expect([Link, nextCursor]).toEqual([Link, cursor]);
  }
});

describe("an answer that calls itself JSON, and is not", () => {
  const json = { "Content-Type": "application/json" };
  const page = (status: number) => (): Response => new Response("<html>", { status, headers: json });
  const empty = (status: number) => (): Response => new Response(null, { status, headers: json });

  test("is an answer all the same if its status has no body", async () => {
    const { data, attempts } = await clientWith(empty(204)).pets.delete(1).withResponse();
    expect([data, attempts]).toEqual([undefined, 1]);
    const same = await clientWith(empty(304)).orders.get(1, { ifNoneMatch: '"1"' }).withResponse();
    expect([same.data, same.status, same.attempts]).toEqual([undefined, 304, 1]);
  });

  test.each([301, 400, 403, 404, 500])("is a stranger's with status %d, and not asked for again", async (status) => {
    const error = await clientWith(page(status))
      .pets.delete(1)
      .catch((error: unknown) => error);
    expect(error).toMatchObject({ code: "unexpected_response", status, attempts: 1 });
  });

  test("is retried if its status says so, and if it is half of a success", async () => {
    const busy = await clientWith(page(503))
      .pets.list()
      .catch((error: unknown) => error);
    expect(busy).toMatchObject({ code: "unexpected_response", status: 503, attempts: 5 });
    const half = await clientWith(page(200))
      .pets.list()
      .catch((error: unknown) => error);
    expect(half).toMatchObject({ code: "connection_failed", attempts: 5 });
  });
});

describe("a success with data of another kind is a stranger's", () => {
  const stranger = (status: number) => ({ code: "unexpected_response", status, attempts: 1 });
  const failure = (call: Promise<unknown>): Promise<unknown> => call.then(String, (error: unknown) => error);
  const OTHER = [{ items: [] }, {}, "text", 1, true, null];

  test.each(OTHER.map((body) => [body]))("to a list: %p", async (body) => {
    const { pets, orders } = clientWith(() => Response.json(body));
    expect(await failure(pets.find(1))).toMatchObject(stranger(200));
    expect(await failure(pets.list())).toMatchObject(stranger(200));
    expect(await failure(Array.fromAsync(orders.list()))).toMatchObject(stranger(200));
  });

  test("to the next page of a list", async () => {
    const headers = { Link: '</v1/pets?cursor=2>; rel="next"' };
    const { pets } = clientWith(
      () => Response.json([{ id: 1 }], { headers }),
      () => Response.json({ items: [] }),
    );
    expect(await failure(Array.fromAsync(pets.list()))).toMatchObject(stranger(200));
  });

  test("to a read of one resource: a list, or no object", async () => {
    for (const body of [[], [{ id: 1 }], "text", 1, true, null])
      expect(await failure(clientWith(() => Response.json(body)).orders.get(1))).toMatchObject(stranger(200));
  });

  test("and so is a 304 to whoever named no etag", async () => {
    const { orders, pets } = clientWith(() => new Response(null, { status: 304 }));
    for (const call of [orders.get(1), pets.find(1), pets.list(), Array.fromAsync(pets.list())]) {
      const error = await failure(call);
      expect(error).toMatchObject(stranger(304));
      expect(String(error)).toContain("A cache answered, with status 304.");
    }
  });
});

describe("a proxy may", () => {
  test("write media types in any case", async () => {
    for (const type of ["Application/JSON", "APPLICATION/JSON; CHARSET=UTF-8"]) {
      const answer = (): Response => new Response("[]", { headers: { "Content-Type": type } });
      expect((await clientWith(answer).pets.list()).items).toEqual([]);
    }
  });

  test("put spaces into RateLimit and its policy", async () => {
    const headers = { "RateLimit-Policy": '"minute"; q=60; w=60', RateLimit: '"minute"; r=59;  t=30' };
    const store = clientWith(() => Response.json([], { headers }));
    await store.pets.list();
    expect(store.limits.windows).toEqual({ minute: { limit: 60, remaining: 59, resetsInMs: 30_000 } });
  });

  test("compress an answer, and leave its length out", async () => {
    const { url } = startServer(() => {
      const headers = { "Content-Type": "application/json", "Content-Encoding": "gzip" };
      return new Response(new Blob([Bun.gzipSync('[{"id":1,"name":"Zoë"}]')]).stream(), { headers });
    });
    const store = new AnimalStore({ baseUrl: `${url}v1`, apiKey: "pk" });
    expect((await store.pets.list()).items).toMatchObject([{ id: "1", name: "Zoë" }]);
  });
});

describe("a body that is too long for the service", () => {
  const MB = " ".repeat(1_000_000);

  test("is not read to its end, however it is sent", async () => {
    let pulled = 0;
    const endless = (): ReadableStream =>
      new ReadableStream({
        pull: (controller) => {
          pulled++;
          controller.enqueue(new TextEncoder().encode(MB));
        },
      });
    const HEADERS: readonly Record<string, string>[] = [{}, { "Content-Length": "9000000" }];
    for (const more of HEADERS) {
      pulled = 0;
      const headers = { "Content-Type": "application/json", ...more };
      const error = await clientWith(() => new Response(endless(), { headers }))
        .pets.list()
        .catch((error: unknown) => error);
      expect(error).toMatchObject({ code: "unexpected_response", status: 200, attempts: 1 });
      expect(pulled).toBeLessThan(10);
    }
  });

  test("is found out on a page of another origin, where nobody sees that it is compressed", async () => {
    let pulled = 0;
    const pull = (controller: ReadableStreamDefaultController): void => {
      controller.enqueue(new TextEncoder().encode(MB));
      if (++pulled === 30) controller.close();
    };
    const headers = { "Content-Type": "application/json", "Content-Length": "30000" };
    const answer = new Response(new ReadableStream({ pull }), { headers });
    const error = await clientWith(() => Object.defineProperty(answer, "type", { value: "cors" }))
      .pets.list({}, { retries: 0 })
      .catch((error: unknown) => error);
    expect(error).toMatchObject({ code: "unexpected_response", status: 200 });
    expect(pulled).toBeLessThan(10);
  });

  test("is found out although it is compressed", async () => {
    const bomb = Bun.gzipSync(`[${MB.repeat(30)}]`);
    const headers = { "Content-Type": "application/json", "Content-Encoding": "gzip" };
    const { url } = startServer(() => new Response(bomb, { headers }));
    const store = new AnimalStore({ baseUrl: `${url}v1`, apiKey: "pk" });
    const error = await store.pets.list().catch((error: unknown) => error);
    expect(error).toMatchObject({ code: "unexpected_response", status: 200, attempts: 1 });
  });
});

test("an id with leading zeros is told what is the matter", async () => {
  const { orders } = clientWith(() => Response.json({}));
  expect(await orders.get("007").catch(String)).toStartWith('TypeError: orderId is "007". Leave out the leading zeros');
  expect(await orders.get("-01").catch(String)).toContain("Leave out the leading zeros");
  expect(await orders.get("0x7").catch(String)).toContain("It must be a 64-bit integer");
});

describe("a write that was done, and whose answer is damaged", () => {
  const rex = (): Response => Response.json({ id: 1, name: "Rex" }, { status: 201 });
  const body = '{"id":1,"name":"Rex"}';
  const json = "application/json";
  const DAMAGED: Readonly<Record<string, () => Response>> = {
    "in its type": () => new Response(body, { status: 201, headers: { "Content-Type": "appliHTTP/1.1 201 Created" } }),
    "in its type, which is then that of text": () =>
      new Response(body, { status: 201, headers: { "Content-Type": "text/plain;charset=utf-8" } }),
    "in its type, which is then missing": () => new Response(new TextEncoder().encode(body), { status: 201 }),
    "in its body": () => new Response(body.slice(0, 9), { status: 201, headers: { "Content-Type": json } }),
    "in its body, which is then empty": () => new Response("", { status: 201, headers: { "Content-Type": json } }),
    "in its body, which is then a list": () => Response.json([], { status: 201 }),
    "in its body, which is then nothing": () => Response.json(null, { status: 201 }),
    "in its status": () => new Response(null, { status: 204 }),
    "by a page of a proxy": () => new Response("<html>", { headers: { "Content-Type": "text/html" } }),
  };

  test.each(Object.entries(DAMAGED))("%s, is asked for its answer again, with the same key", async (_, damaged) => {
    const keys: (string | null)[] = [];
    const fetch: AnimalStoreOptions["fetch"] = async (_, { headers }) =>
      keys.push(new Headers(headers).get("idempotency-key")) === 1 ? damaged() : rex();
    const store = new AnimalStore({ baseUrl, apiKey: "pk", fetch, clock: { now: () => 0, sleep: async () => {} } });
    expect(await store.pets.create({ name: "Rex", categoryId: 7 })).toMatchObject({ id: "1" });
    expect(keys).toEqual([expect.any(String), keys[0]]);
  });

  test.each(Object.entries(DAMAGED))("%s, again and again, is in doubt, and no stranger's", async (_, damaged) => {
    const call = clientWith(damaged).pets.create({ name: "Rex", categoryId: 7 });
    const error = await call.catch((error: unknown) => error);
    expect(error).toMatchObject({ code: "connection_failed", attempts: 5, idempotencyKey: expect.any(String) });
  });

  test("is not that to a read, which asks again, and says nothing of a write if it gets no other one", async () => {
    const damaged = () => new Response(body, { status: 201, headers: { "Content-Type": "text/plain" } });
    const list = () => Response.json([{ id: 1, name: "Rex" }]);
    const { status, attempts } = await clientWith(damaged, list).pets.list().withResponse();
    expect([status, attempts]).toEqual([200, 2]);
    const error = await clientWith(damaged)
      .pets.list()
      .catch((error: unknown) => error);
    expect(error).toMatchObject({ code: "connection_failed", status: 201, attempts: 5 });
    expect(String(error)).toBe(
      "AnimalStoreError: Something else answered, or damaged the answer, with status 201. Check baseUrl, and any proxy.",
    );
  });

  test("a delete is only done with 204: another success is the answer to something else", async () => {
    const answers = [rex, () => Response.json([]), () => new Response(null, { status: 204 })];
    expect(
      await clientWith(...answers)
        .pets.delete(1)
        .withResponse(),
    ).toMatchObject({ status: 204, attempts: 3 });
  });
});

describe("a proxy that lost its connection to the service", () => {
  const failure = (status: number) => {
    const { pets } = clientWith(() => new Response("<html>", { status, headers: { "Content-Type": "text/html" } }));
    const failed = (call: Promise<unknown>) => call.catch(({ message }) => message);
    return Promise.all([
      failed(pets.list()),
      failed(pets.create({ name: "Rex", categoryId: 7 })),
      failed(pets.delete(1)),
    ]);
  };

  test.each([500, 502, 503, 504])(
    "says with %d that a write may have been done, and nothing of the sort of a read",
    async (status) => {
      const [read, ...writes] = await failure(status);
      expect(read).toBe(`Something else answered, with status ${status}. Check baseUrl, and any proxy.`);
      for (const message of writes)
        expect(message).toBe(
          `Something else answered, with status ${status}: the write may have been done. Call again with idempotencyKey, or check baseUrl, and any proxy.`,
        );
    },
  );

  test.each([308, 403, 404])("has not done what it refuses with %d", async (status) => {
    for (const message of await failure(status))
      expect(message).toEndWith(`, with status ${status}. Check baseUrl, and any proxy.`);
  });
});
