import { describe, expect, test } from "bun:test";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/base/time/clock.ts";
import { newKey } from "../../../src/domain/keys/key.ts";
import { PLANS } from "../../../src/domain/keys/plan.ts";
import { type KeptRequest, leastIdAt, timeOf } from "../../../src/domain/usage/kept-request.ts";
import { RequestSweep } from "../../../src/start/jobs/request-sweep.ts";
import type { KeptRequestQuery, Store } from "../../../src/store/ports/store.ts";
import { SIGNED } from "../../harness/rows/author.ts";

const NOW = Date.parse("2027-03-01T12:34:30Z");
const HOUR = Date.parse("2027-03-01T12:00:00Z");

/** The contract of kept requests, which every adapter runs. `open` opens a new store twice, as two threads or instances do. */
export function requestsContract(name: string, open: () => Promise<readonly [Store, Store]>): void {
  describe(`${name}: the contract of kept requests`, () => {
    let [keys, sequence, ids] = [0, 0, 0];

    async function newKeyIn(store: Store): Promise<string> {
      const issued = { name: `k${++keys}`, plan: "free", quotas: PLANS.free, createdAtMs: 1 } as const;
      const key = newKey({ ...issued, expiresAtMs: undefined });
      await store.keys.create({ ...SIGNED, key, digest: `of ${key.id}` });
      return key.id;
    }

    const request = (keyId: string, atMs: number, given: Partial<KeptRequest> = {}): KeptRequest => ({
      id: leastIdAt(atMs) + BigInt(++ids % 1000),
      keyId,
      method: "GET",
      path: "/v1/pets",
      status: 400,
      code: "invalid_parameter",
      message: "no",
      requestId: "r",
      idempotencyKey: undefined,
      latencyMs: 0.25,
      ...given,
    });

    const add = (store: Store, requests: readonly KeptRequest[], source = "s") =>
      store.usage.add({ source, sequence: ++sequence, atMs: NOW, sums: [], requests });

    const idsIn = async (store: Store, query: Partial<KeptRequestQuery> = {}) =>
      (await store.usage.keptRequests({ size: 10_000, ...query })).rows.map(({ id }) => id);
    const idsOf = (requests: readonly KeptRequest[]) => requests.map(({ id }) => id);

    test("a request is kept as it was, and once however often it is sent", async () => {
      const [store, other] = await open();
      const keyId = await newKeyIn(store);
      const whole = request(keyId, NOW, {
        path: "/v1/pets/…",
        message: 'The field "grüße 🐕\u202e\\u0000" is unknown. \'"\\',
        idempotencyKey: "a b",
        latencyMs: 1234.567,
      });
      const bare = request(keyId, NOW + 1, { status: 200, code: undefined, message: undefined });
      const addition = { source: "once", sequence: 1, atMs: NOW, sums: [], requests: [whole, bare] };
      for (const each of [store, other, store]) await each.usage.add(addition);
      const page = await other.usage.keptRequests({ keyId, size: 10 });
      expect(page).toEqual({ rows: [bare, whole], more: false });
      expect(await store.usage.keptRequest(keyId, whole.id)).toEqual(whole);
      expect(await store.usage.keptRequest(await newKeyIn(store), whole.id)).toBeUndefined();
      expect(await store.usage.keptRequest(keyId, whole.id + 2n)).toBeUndefined();
      expect(await store.usage.keptOfKey(keyId)).toEqual({ count: 2, oldestAtMs: NOW });
      expect(await store.usage.keptOfKey("key_none")).toEqual({ count: 0, oldestAtMs: undefined });
      for (const each of [other, store]) await each.close();
    });

    test("filters and pages find what they should, in both orders, of one key and of all", async () => {
      const [store, other] = await open();
      const [a, b] = [await newKeyIn(store), await newKeyIn(store)];
      const statuses = [200, 400, 404, 429, 500, 503];
      const codes = [undefined, "invalid_value", "pet_not_found", "rate_limit_exceeded", "internal_error", undefined];
      const all = Array.from({ length: 60 }, (_, i) =>
        request(i % 2 === 0 ? a : b, HOUR + i * MINUTE_MS * 3, {
          status: statuses[i % 6] as number,
          code: codes[i % 6],
        }),
      );
      await add(store, all);
      const queries: Partial<KeptRequestQuery>[] = [{}, { keyId: a }, { keyId: b }, { keyId: "key_none" }];
      const filters: Partial<KeptRequestQuery>[] = [
        {},
        { status: { from: 400, to: 499 } },
        { status: { from: 500, to: 500 } },
        { code: "pet_not_found" },
        { code: "x" },
        { sinceMs: HOUR + 30 * MINUTE_MS, untilMs: HOUR + 90 * MINUTE_MS, status: { from: 400, to: 599 } },
        { untilMs: 0 },
        { sinceMs: HOUR + DAY_MS },
      ];
      for (const { keyId } of queries)
        for (const filter of filters) {
          const { status, code, sinceMs = 0, untilMs = Number.POSITIVE_INFINITY } = filter;
          const matching = all.filter(
            (each) =>
              (keyId === undefined || each.keyId === keyId) &&
              (!status || (each.status >= status.from && each.status <= status.to)) &&
              (code === undefined || each.code === code) &&
              timeOf(each) >= sinceMs &&
              timeOf(each) < untilMs,
          );
          for (const sort of ["id", "-id"] as const)
            for (const size of [1, 7, 100]) {
              const found: bigint[] = [];
              for (let more = true; more; ) {
                const query = { keyId, ...filter, sort, size, afterId: found.at(-1) };
                const page = await other.usage.keptRequests(query);
                found.push(...idsOf(page.rows));
                more = page.more;
              }
              expect(found).toEqual(sort === "id" ? idsOf(matching) : idsOf(matching).toReversed());
            }
        }
      for (const each of [other, store]) await each.close();
    });

    test("of each key and hour, the latest 100 failures and 10 successes stay, whoever adds them and when", async () => {
      const [store, other] = await open();
      const [a, b] = [await newKeyIn(store), await newKeyIn(store)];
      const make = (keyId: string, count: number, fromMs: number, status: number) =>
        Array.from({ length: count }, (_, i) => request(keyId, fromMs + i * 10, { status }));
      const before = make(a, 3, HOUR - 60_000, 429);
      const after = make(a, 3, HOUR + HOUR_MS, 429);
      const failures = make(a, 160, HOUR, 404);
      const successes = make(a, 25, HOUR + 5_000, 200);
      const others = make(b, 5, HOUR, 404);
      const odd = (parity: number) => failures.filter((_, i) => i % 2 === parity);
      await add(store, [...odd(0), ...before, ...others]);
      await add(other, [...odd(1), ...after], "o");
      await add(store, successes.slice(10));
      await add(other, successes.slice(0, 10), "o");
      const left = new Set(await idsIn(store, { keyId: a }));
      expect(idsOf(failures).filter((id) => left.has(id))).toEqual(idsOf(failures.slice(-100)));
      expect(idsOf(successes).filter((id) => left.has(id))).toEqual(idsOf(successes.slice(-10)));
      expect(left.size).toBe(100 + 10 + 6);
      expect(await idsIn(store, { keyId: b })).toHaveLength(5);
      for (const each of [other, store]) await each.close();
    });

    test("two who add to one key and hour at once leave no more than its share", async () => {
      const stores = await open();
      const [store] = stores;
      const keyId = await newKeyIn(store);
      await Promise.all(
        stores.map(async (each, i) => {
          for (let round = 0; round < 10; round++)
            await add(
              each,
              Array.from({ length: 20 }, (_, n) => request(keyId, HOUR + round * 1000 + n * 7 + i)),
              `source ${i}`,
            );
        }),
      );
      expect(await idsIn(store, { keyId })).toHaveLength(100);
      for (const each of stores.toReversed()) await each.close();
    });

    test("of each key, the latest 5,000 stay", async () => {
      const [store, other] = await open();
      const [full, few] = [await newKeyIn(store), await newKeyIn(store)];
      await add(store, [request(few, HOUR - 1_000 * HOUR_MS)]);
      const all: KeptRequest[] = [];
      for (let hour = 60; hour > 0; hour--)
        for (let n = 0; n < 90; n++) all.push(request(full, HOUR - hour * HOUR_MS + n * 1000));
      for (let from = 0; from < all.length; from += 400) await add(store, all.slice(from, from + 400));
      expect((await idsIn(other, { keyId: full, sort: "id" })).length).toBe(5_000);
      expect(await idsIn(other, { keyId: full, sort: "id", size: 1 })).toEqual([all.at(-5_000)?.id as bigint]);
      expect(await idsIn(other, { keyId: few })).toHaveLength(1);
      for (const each of [other, store]) await each.close();
    });

    test("requests of one millisecond are all kept, each under an id of its own, however the ids overlap", async () => {
      const [store, other] = await open();
      const keyId = await newKeyIn(store);
      const runFrom = (place: number) =>
        Array.from({ length: 20 }, (_, i) => request(keyId, NOW, { id: leastIdAt(NOW) + BigInt((place + i) % 1000) }));
      for (const [i, place] of [0, 0, 20, 300, 990].entries())
        await add(i % 2 ? other : store, runFrom(place), `source ${i % 2}`);
      const ids = await idsIn(store);
      expect(ids).toHaveLength(100);
      expect(ids.map((id) => timeOf({ id }))).toEqual(ids.map(() => NOW));
      for (const each of [other, store]) await each.close();
    });

    test("requests of a deleted key are left out, and those of a key go with it, in batches and at last", async () => {
      const [store, other] = await open();
      const [gone, stays] = [await newKeyIn(store), await newKeyIn(store)];
      const both = (count: number, sinceHours: number) =>
        [gone, stays].flatMap((keyId) =>
          Array.from({ length: count }, (_, i) =>
            request(keyId, HOUR - sinceHours * HOUR_MS - Math.floor(i / 90) * HOUR_MS),
          ),
        );
      await add(store, [...both(700, 10), request("key_none", NOW)]);
      expect(await idsIn(store)).toHaveLength(1400);
      await store.keys.revoke({ ...SIGNED, keyId: gone });
      expect(await store.maintenance.deleteUsageOfKey({ keyId: gone })).toBe(true);
      while (await store.maintenance.deleteUsageOfKey({ keyId: gone }));
      expect(await idsIn(store, { keyId: gone })).toEqual([]);
      await add(other, both(5, 1), "o");
      expect(await store.keys.delete({ ...SIGNED, keyId: gone })).toBe(true);
      await add(other, [request(gone, NOW)], "o");
      expect(await idsIn(store, { keyId: gone })).toEqual([]);
      expect(await idsIn(store, { keyId: stays })).toHaveLength(705);
      for (const each of [other, store]) await each.close();
    });

    test("what is too old is swept, and the oldest of too many, some at a time", async () => {
      const [store, other] = await open();
      const keyIds = [await newKeyIn(store), await newKeyIn(store), await newKeyIn(store)];
      const all: KeptRequest[] = [];
      for (let hour = 200; hour > 0; hour--)
        for (const keyId of keyIds)
          for (let n = 0; n < 4; n++) all.push(request(keyId, HOUR - hour * HOUR_MS + n * 1000));
      for (let from = 0; from < all.length; from += 800) await add(store, all.slice(from, from + 800));
      const sweep = async (keptDays: number, nowMs: number | undefined, keptInAll = 1_000_000) => {
        const job = new RequestSweep({ store: other, keptDays, keptInAll, sliceSize: 250 });
        let steps = 1;
        while (await job.step(nowMs)) steps++;
        return steps;
      };
      expect(await sweep(7, undefined)).toBe(10);
      expect(await idsIn(store)).toHaveLength(2_400);
      await sweep(7, HOUR);
      const recent = idsOf(all.filter((each) => timeOf(each) >= HOUR - 7 * DAY_MS)).sort((a, b) => Number(a - b));
      expect(recent).toHaveLength(168 * 12);
      expect(await idsIn(store, { sort: "id" })).toEqual(recent);
      expect(await sweep(7, undefined, 1_000)).toBeGreaterThan(3);
      expect(await idsIn(store, { sort: "id" })).toEqual(recent.slice(-1_000));
      await sweep(7, undefined, 1_000);
      expect(await idsIn(store)).toHaveLength(1_000);
      expect(await sweep(0, HOUR)).toBeGreaterThan(2);
      expect(await idsIn(store)).toEqual([]);
      expect(await sweep(7, HOUR, 0)).toBe(1);
      for (const each of [other, store]) await each.close();
    });
  });
}
