import { afterEach, describe, expect, spyOn, test } from "bun:test";
import { startService } from "../../test/harness/service/service.ts";
import {
  AnimalStore,
  AnimalStoreError,
  type AnimalStoreOptions,
  type FailureEvent,
  type RequestEvent,
} from "../src/index.ts";

const baseUrl = "http://127.0.0.1:1/v1";
const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  Response.json(body, { status, headers });

/** A client with scripted responses, for which waits take no real time, but simulated time passes. */
function clientOf(answers: readonly (() => Response | Promise<Response>)[], options: AnimalStoreOptions = {}) {
  let nowMs = 1_000;
  const sleeps: number[] = [];
  const sent: Headers[] = [];
  const clock = {
    now: () => nowMs,
    sleep: async (ms: number) => {
      sleeps.push(ms);
      nowMs += ms;
    },
  };
  const fetch = async (_: string, init: RequestInit): Promise<Response> => {
    const answer = answers[sent.length];
    sent.push(new Headers(init.headers));
    // The duration of an exchange.
    nowMs += 7;
    return answer ? answer() : json([]);
  };
  return { store: new AnimalStore({ baseUrl, apiKey: "pk", clock, fetch, ...options }), sleeps, sent };
}

const unavailable = (): Response =>
  json({ code: "service_unavailable", message: "Later." }, 503, { "Retry-After": "2" });

test("the events of a call, in order, with what they say", async () => {
  const events: unknown[] = [];
  const callIds = new Set<string>();
  const note = (kind: string) => (event: RequestEvent) => {
    callIds.add(event.callId);
    events.push([kind, { ...event, callId: undefined, headers: undefined }]);
  };
  const { store, sleeps } = clientOf([unavailable, () => json([], 200, { "X-Request-Id": "from-a-proxy" })], {
    onRequest: note("request"),
    onResponse: note("response"),
    onRetry: note("retry"),
  });
  await store.pets.list({ limit: 1 });
  const url = `${baseUrl}/pets?limit=1`;
  const about = { callId: undefined, operation: "listPets", method: "GET", url, headers: undefined };
  expect(events).toEqual([
    ["request", { ...about, attempt: 1 }],
    ["response", { ...about, attempt: 1, status: 503, durationMs: 7, requestId: expect.stringMatching(/^\S+\.\d+$/) }],
    ["retry", { ...about, attempt: 1, delayMs: sleeps[0], error: expect.any(AnimalStoreError) }],
    ["request", { ...about, attempt: 2 }],
    ["response", { ...about, attempt: 2, status: 200, durationMs: 7, requestId: "from-a-proxy" }],
  ]);
  expect(sleeps).toHaveLength(1);
  expect(sleeps[0]).toBeGreaterThanOrEqual(2_000);
  expect([...callIds]).toEqual([expect.stringMatching(/^\S+\.\d+$/)]);
  await store.pets.list();
  expect(callIds.size).toBe(2);
});

test("every wait is announced before it begins, with the wait that it is", async () => {
  const announced: number[] = [];
  const { store, sleeps } = clientOf([unavailable, unavailable, unavailable], {
    onRetry: ({ delayMs }) => {
      expect(sleeps).toEqual(announced);
      announced.push(delayMs);
    },
  });
  await store.pets.list();
  expect(announced).toHaveLength(3);
  expect(sleeps).toEqual(announced);
});

test("a hook may set headers of each attempt, but not the key", async () => {
  const { store, sent } = clientOf([unavailable], {
    onRequest: ({ headers, attempt }) => {
      headers.set("Traceparent", `00-${attempt}`);
      headers.set("X-Request-Id", `mine-${attempt}`);
      headers.set("Authorization", "Bearer somebody-else");
      headers.delete("User-Agent");
    },
  });
  await store.pets.list();
  expect(sent.map((headers) => headers.get("traceparent"))).toEqual(["00-1", "00-2"]);
  expect(sent.map((headers) => headers.get("x-request-id"))).toEqual(["mine-1", "mine-2"]);
  expect(sent.map((headers) => headers.get("authorization"))).toEqual(["Bearer pk", "Bearer pk"]);
  expect(sent.map((headers) => headers.has("user-agent"))).toEqual([false, false]);
});

test.each<[string, (headers: Headers) => void]>([
  ["change", (headers) => headers.set("Idempotency-Key", "another")],
  ["remove", (headers) => headers.delete("Idempotency-Key")],
])("a hook cannot %s the key that keeps a write from being done twice", async (_, onHeaders) => {
  const { store, sent } = clientOf([unavailable, () => json({ id: 1 }, 201)], {
    onRequest: ({ headers }) => onHeaders(headers),
  });
  await store.pets.create({ name: "Rex", categoryId: 7 }, { idempotencyKey: "mine" });
  expect(sent.map((headers) => headers.get("idempotency-key"))).toEqual(["mine", "mine"]);
});

test("a signal that is aborted in a hook ends the call, and nothing is sent", async () => {
  const ending = new AbortController();
  const { store, sent } = clientOf([], { onRequest: () => ending.abort("enough") });
  const error = await store.key({ signal: ending.signal }).catch((error: unknown) => error);
  expect(error).toMatchObject({ code: "aborted", cause: "enough" });
  expect(sent).toEqual([]);
});

test("the id that a hook sets is the one that a failure is found by", async () => {
  const { store } = clientOf([() => Promise.reject(new Error("gone"))], {
    onRequest: ({ headers }) => headers.set("X-Request-Id", "mine"),
  });
  const error = await store.pets.list({}, { retries: 0 }).catch((error: unknown) => error);
  expect(error).toMatchObject({ code: "connection_failed", requestId: "mine" });
});

describe("a call that fails for good", () => {
  const broken = (): Promise<never> => Promise.reject(new Error("gone"));
  const refused = (): Response => json({ code: "order_not_found", message: "None." }, 404, { "X-Request-Id": "there" });
  /** The events of a call that fails, and what it rejects with. */
  async function failing(
    answers: Parameters<typeof clientOf>[0],
    options: AnimalStoreOptions,
    call = (store: AnimalStore): Promise<unknown> => store.orders.get(7),
  ) {
    const events: FailureEvent[] = [];
    const heard: string[] = [];
    const { store } = clientOf(answers, {
      retries: 1,
      onRequest: ({ callId }) => void heard.push(callId),
      onFailure: (event) => void events.push(event),
      ...options,
    });
    const error: unknown = await call(store).catch((error: unknown) => error);
    return { error, events, heard };
  }

  test("is told once, whether an answer came or not, with the id that its attempts had", async () => {
    for (const [answers, attempt] of [
      [[broken, broken], 2],
      [[refused], 1],
    ] as const) {
      const { error, events, heard } = await failing(answers, {});
      const [callId = ""] = heard;
      expect(heard).toEqual(Array(attempt).fill(callId));
      expect(events).toEqual([
        {
          callId,
          operation: "getOrder",
          method: "GET",
          url: `${baseUrl}/store/orders/7`,
          attempt,
          error: error as Error,
        },
      ]);
      expect(events[0]?.error).toBe(error as Error);
    }
  });

  test("is told if it was never sent: it was aborted, would have to wait too long, or has no key", async () => {
    const vault = new Error("the vault is closed");
    const CASES: readonly (readonly [
      AnimalStoreOptions,
      ((store: AnimalStore) => Promise<unknown>) | undefined,
      object,
    ])[] = [
      [{}, (store) => store.key({ signal: AbortSignal.abort() }), { code: "aborted" }],
      [{}, (store) => store.pets.list().then(() => store.key({ maxWaitMs: 59_000 })), { code: "wait_too_long" }],
      [{ apiKey: () => Promise.reject(vault) }, undefined, vault],
    ];
    const usedUp = { "RateLimit-Policy": '"minute";q=60;w=60', RateLimit: '"minute";r=0;t=60' };
    for (const [options, call, expected] of CASES) {
      const { events } = await failing([() => json([], 200, usedUp)], options, call);
      expect(events).toMatchObject([{ attempt: 0, error: expected }]);
    }
    const { events } = await failing([], {}, (store) => store.pets.find("x"));
    // An argument that cannot be right is no call.
    expect(events).toEqual([]);
  });

  test("says in its error what was asked of whom, and what the answer's headers were, which are not printed", async () => {
    const { error } = await failing([refused], {});
    expect(error).toMatchObject({
      operation: "getOrder",
      method: "GET",
      url: `${baseUrl}/store/orders/7`,
      status: 404,
    });
    const { headers } = error as AnimalStoreError;
    expect(headers?.get("x-request-id")).toBe("there");
    expect(Object.keys(error as object)).not.toContain("headers");
    const silent = (await failing([broken, broken], {})).error as AnimalStoreError;
    expect([silent.operation, silent.headers]).toEqual(["getOrder", undefined]);
    const own = (await failing([refused], {}, (store) => store.request("GET", "/toys"))).error;
    expect(own).toMatchObject({ operation: "GET /toys", url: `${baseUrl}/toys` });
  });

  test("because its deadline has passed is told apart from one that was aborted", async () => {
    const hangs = (): Promise<never> => new Promise(() => {});
    const late = await failing([hangs], {}, (store) => store.key({ signal: AbortSignal.timeout(5) }));
    expect(late.error).toMatchObject({ code: "deadline_exceeded", attempts: 1, cause: { name: "TimeoutError" } });
    const aborted = await failing([], {}, (store) => store.key({ signal: AbortSignal.abort("no need") }));
    expect(aborted.error).toMatchObject({ code: "aborted", cause: "no need" });
  });
});

describe("the log", () => {
  /** Returns the log of this level about a call with a retry, a deprecated one and one that fails. */
  async function logged(logLevel: AnimalStoreOptions["logLevel"]) {
    const lines: [level: string, message: string, details: unknown][] = [];
    const level = (name: string) => (message: string, details?: unknown) => void lines.push([name, message, details]);
    const logger = { debug: level("debug"), info: level("info"), warn: level("warn"), error: level("error") };
    const mistaken = (): void => {
      throw new Error("a mistake");
    };
    const answers = [unavailable, () => json({ id: 1 }, 200, { Deprecation: "@1" }), () => json({}, 404)];
    const { store } = clientOf(answers, { apiKey: "pk_Zebra", logger, logLevel, onRetry: mistaken });
    await store.pets.get(1);
    await store.key().catch(() => {});
    await Bun.sleep(0);
    return lines;
  }
  const textsOf = (lines: Awaited<ReturnType<typeof logged>>): string[] =>
    lines.map(([level, message]) => `${level}: ${message.replace("animal-store-client: ", "")}`);

  test("has what its level asks for, each line with the call's id, and never the key", async () => {
    const all = await logged("debug");
    expect(textsOf(all).toSorted()).toEqual(
      [
        ...["debug: getPet is sent.", "debug: getPet was answered.", "info: getPet will be sent again."],
        ...["error: the onRetry hook failed.", "debug: getPet is sent.", "debug: getPet was answered."],
        ...[
          "warn: getPet is deprecated.",
          "debug: getKey is sent.",
          "debug: getKey was answered.",
          "info: getKey failed.",
        ],
      ].toSorted(),
    );
    const details = all.flatMap(([, message, details]) => (/getPet (is sent|was|will)/.test(message) ? [details] : []));
    expect(new Set(details.map((about) => (about as RequestEvent).callId)).size).toBe(1);
    expect(Bun.inspect(all, { depth: 9 })).not.toContain("Zebra");
    expect(textsOf(await logged("info"))).toHaveLength(4);
    const worst = ["warn: getPet is deprecated.", "error: the onRetry hook failed."];
    expect(textsOf(await logged("warn")).toSorted()).toEqual(worst.toSorted());
    expect(textsOf(await logged(undefined)).toSorted()).toEqual(worst.toSorted());
    expect(textsOf(await logged("error"))).toEqual(worst.slice(1));
    expect(await logged("off")).toEqual([]);
  });

  test("that cannot be written fails no call", async () => {
    const fail = (): never => {
      throw new Error("the disk is full");
    };
    const logger = { debug: fail, info: fail, warn: fail, error: fail };
    const { store } = clientOf([unavailable], { logger, logLevel: "debug", onRetry: fail });
    expect((await store.pets.list()).items).toEqual([]);
    await Bun.sleep(0);
  });
});

describe("a hook that fails", () => {
  const said = spyOn(console, "error").mockImplementation(() => {});
  afterEach(() => void said.mockClear());
  const unhandled: unknown[] = [];
  process.on("unhandledRejection", (error) => void unhandled.push(error));

  const mistake = new Error("a mistake");
  const FAILING = {
    throws: () => {
      throw mistake;
    },
    rejects: () => Promise.reject(mistake),
  };
  for (const [how, hook] of Object.entries(FAILING))
    test(`${how}: the call succeeds, and the mistake is told`, async () => {
      const options = { onRequest: hook, onResponse: hook, onRetry: hook, onDeprecated: hook };
      const { store } = clientOf([unavailable, () => json({ id: 1 }, 200, { Deprecation: "@1" })], options);
      expect(await store.pets.get(1)).toMatchObject({ id: "1" });
      await Bun.sleep(0);
      const names = ["onRequest", "onResponse", "onRetry", "onRequest", "onResponse", "onDeprecated"];
      expect(said.mock.calls).toEqual(names.map((name) => [`animal-store-client: the ${name} hook failed.`, mistake]));
      expect(unhandled).toEqual([]);
    });
});

describe("a deprecated operation", () => {
  test("is told once for each operation and client", async () => {
    const service = await startService();
    const told: object[] = [];
    const onDeprecated = (event: object): void => void told.push(event);
    const store = new AnimalStore({ baseUrl: `${service.origin}/v1`, apiKey: service.boundless, onDeprecated });
    const { id } = await store.pets.create({ name: "Rex", categoryId: 7 });
    await Promise.all([store.pets.get(id), store.pets.get(id), store.pets.get(id)]);
    await store.pets.get(0).catch(() => {});
    const removedAt = new Date("2030-12-05T00:00:00Z");
    expect(told).toEqual([{ operation: "getPet", removedAt, message: expect.stringContaining("2030-12-05") }]);
  });

  test("may say less, or nonsense", async () => {
    const told: (Date | undefined)[] = [];
    for (const sunset of ["soon", "", "Thu, 05 Dec 2030 00:00:00 GMT"])
      await clientOf([() => json({}, 200, { Deprecation: "@1", Sunset: sunset, Link: "<x" })], {
        onDeprecated: ({ removedAt }) => void told.push(removedAt),
      }).store.key();
    expect(told).toEqual([undefined, undefined, new Date("2030-12-05T00:00:00Z")]);
  });
});

describe("an own fetch", () => {
  const STRANGE: Readonly<Record<string, () => unknown>> = {
    "throws at once": () => {
      throw new Error("no network");
    },
    rejects: () => Promise.reject(new Error("no network")),
    "rejects with a text": () => Promise.reject("no network"),
    "rejects with nothing": () => Promise.reject(undefined),
    "returns nothing": () => undefined,
    "returns something else": () => ({ ok: true }),
    "has an unreadable body": () =>
      new Response(new ReadableStream({ pull: (controller) => controller.error(new Error("no network")) }), {
        headers: { "Content-Type": "application/json" },
      }),
  };
  for (const [how, fetch] of Object.entries(STRANGE))
    test(`that ${how} is a failed connection`, async () => {
      const { store } = clientOf([], { fetch: fetch as () => Promise<Response>, retries: 2 });
      const error = await store.pets.list().catch((error: unknown) => error);
      expect(error).toMatchObject({ code: "connection_failed", attempts: 3 });
      expect(String(error)).toStartWith("AnimalStoreError: The connection to http://127.0.0.1:1 failed: ");
    });
});
