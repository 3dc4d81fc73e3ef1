import { expect, test } from "bun:test";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/base/time/clock.ts";
import { type Grain, startOf } from "../../src/domain/usage/grains.ts";
import { newCounts, placeOfLatency, placeOfOutcome, type UsageOutcome } from "../../src/domain/usage/usage.ts";
import type { TestService } from "../harness/service/service.ts";
import { onEveryStore } from "../harness/service/stores.ts";
import { FakeClock } from "../harness/time/clock.ts";

const NOTHING = {
  requests: 0,
  passed: 0,
  clientErrors: 0,
  refused: 0,
  refusedBy: { minuteQuota: 0, dayQuota: 0, ban: 0, scope: 0, noKey: 0, addressQuota: 0 },
  failed: 0,
};

onEveryStore(({ startService, setUp }) => {
  let service: TestService;
  let sequence = 0;
  const clock = new FakeClock();
  setUp(async () => {
    service = await startService({ clock });
  });
  const isoOf = (ms: number): string => new Date(ms).toISOString();
  const start = (grain: Grain, agoMs = 0): string => isoOf(startOf(grain, clock.nowMs() - agoMs));
  const usageOf = async (secret: string, query = "") => service.call(`GET /key/usage${query}`, { secret });

  /** Adds what a thread of the service would have counted, so that no test waits for a flush. */
  async function count(keyId: string, agoMs: number, counted: Partial<Record<UsageOutcome, number>>, ms?: number) {
    const counts = newCounts();
    for (const [outcome, number] of Object.entries(counted)) counts[placeOfOutcome(outcome as UsageOutcome)] = number;
    if (ms !== undefined) counts[placeOfLatency(placeOfOutcome("passed"), ms)] = counted.passed as number;
    const sums = [{ keyId, startedAtMs: startOf("minute", clock.nowMs() - agoMs), counts }];
    await service.withStore(({ usage }) =>
      usage.add({ source: "test", sequence: ++sequence, atMs: clock.nowMs(), sums }),
    );
  }

  test("4.4 getKeyUsage has an entry for each hour of the day before, oldest first, even without requests", async () => {
    const { secret } = await service.issueKey();
    const { status, json, headers } = await usageOf(secret);
    expect(status).toBe(200);
    const hours = Array.from({ length: 25 }, (_, i) => ({ startedAt: start("hour", (24 - i) * HOUR_MS), ...NOTHING }));
    expect(json).toEqual(hours);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.has("etag")).toBe(false);
    expect(headers.has("x-ratelimit-remaining")).toBe(true);
  });

  test("4.4 getKeyUsage tells what became of the requests of this key, and of no other", async () => {
    const [mine, other] = [await service.issueKey(), await service.issueKey()];
    await count(mine.id, 0, { passed: 8, client_error: 3, minute_quota: 2, day_quota: 1, banned: 5, scope: 4 }, 0.2);
    await count(mine.id, 2 * HOUR_MS, { failed: 7 });
    await count(other.id, 0, { passed: 1000 });
    const refusedBy = { minuteQuota: 2, dayQuota: 1, ban: 5, scope: 4, noKey: 0, addressQuota: 0 };
    const now = { requests: 23, passed: 8, clientErrors: 3, refused: 12, refusedBy, failed: 0 };
    const latency = { p50Ms: 0.175, p99Ms: expect.any(Number) };
    const { json } = await usageOf(mine.secret, "?by=hour");
    expect(json.at(-1)).toEqual({ startedAt: start("hour"), ...now, ...latency });
    expect(json.at(-3)).toEqual({ startedAt: start("hour", 2 * HOUR_MS), ...NOTHING, requests: 7, failed: 7 });
    expect(json.at(-2)).not.toHaveProperty("p50Ms");
    for (const by of ["minute", "day"] as const) {
      const since = isoOf(clock.nowMs());
      const { json } = await usageOf(mine.secret, `?by=${by}&since=${since}`);
      expect(json).toMatchObject([{ startedAt: start(by), passed: 8 }]);
    }
  });

  test("4.4 getKeyUsage begins with the entry that `since` falls in, however the time is written", async () => {
    const { secret } = await service.issueKey();
    const sinceMs = startOf("minute", clock.nowMs()) - 30 * MINUTE_MS + 1;
    for (const since of [isoOf(sinceMs), encodeURIComponent(isoOf(sinceMs).replace("Z", "+00:00"))]) {
      const { json } = await usageOf(secret, `?since=${since}`);
      expect(json).toHaveLength(31);
      expect(json[0].startedAt).toBe(isoOf(startOf("minute", sinceMs)));
    }
    const month = (await usageOf(secret, `?since=${isoOf(clock.nowMs() - 30 * DAY_MS)}`)).json;
    expect(month).toHaveLength(31);
    expect(month.at(-1).startedAt).toBe(start("day"));
  });

  test("4.4 getKeyUsage sends 744 entries at most: one more, and what is not kept, is refused and says what to do", async () => {
    const { secret } = await service.issueKey();
    const hours = (count: number) =>
      usageOf(secret, `?by=hour&since=${isoOf(startOf("hour", clock.nowMs()) - (count - 1) * HOUR_MS)}`);
    expect((await hours(744)).json).toHaveLength(744);
    const tooMany = await usageOf(secret, `?by=hour&since=${isoOf(clock.nowMs() - 31 * DAY_MS)}`);
    expect(tooMany.status).toBe(400);
    expect(tooMany.json).toMatchObject({ code: "invalid_parameter", message: expect.stringContaining("745 entries") });
    for (const [by, agoMs, kept] of [
      ["minute", 6 * HOUR_MS + 1, "6 hours"],
      ["hour", 31 * DAY_MS + 1, "31 days"],
      ["day", 400 * DAY_MS + 1, "400 days"],
    ] as const) {
      const { status, json } = await usageOf(secret, `?by=${by}&since=${isoOf(clock.nowMs() - agoMs)}`);
      expect([status, json.code]).toEqual([400, "invalid_parameter"]);
      expect(json.message).toStartWith(
        `The query parameter "since" lies further back than the ${kept} for which usage`,
      );
    }
    expect((await usageOf(secret, `?by=minute&since=${isoOf(clock.nowMs() - 6 * HOUR_MS)}`)).json).toHaveLength(361);
    expect((await usageOf(secret, "?since=1970-01-01T00:00:00Z")).status).toBe(400);
  });

  test("4.4 getKeyUsage refuses parameters that are invalid, and names them", async () => {
    const { secret } = await service.issueKey();
    for (const [query, name] of [
      ["?by=week", "by"],
      ["?by=", "by"],
      ["?by=hour&by=day", "by"],
      ["?since=yesterday", "since"],
      ["?since=2026-02-30T00:00:00Z", "since"],
      ["?since=2026-02-01", "since"],
      [`?since=${isoOf(clock.nowMs() + MINUTE_MS)}`, "since"],
      ["?until=2026-02-01T00:00:00Z", "until"],
    ] as const) {
      const { status, json } = await usageOf(secret, query);
      expect([query, status, json.code]).toEqual([query, 400, "invalid_parameter"]);
      expect(json.message).toContain(`"${name}"`);
    }
    expect((await service.call("GET /key/usage", { secret: null })).status).toBe(401);
    const { status, headers } = await service.call("POST /key/usage", { secret });
    expect([status, headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });

  test("4.4 getKeyUsage needs no scope, and the request itself counts as any other", async () => {
    const { secret } = await service.issueKey({ scopes: [], plan: "enterprise", quotas: { perMinute: 2, perDay: 9 } });
    expect((await usageOf(secret)).headers.get("x-ratelimit-remaining")).toBe("1");
    expect((await usageOf(secret)).status).toBe(200);
    expect((await usageOf(secret)).status).toBe(429);
  });
});
