import { describe, expect, test } from "bun:test";
import { AnimalStore, type AnimalStoreOptions, type Category, type Pet } from "../src/index.ts";
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
