import { expect, test } from "bun:test";
import { temporaryFolder } from "../../../test/harness/folder.ts";
import { SIGNED } from "../../../test/harness/rows/author.ts";
import { FakeClock } from "../../../test/harness/time/clock.ts";
import { newKey } from "../../domain/keys/key.ts";
import { PLANS } from "../../domain/keys/plan.ts";
import { startOf } from "../../domain/usage/grains.ts";
import { newCountedKey, usageOf } from "../../domain/usage/usage.ts";
import { openForCommand } from "../../store/open.ts";
import { StoreUnavailable, type UsageAddition } from "../../store/ports/store.ts";
import { RequestKeeper } from "../../telemetry/request-keeper.ts";
import { UsageCounter } from "../../telemetry/usage-counter.ts";
import { UsageFlush } from "./usage-flush.ts";

/** A store in which an addition can go wrong, before or after it was carried out. */
async function failingStore() {
  const clock = new FakeClock();
  const store = await openForCommand({ kind: "sqlite", path: `${temporaryFolder()}/store.db` }, { create: true });
  const keys = [1, 2, 3].map((n) =>
    newKey({ name: `k${n}`, plan: "free", quotas: PLANS.free, createdAtMs: 1, expiresAtMs: undefined }),
  );
  for (const key of keys) await store.keys.create({ ...SIGNED, key, digest: `of ${key.id}` });
  const state = { fails: "never" as "never" | "before" | "after", isReadOnly: false, attempts: 0 };
  const counter = new UsageCounter();
  const unattributed: string[] = [];
  const flush = new UsageFlush({
    counter,
    store: {
      isReadOnly: () => state.isReadOnly,
      usage: {
        async add(addition: UsageAddition) {
          state.attempts++;
          if (state.fails === "before") throw new StoreUnavailable("no");
          await store.usage.add(addition);
          if (state.fails === "after") throw new StoreUnavailable("lost", { changed: "unknown" });
        },
      },
    },
    clock,
    batchSize: 2,
    onUnattributed: ({ message }) => unattributed.push(message),
  });
  const span = { grain: "minute", fromMs: startOf("minute", clock.nowMs()), beforeMs: clock.nowMs() + 60_000 } as const;
  const total = async () =>
    (await store.usage.totals(span)).reduce((sum, { counts }) => sum + usageOf(counts).requests, 0);
  const ofKey = async (i: number) =>
    (await store.usage.ofKey(keys[i]?.id as string, span)).map(({ counts }) => usageOf(counts).requests);
  const count = (i: number | undefined) =>
    counter.count(i === undefined ? undefined : newCountedKey(keys[i]?.id as string), "passed", 1, clock.nowMs());
  return { store, state, flush, count, total, ofKey, counter, unattributed };
}

test("what could not be stored is stored later, and everything once, even if it was carried out all the same", async () => {
  const { store, state, flush, count, total, ofKey } = await failingStore();
  for (const i of [0, 1, 2, 0, undefined]) count(i);
  state.fails = "before";
  await expect(flush.write()).rejects.toThrow("no");
  await expect(flush.write()).rejects.toThrow("no");
  expect(await total()).toBe(0);
  count(0);
  state.fails = "after";
  await expect(flush.write()).rejects.toThrow("lost");
  await expect(flush.write()).rejects.toThrow("lost");
  state.fails = "never";
  await flush.write();
  expect(await total()).toBe(6);
  expect([await ofKey(0), await ofKey(1), await ofKey(2)]).toEqual([[3], [1], [1]]);
  await flush.write();
  expect(await total()).toBe(6);
  await store.close();
});

test("nothing is written where there is nothing to write, or to a store that is read-only", async () => {
  const { store, state, flush, count, total, unattributed } = await failingStore();
  await flush.write();
  expect(state.attempts).toBe(0);
  state.isReadOnly = true;
  count(0);
  await flush.write();
  expect(state.attempts).toBe(0);
  state.isReadOnly = false;
  await flush.write();
  expect(await total()).toBe(1);
  expect(unattributed).toEqual([]);
  await store.close();
});

test("requests are written with the sums, in a transaction of their own only if there are very many", async () => {
  const { store, state, count, counter } = await failingStore();
  const [key] = await store.keys.list();
  const keyId = key?.id as string;
  const additions: (readonly [sums: number, requests: number])[] = [];
  const keeper = new RequestKeeper();
  const flush = new UsageFlush({
    counter,
    keeper,
    store: {
      isReadOnly: () => state.isReadOnly,
      usage: {
        async add(addition: UsageAddition) {
          additions.push([addition.sums.length, addition.requests?.length ?? 0]);
          await store.usage.add(addition);
        },
      },
    },
    clock: new FakeClock(),
    onUnattributed: () => {},
  });
  const request = { keyId, method: "GET", path: "/v1/pets", requestId: "r", latencyMs: 1, idempotencyKey: undefined };
  const keep = (number: number) => {
    for (let i = 0; i < number; i++) {
      count(0);
      keeper.keep({ ...request, status: 404, code: "pet_not_found", message: "no" }, 3_600_000 * i);
    }
  };
  keep(100);
  state.isReadOnly = true;
  await flush.write();
  expect(additions).toEqual([]);
  state.isReadOnly = false;
  await flush.write();
  expect(additions.splice(0)).toEqual([[2, 100]]);
  keep(150);
  await flush.write();
  expect(additions).toEqual([
    [2, 100],
    [0, 50],
  ]);
  const { rows } = await store.usage.keptRequests({ keyId, size: 1_000 });
  expect(rows).toHaveLength(250);
  await store.close();
});

test("it is reported when there was no room for all keys", async () => {
  const { store, flush, unattributed } = await failingStore();
  const full = new UsageCounter(1);
  full.count(newCountedKey("key_a"), "passed", 1, 0);
  full.count(newCountedKey("key_b"), "passed", 1, 0);
  const other = new UsageFlush({
    counter: full,
    store: { isReadOnly: () => false, usage: store.usage },
    clock: new FakeClock(),
    onUnattributed: ({ message }) => unattributed.push(message),
  });
  await other.write();
  expect(unattributed).toEqual(["1 requests, for which there was no room in memory"]);
  await flush.write();
  await store.close();
});
