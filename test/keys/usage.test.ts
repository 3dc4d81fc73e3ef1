import { describe, expect, test } from "bun:test";
import { MINUTE_MS } from "../../src/base/time/clock.ts";
import { startOf } from "../../src/domain/usage/grains.ts";
import { type Usage, type UsageOutcome, usageOf } from "../../src/domain/usage/usage.ts";
import { usageOfAll, usageOfKey } from "../../src/keys/queries/usage.ts";
import type { Store, UsageSpan } from "../../src/store/ports/store.ts";
import { KeptConnections } from "../harness/requests/kept-connections.ts";
import type { Answer } from "../harness/requests/send.ts";
import { SIGNED } from "../harness/rows/author.ts";
import { startService } from "../harness/service/service.ts";
import { onEveryStore, querySqlite } from "../harness/service/stores.ts";
import { FakeClock } from "../harness/time/clock.ts";

const REX = { name: "Rex", categoryId: 7 };

/** The outcome that a client can tell from an answer alone. */
function outcomeSeen({ status, json }: Answer): UsageOutcome {
  if (status >= 500) return "failed";
  if (json?.code === "key_banned") return "banned";
  if (status === 429 && json.message.includes("Your address")) return "address_quota";
  if (status === 429) return json.message.includes("for this day") ? "day_quota" : "minute_quota";
  if (status === 401) return "no_key";
  if (status === 403) return "scope";
  return status >= 400 ? "client_error" : "passed";
}

const numbersOf = ({ passed, clientErrors, refused, failed }: Usage): Record<UsageOutcome, number> => ({
  passed,
  client_error: clientErrors,
  ...refused,
  failed,
});

/** The outcomes that clients saw, by key and in all. */
class Seen {
  readonly #counts = new Map<string, Record<string, number>>();

  add(keyId: string | null, answer: Answer): void {
    const outcome = outcomeSeen(answer);
    for (const name of keyId === null || outcome === "no_key" ? ["all"] : ["all", keyId]) {
      const counts = this.of(name);
      counts[outcome] = (counts[outcome] ?? 0) + 1;
      this.#counts.set(name, counts);
    }
  }

  of(name: string): Record<string, number> {
    return this.#counts.get(name) ?? {};
  }
}

const nonZero = (counts: Record<string, number>) => Object.fromEntries(Object.entries(counts).filter(([, n]) => n > 0));

async function expectStored(store: Store, seen: Seen, keyIds: readonly string[], clock: FakeClock): Promise<void> {
  const span: UsageSpan = { grain: "hour", fromMs: 0, beforeMs: clock.nowMs() + MINUTE_MS };
  const [total] = await store.usage.totals(span);
  const all = usageOf(total?.counts ?? []);
  expect(nonZero(numbersOf(all))).toEqual(seen.of("all"));
  expect(all.latency.reduce((sum, n) => sum + n, 0)).toBe(all.passed + all.clientErrors + all.failed);
  for (const keyId of keyIds)
    for (const grain of ["minute", "hour", "day"] as const) {
      const [sum] = await store.usage.ofKey(keyId, { ...span, grain });
      expect([keyId, grain, sum && nonZero(numbersOf(usageOf(sum.counts)))]).toEqual([keyId, grain, seen.of(keyId)]);
      expect(sum?.startedAtMs).toBe(startOf(grain, clock.nowMs()));
    }
}

onEveryStore(({ backend, startService }) => {
  test("what is stored at a stop is what clients saw, in every class, for each key and in all", async () => {
    const clock = new FakeClock();
    const service = await startService({ clock, env: { ANONYMOUS_PER_MINUTE: "8" } });
    const seen = new Seen();
    const send = async (line: string, key: { id: string; secret: string } | null, options = {}) => {
      const answer = await service.call(line, { ...options, secret: key?.secret ?? null });
      seen.add(key?.id ?? null, answer);
      return answer;
    };
    const unlimited = { perMinute: 1_000_000, perDay: 1_000_000 };
    const busy = await service.issueKey({ plan: "enterprise", quotas: unlimited });
    const minute = await service.issueKey({ plan: "enterprise", quotas: { perMinute: 2, perDay: 1_000 } });
    const day = await service.issueKey({ plan: "enterprise", quotas: { perMinute: 2, perDay: 2 } });
    const reader = await service.issueKey({ plan: "enterprise", quotas: unlimited, scopes: ["pets:read"] });
    const revoked = await service.issueKey();
    await service.withStore(({ keys }) => keys.revoke({ ...SIGNED, keyId: revoked.id, atMs: 1 }));

    expect((await send("POST /pets", busy, { body: REX })).status).toBe(201);
    for (let i = 0; i < 5; i++) expect((await send("GET /pets", busy)).status).toBe(200);
    expect((await send("GET /pets/99", busy)).status).toBe(404);
    expect((await send("POST /pets", busy, { body: {} })).status).toBe(400);
    expect((await send("GET /nowhere", busy)).status).toBe(404);
    expect((await send("PUT /pets", busy)).status).toBe(405);
    expect((await send("POST /pets", reader, { body: REX })).status).toBe(403);
    expect((await send("GET /pets", reader)).status).toBe(200);
    for (let i = 0; i < 5; i++) await send("GET /pets", day);
    for (let i = 0; i < 65; i++) await send("GET /pets", minute);
    for (let i = 0; i < 3; i++) expect((await send("GET /pets", null)).status).toBe(401);
    for (let i = 0; i < 3; i++) expect((await send("GET /pets", revoked)).status).toBe(401);
    for (let i = 0; i < 4; i++) await send("GET /nowhere", null);
    await backend.query(service.storage, "ALTER TABLE saved_responses RENAME TO hidden");
    const retriable = { body: REX, headers: { "Idempotency-Key": "k" } };
    expect((await send("POST /pets", busy, retriable)).status).toBeGreaterThanOrEqual(500);
    await backend.query(service.storage, "ALTER TABLE hidden RENAME TO saved_responses");
    await service.stop();

    expect(Object.keys(seen.of("all")).sort()).toEqual([
      "address_quota",
      "banned",
      "client_error",
      "day_quota",
      "failed",
      "minute_quota",
      "no_key",
      "passed",
      "scope",
    ]);
    await service.withStore(async (store) => {
      await expectStored(store, seen, [busy.id, minute.id, day.id, reader.id], clock);
      expect(await store.usage.ofKey(revoked.id, { grain: "day", fromMs: 0, beforeMs: 1e15 })).toEqual([]);
      const shown = await usageOfAll({ ...store, clock }, { sinceMs: MINUTE_MS });
      if (shown.kind === "refused") throw new Error(shown.reason.kind);
      expect(shown.value.keys.map(({ keyId }) => keyId)[0]).toBe(minute.id);
      expect(shown.value.sum.requests).toBe(Object.values(seen.of("all")).reduce((sum, n) => sum + n, 0));
      const ofKey = await usageOfKey({ ...store, clock }, busy.id, { sinceMs: 90 * MINUTE_MS });
      if (ofKey.kind === "refused") throw new Error(ofKey.reason.kind);
      expect(ofKey.value.buckets).toHaveLength(91);
      expect(ofKey.value.buckets.at(-1)?.usage).toEqual(ofKey.value.sum);
    });
  });

  test("an instance leaves word when it stops, and its id is a new one with each start", async () => {
    const service = await startService();
    const { storage } = service;
    await service.stop();
    const again = await startService({ env: { ...storage, ENVIRONMENT: "staging" } });
    await again.stop();
    const instances = await again.withStore(async (store) => store.instances.list());
    expect(instances.map(({ environment, health }) => [environment, health])).toEqual([
      ["production", "stopping"],
      ["staging", "stopping"],
    ]);
    for (const { startedAtMs, seenAtMs, stoppedAtMs, threads } of instances) {
      expect(stoppedAtMs).toBe(seenAtMs);
      expect([threads, startedAtMs <= seenAtMs]).toEqual([1, true]);
    }
    expect(new Set(instances.map(({ id }) => id)).size).toBe(2);
  });
});

describe("with 4 threads", () => {
  test("what each of them has counted is added up", async () => {
    const clock = new FakeClock();
    const service = await startService({ clock, env: { THREADS: "4" } });
    const key = await service.issueKey({ plan: "enterprise" });
    const connections = await KeptConnections.open(service);
    const seen = new Seen();
    for (const answer of await connections.callAll("GET /pets", { secret: key.secret }, 5)) seen.add(key.id, answer);
    for (const answer of await connections.callAll("GET /pets/99", { secret: key.secret })) seen.add(key.id, answer);
    connections.end();
    await service.stop();
    await service.withStore((store) => expectStored(store, seen, [key.id], clock));
    const { rows } = await service.withStore(async (store) => store.usage.keptRequests({ keyId: key.id, size: 1_000 }));
    const statuses = rows.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(10);
    expect(statuses.filter((status) => status === 404)).toHaveLength(Math.min(100, seen.of(key.id).client_error ?? 0));
    const sources = querySqlite(service.path, "SELECT source FROM usage_flushes").length;
    expect(sources).toBeGreaterThan(1);
  });
});
