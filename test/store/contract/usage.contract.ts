import { describe, expect, test } from "bun:test";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/base/time/clock.ts";
import { newKey } from "../../../src/domain/keys/key.ts";
import { PLANS } from "../../../src/domain/keys/plan.ts";
import { KEPT_MS, startOf, type UsageSum } from "../../../src/domain/usage/grains.ts";
import type { Instance } from "../../../src/domain/usage/instance.ts";
import { newCounts, type UsageCounts } from "../../../src/domain/usage/usage.ts";
import type { Store, UsageAddition, UsageSpan } from "../../../src/store/ports/store.ts";
import { SIGNED } from "../../harness/rows/author.ts";

const NOW = Date.parse("2027-03-01T12:34:30Z");
const MINUTE = startOf("minute", NOW);

/** Sums that all differ, so that none can be taken for another. */
const counts = (factor = 1): UsageCounts => newCounts().map((_, place) => factor * (place + 1));

const EVER: Omit<UsageSpan, "grain"> = { fromMs: 0, beforeMs: NOW + DAY_MS };

/** The contract of usage and instances, which every adapter runs. `open` opens a new store twice, as two threads or instances do. */
export function usageContract(name: string, open: () => Promise<readonly [Store, Store]>): void {
  describe(`${name}: the contract of usage`, () => {
    let keys = 0;
    async function newKeyIn(store: Store): Promise<string> {
      const issued = { name: `k${++keys}`, plan: "free", quotas: PLANS.free, createdAtMs: 1 } as const;
      const key = newKey({ ...issued, expiresAtMs: undefined });
      await store.keys.create({ ...SIGNED, key, digest: `of ${key.id}` });
      return key.id;
    }

    const addition = (sums: readonly UsageSum[], sequence = 1, source = "s"): UsageAddition => ({
      source,
      sequence,
      atMs: NOW,
      sums,
    });

    test("sums are added, at all grains, and once however often they are sent", async () => {
      const [store, other] = await open();
      const [a, b] = [await newKeyIn(store), await newKeyIn(store)];
      const next = MINUTE + MINUTE_MS;
      const first = addition([
        { keyId: b, startedAtMs: MINUTE, counts: counts(1) },
        { keyId: a, startedAtMs: next, counts: counts(10) },
        { keyId: a, startedAtMs: MINUTE, counts: counts(100) },
        { keyId: null, startedAtMs: MINUTE, counts: counts(1_000) },
      ]);
      await store.usage.add(first);
      await other.usage.add(first);
      await store.usage.add(first);
      await other.usage.add(addition([{ keyId: a, startedAtMs: next, counts: counts(3) }], 2));
      await other.usage.add(addition([{ keyId: a, startedAtMs: next, counts: counts(9) }], 1));
      await store.usage.add(addition([{ keyId: a, startedAtMs: next, counts: counts(5) }], 1, "another"));

      const ofKey = (keyId: string, grain: UsageSpan["grain"]) => store.usage.ofKey(keyId, { grain, ...EVER });
      expect(await ofKey(a, "minute")).toEqual([
        { keyId: a, startedAtMs: MINUTE, counts: counts(100) },
        { keyId: a, startedAtMs: next, counts: counts(18) },
      ]);
      for (const grain of ["hour", "day"] as const) {
        const startedAtMs = startOf(grain, NOW);
        expect(await ofKey(a, grain)).toEqual([{ keyId: a, startedAtMs, counts: counts(118) }]);
        expect(await ofKey(b, grain)).toEqual([{ keyId: b, startedAtMs, counts: counts(1) }]);
        const byKey = await other.usage.byKey({ grain, ...EVER });
        const found = Object.fromEntries(byKey.map((sum) => [sum.keyId, sum.counts]));
        expect(found).toEqual({ [a]: counts(118), [b]: counts(1) });
      }
      expect(await store.usage.totals({ grain: "minute", ...EVER })).toEqual([
        { keyId: null, startedAtMs: MINUTE, counts: counts(1_000) },
      ]);
      expect(await store.usage.totals({ grain: "hour", ...EVER })).toEqual([
        { keyId: null, startedAtMs: startOf("hour", NOW), counts: counts(1_000) },
      ]);
      const span = { grain: "minute", fromMs: next, beforeMs: next + 1 } as const;
      expect(await store.usage.ofKey(a, span)).toHaveLength(1);
      expect(await store.usage.totals({ ...span, fromMs: MINUTE + 1 })).toEqual([]);
      for (const each of [other, store]) await each.close();
    });

    test("two who add to the same sums at once lose nothing, and keep nobody waiting for ever", async () => {
      const stores = await open();
      const [first] = stores;
      const ids: string[] = [];
      for (let i = 0; i < 20; i++) ids.push(await newKeyIn(first));
      const rounds = 15;
      const flushing = stores.map(async (store, i) => {
        for (let sequence = 1; sequence <= rounds; sequence++) {
          const keyIds = i === 0 ? ids : ids.toReversed();
          const sums = keyIds.map((keyId) => ({ keyId, startedAtMs: MINUTE, counts: counts() }));
          await store.usage.add(
            addition([...sums, { keyId: null, startedAtMs: MINUTE, counts: counts() }], sequence, `source ${i}`),
          );
        }
      });
      await Promise.all(flushing);
      for (const grain of ["minute", "hour", "day"] as const)
        for (const sum of await first.usage.byKey({ grain, ...EVER })) expect(sum.counts).toEqual(counts(2 * rounds));
      const [total] = await first.usage.totals({ grain: "hour", ...EVER });
      expect(total?.counts).toEqual(counts(2 * rounds));
      for (const store of stores.toReversed()) await store.close();
    });

    test("sums of none take no room, and stay none", async () => {
      const [store, other] = await open();
      const keyId = await newKeyIn(store);
      const one = newCounts();
      one[0] = 7;
      for (const sequence of [1, 2])
        await store.usage.add(addition([{ keyId, startedAtMs: MINUTE, counts: one }], sequence));
      const [sum] = await store.usage.ofKey(keyId, { grain: "day", ...EVER });
      expect(sum?.counts).toEqual(one.map((count) => 2 * count));
      for (const each of [other, store]) await each.close();
    });

    test("a key that was deleted meanwhile is left out, and does the others no harm", async () => {
      const [store, other] = await open();
      const known = await newKeyIn(store);
      const sums = ["key_gone", known, null].map((keyId) => ({ keyId, startedAtMs: MINUTE, counts: counts() }));
      await store.usage.add(addition(sums));
      expect((await store.usage.byKey({ grain: "hour", ...EVER })).map(({ keyId }) => keyId)).toEqual([known]);
      expect(await store.usage.totals({ grain: "hour", ...EVER })).toHaveLength(1);
      for (const each of [other, store]) await each.close();
    });

    test("a key's usage is deleted in batches, and that of others is left alone", async () => {
      const [store, other] = await open();
      const [gone, kept] = [await newKeyIn(store), await newKeyIn(store)];
      const minutes = Array.from({ length: 700 }, (_, i) => MINUTE - i * MINUTE_MS);
      const sums = [gone, kept].flatMap((keyId) =>
        minutes.map((startedAtMs) => ({ keyId, startedAtMs, counts: counts() })),
      );
      await store.usage.add(addition(sums));
      expect(await store.maintenance.deleteUsageOfKey({ keyId: gone })).toBe(true);
      expect(await store.maintenance.deleteUsageOfKey({ keyId: gone })).toBe(false);
      for (const grain of ["minute", "hour", "day"] as const) {
        expect(await store.usage.ofKey(gone, { grain, ...EVER })).toEqual([]);
        expect((await store.usage.ofKey(kept, { grain, ...EVER })).length).toBeGreaterThan(0);
      }
      expect(await store.usage.ofKey(kept, { grain: "minute", ...EVER })).toHaveLength(700);
      for (const each of [other, store]) await each.close();
    });

    test("what a service has added since then goes with the key itself", async () => {
      const [store, other] = await open();
      const [gone, kept] = [await newKeyIn(store), await newKeyIn(store)];
      await store.keys.revoke({ ...SIGNED, keyId: gone });
      expect(await store.maintenance.deleteUsageOfKey({ keyId: gone })).toBe(false);
      await store.usage.add(addition([gone, kept].map((keyId) => ({ keyId, startedAtMs: MINUTE, counts: counts() }))));
      expect(await store.keys.delete({ ...SIGNED, keyId: gone })).toBe(true);
      for (const grain of ["minute", "hour", "day"] as const) {
        expect(await store.usage.ofKey(gone, { grain, ...EVER })).toEqual([]);
        expect(await store.usage.ofKey(kept, { grain, ...EVER })).toHaveLength(1);
      }
      for (const each of [other, store]) await each.close();
    });

    test("what is older than is kept is swept, at every grain, some at a time", async () => {
      const [store, other] = await open();
      const keyId = await newKeyIn(store);
      const ages = [0, 5 * HOUR_MS, 7 * HOUR_MS, 3 * DAY_MS, 32 * DAY_MS, 401 * DAY_MS];
      const sums = ages.flatMap((ageMs) =>
        [keyId, null].map((each) => ({ keyId: each, startedAtMs: MINUTE - ageMs, counts: counts() })),
      );
      const old = Array.from({ length: 600 }, (_, i) => MINUTE - 500 * DAY_MS + i * MINUTE_MS);
      await store.usage.add(
        addition([...sums, ...old.map((startedAtMs) => ({ keyId, startedAtMs, counts: counts() }))]),
      );
      expect(await store.maintenance.sweepUsage({ nowMs: NOW })).toBe(true);
      expect(await store.maintenance.sweepUsage({ nowMs: NOW })).toBe(false);
      const left = (found: readonly UsageSum[]) => found.map(({ startedAtMs }) => startedAtMs);
      for (const grain of ["minute", "hour", "day"] as const) {
        const keptMs = KEPT_MS.key[grain] as number;
        const expected = ages.filter((ageMs) => ageMs <= keptMs).map((ageMs) => startOf(grain, MINUTE - ageMs));
        const found = left(await store.usage.ofKey(keyId, { grain, ...EVER }));
        expect(found).toEqual([...new Set(expected)].sort((a, b) => a - b));
      }
      expect(left(await store.usage.totals({ grain: "minute", ...EVER }))).toHaveLength(3);
      expect(left(await store.usage.totals({ grain: "hour", ...EVER }))).toHaveLength(5);
      for (const each of [other, store]) await each.close();
    });

    test("instances say how they are, and are forgotten when they have long been gone", async () => {
      const [store, other] = await open();
      const instance: Instance = {
        id: "a",
        host: "h\u202e'\"\\",
        version: "1.2.3",
        environment: "staging",
        threads: 4,
        startedAtMs: NOW,
        health: "ready",
        seenAtMs: NOW,
        stoppedAtMs: undefined,
        consoleUrl: "https://shop.example.com/console/",
        consoleDirectUrl: undefined,
      };
      const old = { ...instance, id: "b", startedAtMs: 1, seenAtMs: NOW - 8 * DAY_MS, stoppedAtMs: NOW - 8 * DAY_MS };
      await store.instances.note(instance);
      await other.instances.note(old);
      expect(await store.instances.list()).toEqual([old, instance]);
      const stopped = { ...instance, health: "stopping", seenAtMs: NOW + 1, stoppedAtMs: NOW + 1 } as const;
      await store.instances.note(stopped);
      await store.maintenance.sweepUsage({ nowMs: NOW });
      expect(await other.instances.list()).toEqual([stopped]);
      for (const each of [other, store]) await each.close();
    });
  });
}
