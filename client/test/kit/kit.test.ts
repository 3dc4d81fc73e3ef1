import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { AnimalStore, type AnimalStoreError, type AnimalStoreOptions } from "../../src/index.ts";
import type { TestStoreOptions } from "../../src/testing.ts";
import { PACKED } from "../harness/package.ts";
import { createTestStore } from "../harness/target.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const start = (options?: TestStoreOptions, own: AnimalStoreOptions = {}) => {
  const kit = createTestStore(options);
  return { kit, store: new AnimalStore({ ...kit, onDeprecated: () => {}, ...own }) };
};

const failure = (promise: PromiseLike<unknown>): Promise<AnimalStoreError> =>
  Promise.resolve(promise).then(
    () => Promise.reject(new Error("it succeeded")),
    (error) => error,
  );

describe("a test store", () => {
  test("is empty, with a Business key, at a time that is always the same", async () => {
    const { kit, store } = start();
    expect(kit.clock.date()).toEqual(new Date("2026-11-15T09:30:00Z"));
    expect(await store.key()).toMatchObject({ name: "test", plan: "business", strikesLeft: 1000 });
    expect((await store.pets.list()).items).toEqual([]);
    await store.pets.create({ name: "Rex", categoryId: 7 });
    const order = await store.orders.place({ petId: 1 });
    expect(order).toMatchObject({ id: "1", placedAt: "2026-11-15T09:30:00.000Z" });
    expect((await start().store.pets.list()).items).toEqual([]);
  });

  test("has the key, the time and the quotas that it is asked for", async () => {
    const now = new Date("2030-12-04T23:59:30Z");
    const { kit, store } = start({ plan: "free", name: "desk", scopes: ["pets:read"], now });
    expect(await store.key()).toMatchObject({
      ...{ name: "desk", plan: "free", scopes: ["pets:read"] },
      quotas: [{ limit: 60, resetAt: "2030-12-05T00:00:30.000Z" }, { limit: 1000 }],
    });
    expect((await failure(store.pets.get(1))).code).toBe("pet_not_found");
    kit.clock.advance(MINUTE_MS);
    expect((await failure(store.pets.get(1))).code).toBe("operation_removed");
    expect((await failure(store.pets.create({ name: "Rex", categoryId: 7 }))).code).toBe("insufficient_scope");
    const second = kit.issueKey({ plan: "enterprise", quotas: { perMinute: 2, perDay: 5 } });
    const other = store.withOptions({ apiKey: second });
    await other.pets.create({ name: "Rex", categoryId: 7 });
    expect(other.limits.windows.day).toMatchObject({ limit: 5, remaining: 4 });
    const expiring = kit.issueKey({ expiresAt: new Date(kit.clock.date().getTime() + 1) });
    expect((await store.withOptions({ apiKey: expiring }).key()).plan).toBe("business");
    kit.clock.advance(1);
    expect((await failure(store.withOptions({ apiKey: expiring }).key())).code).toBe("invalid_api_key");
  });

  test("lets the holder of a key rotate its secret, if it has the right to, by the rules of the service", async () => {
    const { kit, store } = start();
    expect((await failure(store.rotateKey())).code).toBe("insufficient_scope");
    const first = store.withOptions({ apiKey: kit.issueKey({ rotation: true, name: "shop" }) });
    expect(await first.key()).toMatchObject({ name: "shop", rotation: true });
    const { secret, oldSecretExpiresAt } = await first.rotateKey({ overlapSeconds: 60 });
    expect(oldSecretExpiresAt).toBe("2026-11-15T09:31:00.000Z");
    let newest = first.withOptions({ apiKey: secret });
    expect((await failure(first.rotateKey())).code).toBe("secret_replaced");
    expect([(await first.key()).name, (await newest.key()).name]).toEqual(["shop", "shop"]);
    kit.clock.advance(MINUTE_MS);
    expect((await failure(first.key())).code).toBe("invalid_api_key");
    for (let rotation = 2; rotation <= 5; rotation++)
      newest = newest.withOptions({ apiKey: (await newest.rotateKey()).secret });
    expect(await failure(newest.rotateKey())).toMatchObject({ code: "too_many_rotations", status: 409 });
    kit.clock.advance(DAY_MS - MINUTE_MS);
    expect((await newest.rotateKey()).oldSecretExpiresAt).toBe("2026-11-17T09:30:00.000Z");
  });

  test("gives the new secret again to who repeats a rotation whose answer was lost, and makes no other", async () => {
    const { kit, store } = start({ rotation: true });
    kit.failNext("lose");
    const { data, isReplay, attempts } = await store.rotateKey().withResponse();
    expect([isReplay, attempts]).toEqual([true, 2]);
    expect(await store.withOptions({ apiKey: data.secret }).key()).toMatchObject({ name: "test" });
    expect((await failure(store.rotateKey())).code).toBe("secret_replaced");
  });

  test("refuses options that cannot be right, and says what they must be", () => {
    const wrong: readonly (readonly [unknown, RegExp])[] = [
      [{ plan: "gold" }, /^plan is gold\. It must be free, pro, business, enterprise\.$/],
      [{ plan: "free", quotas: { perMinute: 1, perDay: 1 } }, /^quotas cannot be given: those of free are fixed/],
      [{ plan: "enterprise", quotas: { perMinute: 2, perDay: 1 } }, /^quotas has a perMinute that is greater/],
      [{ plan: "enterprise", quotas: { perMinute: 0, perDay: 1 } }, /^quotas must have perMinute and perDay, each/],
      [{ scopes: ["pets:eat"] }, /^scopes has pets:eat/],
      [{ now: "yesterday" }, /^now is yesterday\. It must be a date\.$/],
      [{ expiresAt: new Date(Number.NaN) }, /^expiresAt is not a valid date\.$/],
    ];
    for (const [options, message] of wrong)
      expect(() => createTestStore(options as TestStoreOptions), JSON.stringify(options)).toThrow(message);
    const { kit } = start();
    for (const failure of ["explode", 200, 600, 404.5, null])
      expect(() => kit.failNext("drop", failure as never)).toThrow(/is no failure/);
    expect(() => kit.clock.advance(-1)).toThrow(/^ms is -1/);
  });

  test("records what it was asked, and what it answered", async () => {
    const { kit, store } = start();
    await store.pets.create({ name: "Rex", categoryId: 9007199254740993n }, { idempotencyKey: "k" });
    await store.pets.list({ limit: 5 });
    await failure(store.orders.get(9));
    kit.failNext("drop");
    await failure(store.categories.list({}, { retries: 0 }));
    expect(kit.requests.map(({ method, path, status, body }) => [method, path, status, body])).toEqual([
      ["POST", "/pets", 201, '{"name":"Rex","categoryId":9007199254740993}'],
      ["GET", "/pets?limit=5", 200, undefined],
      ["GET", "/store/orders/9", 404, undefined],
      ["GET", "/categories", undefined, undefined],
    ]);
    const [first] = kit.requests;
    expect([first?.headers.get("idempotency-key"), first?.headers.get("authorization")]).toEqual(["k", null]);
    expect(JSON.stringify(kit.requests.map(({ headers }) => [...headers]))).not.toContain(kit.apiKey);
  });
});

test("what became of a key's requests is known at once, by minute, hour and day", async () => {
  const { kit, store } = start(
    { plan: "enterprise", quotas: { perMinute: 3, perDay: 9 } },
    { pacing: false, retries: 0 },
  );
  await store.pets.create({ name: "Rex", categoryId: 7 });
  await failure(store.orders.get(9));
  kit.failNext(503);
  await failure(store.pets.list());
  await failure(store.pets.list());
  kit.clock.advance(MINUTE_MS);
  const usage = await store.request<object[]>("GET", "/key/usage", {
    query: { by: "minute", since: "2026-11-15T09:29:00Z" },
  });
  const [before, first, now] = usage;
  const counted = { requests: 4, passed: 1, clientErrors: 1, failed: 1, refused: 1, refusedBy: { minuteQuota: 1 } };
  expect(usage).toHaveLength(3);
  expect([before, now]).toMatchObject([{ requests: 0 }, { requests: 0 }]);
  expect(first).toMatchObject({ startedAt: "2026-11-15T09:30:00.000Z", ...counted });
  expect((await store.request<object[]>("GET", "/key/usage", { query: { by: "day" } })).at(-1)).toMatchObject({
    requests: 5,
  });
});

describe("its time", () => {
  test("passes by itself while calls wait for a quota, in no real time", async () => {
    const { kit, store } = start({ plan: "enterprise", quotas: { perMinute: 40, perDay: 100_000 } });
    const patient = store.withOptions({ maxWaitMs: Number.POSITIVE_INFINITY });
    await Promise.all(Array.from({ length: 200 }, () => patient.pets.list({ limit: 1 })));
    expect(kit.requests.every(({ status }) => status === 200)).toBeTrue();
    expect(kit.clock.now()).toBeGreaterThanOrEqual(4 * MINUTE_MS);
    expect(kit.clock.now()).toBeLessThan(6 * MINUTE_MS);
    expect((await patient.key()).strikesLeft).toBe(60);
  });

  test("brings strikes, bans and their end to a client without pacing", async () => {
    const { kit, store } = start({ plan: "free" }, { pacing: false, retries: 0 });
    const codes: string[] = [];
    for (let i = 0; i < 125; i++)
      codes.push(
        await store.key().then(
          ({ plan }) => plan,
          ({ code }) => code,
        ),
      );
    const count = (code: string): number => codes.filter((one) => one === code).length;
    expect([count("free"), count("rate_limit_exceeded"), count("key_banned")]).toEqual([60, 59, 6]);
    expect((await failure(store.key())).retryAfterMs).toBe(MINUTE_MS);
    kit.clock.advance(MINUTE_MS);
    expect((await store.key()).strikesLeft).toBe(60);
  });

  test("goes on for sleepers that are due, and not for one that was aborted", async () => {
    const { kit } = start();
    const woken: string[] = [];
    const ending = new AbortController();
    const sleeps = [
      kit.clock.sleep(5_000).then(() => woken.push("later")),
      kit.clock.sleep(1_000).then(() => woken.push("sooner")),
      kit.clock.sleep(10_000, ending.signal).then(() => woken.push("aborted")),
    ];
    ending.abort();
    await Promise.all(sleeps);
    expect([woken, kit.clock.now()]).toEqual([["aborted", "sooner", "later"], 5_000]);
  });

  test("keeps a saved answer for a day, and not for ever", async () => {
    const { kit, store } = start();
    const create = () => store.pets.create({ name: "Rex", categoryId: 7 }, { idempotencyKey: "k" }).withResponse();
    await create();
    kit.clock.advance(DAY_MS - 1);
    expect((await create()).isReplay).toBeTrue();
    kit.clock.advance(1);
    expect((await create()).isReplay).toBeFalse();
    expect((await store.pets.list()).items).toHaveLength(2);
  });
});

describe("what is to fail", () => {
  test("is what the client retries, and a write is done once however its answer got lost", async () => {
    const { kit, store } = start();
    const retried: unknown[] = [];
    const client = store.withOptions({
      retries: 9,
      onRetry: ({ error }) => void retried.push(error.status ?? error.code),
    });
    kit.failNext("drop", "lose", "truncate", 502, 503, 408, 504, "lose");
    const { attempts, isReplay } = await client.pets.create({ name: "Rex", categoryId: 7 }).withResponse();
    expect([attempts, isReplay]).toEqual([9, true]);
    const lost = "connection_failed";
    expect(retried).toEqual([lost, lost, lost, 502, 503, 408, 504, lost]);
    expect((await client.pets.list()).items).toHaveLength(1);
  });

  test("can be the service itself, a proxy, a given answer, or silence", async () => {
    const { kit, store } = start({}, { retries: 0 });
    const fails = async (...failures: Parameters<typeof kit.failNext>) => {
      kit.failNext(...failures);
      const { code, status, retryAfterMs } = await failure(store.pets.list({}, { timeoutMs: 20 }));
      return [code, status, retryAfterMs];
    };
    expect(await fails(503)).toEqual(["service_unavailable", 503, expect.any(Number)]);
    expect(await fails(500)).toEqual(["internal_error", 500, undefined]);
    expect(await fails(404)).toEqual(["unexpected_response", 404, undefined]);
    const tired = { code: "llama_is_tired", message: "Let it sleep.", status: 418 };
    expect(await fails(Response.json(tired, { status: 418 }))).toEqual(["llama_is_tired", 418, undefined]);
    expect(await fails("hang")).toEqual(["timeout", undefined, undefined]);
    kit.failNext("pass", "drop");
    expect((await store.pets.list()).items).toEqual([]);
    expect((await failure(store.pets.list())).code).toBe("connection_failed");
    // A failure of the service counts as a request, and so says how the key stands.
    const remaining = async () => (await store.key()).quotas[0]?.remaining ?? 0;
    const before = await remaining();
    await fails(503);
    expect(await remaining()).toBe(before - 2);
  });

  test("ends when the call is aborted", async () => {
    const { kit, store } = start();
    kit.failNext("hang");
    const ending = new AbortController();
    const call = failure(store.pets.list({}, { signal: ending.signal }));
    while (kit.requests.length === 0) await new Promise((resolve) => setTimeout(resolve));
    ending.abort("enough");
    expect(await call).toMatchObject({ code: "aborted", cause: "enough", attempts: 1 });
  });
});

test("many animals are created and listed, page by page", async () => {
  const { kit, store } = start({ plan: "enterprise" });
  for (let i = 0; i < 1_000; i += 100)
    await Promise.all(
      Array.from({ length: 100 }, (_, j) => store.pets.create({ name: `pet ${i + j}`, categoryId: j })),
    );
  expect(await store.pets.list().toArray()).toHaveLength(1_000);
  expect(kit.requests).toHaveLength(1_010);
});

test("the kit is one module that needs nothing: no import, and nothing of Node, Bun or Deno", async () => {
  const source = await Bun.file(join(PACKED.folder, "dist/testing.js")).text();
  expect(source).not.toMatch(
    /^import\b|\bimport\(|\brequire\(|["']node:|["']bun["':]|\bBun\.|\bBuffer\b|\bDeno\b|\bprocess\./m,
  );
});
