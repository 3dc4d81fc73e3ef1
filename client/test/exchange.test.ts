import { describe, expect, test } from "bun:test";
import { startService } from "../../test/harness/service/service.ts";
import { AnimalStore, type AnimalStoreOptions, type ConditionalReadOptions } from "../src/index.ts";
import { startStrangeServer } from "./harness/strange-server.ts";

const baseUrl = "http://127.0.0.1:1/v1";
const now = (): number => performance.now();
const clock = { now, sleep: async () => {} };
const json = (text: string): Response =>
  new Response(text, { headers: { "Content-Type": "application/json", "Content-Length": String(text.length) } });

describe("the answer to another request", () => {
  /** The outcome of a call whose responses have these request ids, derived from the ids sent so far. */
  async function outcome(...ids: readonly ((sent: readonly string[]) => string)[]): Promise<unknown> {
    const sent: string[] = [];
    const fetch: AnimalStoreOptions["fetch"] = async (_, { headers }) => {
      sent.push(new Headers(headers).get("x-request-id") ?? "");
      const id = ids[sent.length - 1]?.(sent) ?? "";
      return Response.json({ plan: `of ${sent.length}` }, { headers: { "X-Request-Id": id } });
    };
    const store = new AnimalStore({ baseUrl, apiKey: "pk", clock, fetch, retries: 1 });
    const call = store.key().withResponse();
    return call.then(
      ({ data, requestId }) => [data.plan, requestId === sent.at(-1) ? "ours" : requestId],
      ({ code, message }) => [code, message],
    );
  }
  const own = (sent: readonly string[]): string => sent.at(-1) ?? "";
  const FOREIGN = [
    "connection_failed",
    "The connection to http://127.0.0.1:1 failed: the answer is to another request. Does a cache or proxy repeat it?",
  ];

  test("of the same client is not taken for its own", async () => {
    expect(await outcome(own)).toEqual(["of 1", "ours"]);
    expect(await outcome((sent) => `${own(sent)}0`.slice(0, -2), own)).toEqual(["of 2", "ours"]);
    expect(
      await outcome(
        (sent) => own(sent).replace(/\d+$/, "7"),
        (sent) => sent[0] ?? "",
      ),
    ).toEqual(FOREIGN);
  });

  test("of another client in this process is not either: they share connections", async () => {
    let other = "";
    await new AnimalStore({
      baseUrl,
      apiKey: "pk",
      fetch: async (_, { headers }) => {
        other = new Headers(headers).get("x-request-id") ?? "";
        return Response.json({});
      },
    }).key();
    expect(
      await outcome(
        () => other,
        () => other,
      ),
    ).toEqual(FOREIGN);
  });

  test("is not suspected behind a proxy that has its own ids, adds to ours, or repeats them", async () => {
    expect(await outcome(() => "7c9e6679-7425-40de-944b")).toEqual(["of 1", "7c9e6679-7425-40de-944b"]);
    expect(await outcome((sent) => `${own(sent)}, ${own(sent)}`)).toEqual(["of 1", expect.stringContaining(", ")]);
    expect(await outcome((sent) => `${own(sent)}-edge7`)).toEqual(["of 1", expect.stringMatching(/-edge7$/)]);
    expect(await outcome(() => "")).toEqual(["of 1", "ours"]);
  });
});

describe("what is left behind", () => {
  test("10,000 calls with one signal have one listener, and leave none, whatever became of them", async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    let most = 0;
    const count = (method: "addEventListener" | "removeEventListener", change: number): void => {
      const original = signal[method].bind(signal);
      signal[method] = (...args: Parameters<AbortSignal["addEventListener"]>) => {
        listeners += change;
        most = Math.max(most, listeners);
        original(...args);
      };
    };
    count("addEventListener", 1);
    count("removeEventListener", -1);
    let calls = 0;
    const fetch = async (): Promise<Response> => {
      await Promise.resolve();
      if (++calls % 3 === 0) throw new Error("gone");
      return calls % 3 === 1 ? Response.json({ plan: "free" }) : new Response("<html>", { status: 502 });
    };
    const store = new AnimalStore({ baseUrl, apiKey: "pk", fetch, retries: 1, clock });
    for (let batch = 0; batch < 100; batch++)
      await Promise.all(Array.from({ length: 100 }, () => store.key({ signal }).catch(() => {})));
    expect(calls).toBeGreaterThan(10_000);
    // Node warns about more than ten listeners.
    expect(most).toBe(1);
    expect(listeners).toBe(0);
  });

  test("a page that never ends is not read, and its connection is closed", async () => {
    const { origin, connections } = await startStrangeServer();
    const store = new AnimalStore({ baseUrl: `${origin}/sends%20a%20page%20for%20ever/v1`, apiKey: "pk" });
    const error = await store.key().catch((error: unknown) => error);
    expect(error).toMatchObject({ code: "unexpected_response", status: 200, attempts: 1 });
    while (connections() > 0) await Bun.sleep(1);
  });

  test("a call that ran into its timeout closes its connection", async () => {
    const { origin, connections } = await startStrangeServer();
    const store = new AnimalStore({
      baseUrl: `${origin}/hangs%20in%20the%20body/v1`,
      apiKey: "pk",
      timeoutMs: 20,
      clock,
    });
    expect(await store.key().catch((error: unknown) => error)).toMatchObject({ code: "timeout", attempts: 5 });
    while (connections() > 0) await Bun.sleep(1);
  });

  test("a call that is aborted while its key is looked for sends nothing", async () => {
    const ending = new AbortController();
    let sent = 0;
    const store = new AnimalStore({
      baseUrl,
      apiKey: async () => {
        ending.abort("enough");
        return "pk";
      },
      onRequest: () => void sent++,
    });
    const error = await store.key({ signal: ending.signal }).catch((error: unknown) => error);
    expect(error).toMatchObject({ code: "aborted", cause: "enough", attempts: 0 });
    expect(sent).toBe(0);
  });
});

describe("a function of the caller that never ends, and heeds no signal", () => {
  const forever = (): Promise<never> => new Promise(() => {});
  const HANGING: Readonly<Record<string, [AnimalStoreOptions, { sent: number; from: string }]>> = {
    apiKey: [{ apiKey: forever }, { sent: 0, from: "apiKey" }],
    fetch: [{ fetch: forever }, { sent: 1, from: "http://127.0.0.1:1" }],
    "the body": [
      {
        fetch: async () => Object.defineProperty(json("{}"), "text", { value: forever }),
      },
      { sent: 1, from: "http://127.0.0.1:1" },
    ],
  };
  for (const [what, [options, { sent, from }]] of Object.entries(HANGING)) {
    const store = new AnimalStore({ baseUrl, apiKey: "pk", clock, ...options });

    test(`${what}: the signal ends the call`, async () => {
      const error = await store.key({ signal: AbortSignal.timeout(5) }).catch((error: unknown) => error);
      expect(error).toMatchObject({ code: "deadline_exceeded", attempts: sent });
    });

    test(`${what}: its timeout ends each attempt`, async () => {
      const error = await store.key({ timeoutMs: 5, retries: 1 }).catch((error: unknown) => error);
      expect(error).toMatchObject({ code: "timeout", attempts: 2 * sent });
      expect(String(error)).toContain(`No complete answer from ${from} within 5 ms.`);
    });
  }

  test("a key that comes after the timeout is not used", async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    let sent = 0;
    const count = (): void => void sent++;
    const fetch = async (): Promise<Response> => Response.json({});
    const store = new AnimalStore({ baseUrl, apiKey: () => promise, fetch, onRequest: count, retries: 0 });
    expect(await store.key({ timeoutMs: 5 }).catch(({ code }) => code)).toBe("timeout");
    resolve("pk");
    await Bun.sleep(0);
    expect(sent).toBe(0);
    await store.key();
    expect(sent).toBe(1);
  });
});

test("what was never sent is not lost: calls are held back no longer because of it", async () => {
  let isBroken = true;
  let waitedMs = 0;
  const sleep = async (ms: number): Promise<void> => {
    waitedMs += ms;
  };
  let ending = new AbortController();
  const store = new AnimalStore({
    baseUrl,
    apiKey: () => {
      if (isBroken) throw new Error("the vault is closed");
      return "pk";
    },
    onRequest: ({ operation }) => operation === "listOrders" && ending.abort(),
    fetch: async () => Response.json({}),
    clock: { now: () => waitedMs, sleep },
  });
  for (let call = 0; call < 40; call++) await expect(store.key()).rejects.toThrow("the vault is closed");
  isBroken = false;
  for (let call = 0; call < 40; call++) {
    ending = new AbortController();
    expect(await store.orders.list({}, { signal: ending.signal }).catch(({ code }) => code)).toBe("aborted");
  }
  await store.key();
  expect(waitedMs).toBe(0);
});

test("a timeout that no timer can hold is none", async () => {
  const service = await startService();
  const options = { baseUrl: `${service.origin}/v1`, apiKey: service.boundless, retries: 0 };
  for (const timeoutMs of [2 ** 31, Number.MAX_VALUE, Number.POSITIVE_INFINITY])
    expect(await new AnimalStore({ ...options, timeoutMs }).key()).toMatchObject({ plan: "enterprise" });
});

test("an answer that comes together with an abort or a timeout is taken", async () => {
  const ending = new AbortController();
  const fetch = async (): Promise<Response> => {
    const text = '{"plan":"free"}';
    const response = json(text);
    // The abort comes after the response is complete.
    const late = async (): Promise<string> => {
      ending.abort();
      return text;
    };
    return Object.defineProperty(response, "text", { value: late });
  };
  const store = new AnimalStore({ baseUrl, apiKey: "pk", fetch });
  expect(await store.key({ signal: ending.signal })).toMatchObject({ plan: "free" });
});

test("a delete that was done is done, also if a proxy takes the request id away; a preflight's answer is none", async () => {
  const answers = [
    new Response(null, { status: 204, headers: { Allow: "DELETE" } }),
    new Response(null, { status: 204 }),
  ];
  const fetch = async (): Promise<Response> => answers.shift() ?? Response.error();
  const { data, attempts } = await new AnimalStore({ baseUrl, apiKey: "pk", clock, fetch }).pets
    .delete(1)
    .withResponse();
  expect([data, attempts]).toEqual([undefined, 2]);
});

test("an answer without content is only one to a delete: any other call asks again", async () => {
  const answers = [new Response(null, { status: 204 }), Response.json([])];
  const fetch = async (): Promise<Response> => answers.shift() ?? Response.error();
  const { data, attempts } = await new AnimalStore({ baseUrl, apiKey: "pk", clock, fetch }).pets.list().withResponse();
  expect([data.items, attempts]).toEqual([[], 2]);
});

test("a message of OpenSSL gives way to its code", async () => {
  const cause = Object.assign(new Error("2030DDB9:error:0A00010B:SSL routines:record.c:350:\n"), { code: "ERR_SSL_X" });
  const fetch = (): Promise<never> => Promise.reject(new TypeError("fetch failed", { cause }));
  const error = await new AnimalStore({ baseUrl, apiKey: "pk", clock, fetch }).key().catch((error: unknown) => error);
  expect(String(error)).toEndWith(" failed: ERR_SSL_X");
});

test("find takes no ifNoneMatch, though TypeScript lets a variable pass that has it", async () => {
  let sent = new Headers();
  const fetch: AnimalStoreOptions["fetch"] = async (_, { headers }) => {
    sent = new Headers(headers);
    return sent.has("if-none-match") ? new Response(null, { status: 304 }) : Response.json([{ id: 1 }]);
  };
  const options: ConditionalReadOptions = { ifNoneMatch: '"1"' };
  expect(await new AnimalStore({ baseUrl, apiKey: "pk", fetch }).pets.find(1, options)).toMatchObject({ id: "1" });
});
