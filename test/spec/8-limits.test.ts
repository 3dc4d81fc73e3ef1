import { describe, expect, test } from "bun:test";
import { newSecret } from "../../src/domain/keys/key.ts";
import { PLANS, type Plan } from "../../src/domain/keys/plan.ts";
import type { Answer } from "../harness/requests/send.ts";
import type { TestService } from "../harness/service/service.ts";
import { onEveryStore } from "../harness/service/stores.ts";
import { FakeClock } from "../harness/time/clock.ts";

onEveryStore(({ startService, setUp }) => {
  const clock = new FakeClock();
  let service: TestService;
  setUp(async () => {
    service = await startService({ clock });
  });
  const seconds = (ms: number) => Math.ceil(ms / 1000);

  const many = (times: number, secret: string): Promise<Answer[]> =>
    Promise.all(Array.from({ length: times }, () => service.call("GET /pets", { secret })));

  const limits = ({ headers }: Answer) => ({
    limit: Number(headers.get("x-ratelimit-limit")),
    remaining: Number(headers.get("x-ratelimit-remaining")),
    reset: Number(headers.get("x-ratelimit-reset")),
  });

  const statuses = (answers: Answer[]): Record<number, number> => {
    const counts: Record<number, number> = {};
    for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  };

  const last = (answers: Answer[]): Answer => answers.at(-1) as Answer;

  /** Nobody knows which of several parallel answers was the last, so the last request is sent by itself. */
  const lastOf = async (times: number, secret: string): Promise<Answer> => {
    await many(times - 1, secret);
    return last(await many(1, secret));
  };

  /** Uses up a day without ever waiting for a minute to end by itself. */
  async function useUpDay(plan: Plan, secret: string): Promise<void> {
    const { perMinute, perDay } = PLANS[plan] as { perMinute: number; perDay: number };
    for (let used = 0; used < perDay; used += perMinute) {
      const answers = await many(Math.min(perMinute, perDay - used), secret);
      expect(statuses(answers)).toEqual({ 200: answers.length });
      clock.advance(60_000);
    }
  }

  describe("8 rate limits by plan", () => {
    test("8 Free: 60 requests per minute and 1,000 per day", async () => {
      const { secret } = await service.issueKey({ plan: "free" });
      expect(statuses(await many(100, secret))).toEqual({ 200: 60, 429: 40 });
      const fresh = await service.issueKey({ plan: "free" });
      await useUpDay("free", fresh.secret);
      expect(statuses(await many(5, fresh.secret))).toEqual({ 429: 5 });
    });

    test("8 Pro: 300 requests per minute and 10,000 per day", async () => {
      const { secret } = await service.issueKey({ plan: "pro" });
      expect(statuses(await many(310, secret))).toEqual({ 200: 300, 429: 10 });
      const policy = last(await many(1, secret)).headers.get("ratelimit-policy");
      expect(policy).toBe('"minute";q=300;w=60, "day";q=10000;w=86400');
    });

    test("8 Business: 1,000 requests per minute and 100,000 per day", async () => {
      const { secret } = await service.issueKey({ plan: "business" });
      const answers = await many(1010, secret);
      expect(statuses(answers)).toEqual({ 200: 1000, 429: 10 });
      expect(last(answers).headers.get("ratelimit-policy")).toBe('"minute";q=1000;w=60, "day";q=100000;w=86400');
    });

    test("8 Enterprise: the quotas that were agreed", async () => {
      const { secret } = await service.issueKey({ plan: "enterprise", quotas: { perMinute: 7, perDay: 10 } });
      expect(statuses(await many(9, secret))).toEqual({ 200: 7, 429: 2 });
      clock.advance(60_000);
      expect(statuses(await many(9, secret))).toEqual({ 200: 3, 429: 6 });
    });
  });

  describe("8 rule 1: every API response carries X-RateLimit-Limit, -Remaining and -Reset, showing current usage", () => {
    test("8 rule 1 Remaining goes down with every request that counts, whatever its status", async () => {
      const { secret } = await service.issueKey({ plan: "free" });
      const lines = [
        "GET /pets",
        "POST /pets",
        "GET /pets/0",
        "DELETE /pets",
        "GET /nothing",
        "GET /pets?limit=0",
        "HEAD /pets",
      ];
      for (const [i, line] of lines.entries())
        expect(limits(await service.call(line, { secret })).remaining).toBe(59 - i);
    });

    test("8 rule 1 a response without a valid key shows the quota of the address", async () => {
      const alone = await startService({ env: { ANONYMOUS_PER_MINUTE: "5" } });
      for (const remaining of [4, 3, 2, 1, 0]) {
        const answer = await alone.call("GET /pets", { secret: remaining % 2 ? null : "wrong" });
        expect(answer.status).toBe(401);
        expect(limits(answer)).toMatchObject({ limit: 5, remaining });
        expect(answer.headers.get("ratelimit-policy")).toBe('"minute";q=5;w=60');
      }
      expect((await alone.call("GET /pets", { secret: null })).json).toMatchObject({
        code: "rate_limit_exceeded",
        status: 429,
      });
      // A valid key that this service has not met yet is found among made-up ones.
      const madeUp = Promise.all(Array.from({ length: 20 }, () => alone.call("GET /pets", { secret: newSecret() })));
      expect((await alone.call("GET /pets")).status).toBe(200);
      expect(new Set((await madeUp).map(({ status }) => status))).toEqual(new Set([429]));
    });

    test("8 rule 1 the headers show the window with least remaining", async () => {
      const { secret } = await service.issueKey({ plan: "enterprise", quotas: { perMinute: 5, perDay: 7 } });
      const [first] = await many(1, secret);
      expect(limits(first as Answer)).toMatchObject({ limit: 5, remaining: 4 });
      await many(3, secret);
      clock.advance(60_000);
      const [next] = await many(1, secret);
      expect(limits(next as Answer)).toMatchObject({ limit: 7, remaining: 2 });
      expect((next as Answer).headers.get("ratelimit")).toBe('"minute";r=4;t=60, "day";r=2;t=86340');
    });
  });

  test("8 rule 2: Reset is a Unix timestamp in whole seconds that does not move within a window", async () => {
    const { secret } = await service.issueKey({ plan: "free" });
    const openedAtMs = clock.nowMs();
    const reset = seconds(openedAtMs + 60_000);
    for (const step of [0, 1, 20_000, 39_998]) {
      clock.advance(step);
      expect(limits(last(await many(1, secret))).reset).toBe(reset);
    }
    clock.advance(1);
    expect(limits(last(await many(1, secret)))).toEqual({
      limit: 60,
      remaining: 59,
      reset: seconds(openedAtMs + 120_000),
    });
  });

  describe("8 rule 3: past the limit the answer is 429 with Retry-After", () => {
    test("8 rule 3 the body is an Error, and Retry-After whole seconds that reach the reset", async () => {
      const { secret } = await service.issueKey({ plan: "free" });
      await many(60, secret);
      for (const step of [0, 1, 30_000, 29_000, 997]) {
        clock.advance(step);
        const [answer] = await many(1, secret);
        const { json, headers } = answer as Answer;
        expect(json).toMatchObject({ code: "rate_limit_exceeded", status: 429 });
        const retryAfter = headers.get("retry-after") as string;
        expect(retryAfter).toMatch(/^[1-9][0-9]*$/);
        expect(clock.nowMs() / 1000 + Number(retryAfter)).toBeGreaterThanOrEqual(limits(answer as Answer).reset);
      }
      clock.advance(2);
      expect(statuses(await many(1, secret))).toEqual({ 200: 1 });
    });

    test("8 rule 3 refused requests use no quota", async () => {
      const { secret } = await service.issueKey({ plan: "enterprise", quotas: { perMinute: 2, perDay: 4 } });
      await many(30, secret);
      clock.advance(60_000);
      expect(statuses(await many(30, secret))).toEqual({ 200: 2, 429: 28 });
      clock.advance(86_400_000);
      expect(statuses(await many(2, secret))).toEqual({ 200: 2 });
    });

    test("8 rule 3 when both windows are exhausted, the one that resets later is shown", async () => {
      const { secret } = await service.issueKey({ plan: "enterprise", quotas: { perMinute: 2, perDay: 2 } });
      const reset = seconds(clock.nowMs() + 86_400_000);
      expect(limits(await lastOf(3, secret))).toEqual({ limit: 2, remaining: 0, reset });
    });
  });

  describe("8 rule 4: a client that goes on after 429 is banned for a while", () => {
    test("8 rule 4 as many strikes as the minute quota ban a key, and each 429 says how many are left", async () => {
      const { secret } = await service.issueKey({ plan: "free" });
      await many(60, secret);
      const [first] = await many(1, secret);
      expect((first as Answer).json.message).toContain("59 more refused requests");
      expect((await lastOf(58, secret)).json.code).toBe("rate_limit_exceeded");
      const bannedAtMs = clock.nowMs();
      const banned = last(await many(1, secret));
      expect(banned.json).toMatchObject({ code: "key_banned", status: 429 });
      expect(limits(banned)).toEqual({ limit: 60, remaining: 0, reset: seconds(bannedAtMs + 60_000) });
      expect(Number(banned.headers.get("retry-after"))).toBeGreaterThanOrEqual(60);

      clock.advance(59_999);
      expect((await lastOf(100, secret)).json.code).toBe("key_banned");
      clock.advance(1);
      expect(statuses(await many(1, secret))).toEqual({ 200: 1 });
    });

    test("8 rule 4 bans last 1, 5, 30 and then 60 minutes, and are forgotten after a day", async () => {
      const { secret } = await service.issueKey({ plan: "free" });
      for (const minutes of [1, 5, 30, 60, 60]) {
        const bannedAtMs = clock.nowMs();
        const banned = await lastOf(120, secret);
        expect(banned.json.code).toBe("key_banned");
        expect(limits(banned).reset).toBe(seconds(bannedAtMs + minutes * 60_000));
        clock.advance(minutes * 60_000);
      }
      clock.advance(86_400_000);
      const bannedAtMs = clock.nowMs();
      expect(limits(await lastOf(120, secret)).reset).toBe(seconds(bannedAtMs + 60_000));
    });

    test("8 rule 4 fewer than 60 strikes in a minute never ban, however small the quota", async () => {
      const { secret } = await service.issueKey({ plan: "enterprise", quotas: { perMinute: 1, perDay: 1000 } });
      for (let minute = 0; minute < 3; minute++) {
        expect(statuses(await many(60, secret))).toEqual({ 200: 1, 429: 59 });
        clock.advance(60_000);
      }
      expect((await lastOf(61, secret)).json.code).toBe("key_banned");
    });
  });

  test("8 other limits: limit of listPets is 1 to 100, 20 by default", async () => {
    for (const [limit, status] of [
      [0, 400],
      [1, 200],
      [100, 200],
      [101, 400],
    ])
      expect((await service.call(`GET /pets?limit=${limit}`)).status).toBe(status as number);
  });
});

test("8 rule 5: higher limits come from a higher plan", () => {
  const fixed = [PLANS.free, PLANS.pro, PLANS.business];
  for (const [i, quotas] of fixed.slice(1).entries()) {
    expect(quotas.perMinute).toBeGreaterThan((fixed[i] as typeof quotas).perMinute);
    expect(quotas.perDay).toBeGreaterThan((fixed[i] as typeof quotas).perDay);
  }
});
