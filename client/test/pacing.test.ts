import { describe, expect, test } from "bun:test";
import { DAY_MS } from "../../src/base/time/clock.ts";
import { addCounts, newCounts, usageOf } from "../../src/domain/usage/usage.ts";
import { editKey } from "../../src/keys/edit.ts";
import { SIGNED } from "../../test/harness/rows/author.ts";
import type { TestService } from "../../test/harness/service/service.ts";
import { onEveryStore } from "../../test/harness/service/stores.ts";
import { AnimalStore, type AnimalStoreOptions } from "../src/index.ts";
import { SharedTime } from "./shared-time.ts";

const MINUTE_MS = 60_000;

const PATIENT = { maxWaitMs: Number.POSITIVE_INFINITY };

/** A key like one on the Free plan, but with a daily quota that is never reached. */
const FREE_MINUTES = { plan: "enterprise", quotas: { perMinute: 60, perDay: 100_000 } } as const;

onEveryStore(({ startService }) => {
  /** Starts a service and clients that share a clock. */
  async function start() {
    const time = new SharedTime();
    const service = await startService({ clock: time.clock });
    const client = (apiKey: AnimalStoreOptions["apiKey"], options: AnimalStoreOptions = {}) =>
      new AnimalStore({ baseUrl: `${service.origin}/v1`, apiKey, clock: time, fetch: time.fetch, ...options });
    return { time, service, client };
  }

  const calls = <T>(count: number, call: () => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: count }, call));

  /** The service's usage record of a key: how many requests passed, and why others were refused. */
  async function noted(service: TestService, keyId: string, time: SharedTime) {
    await service.stop();
    const span = { grain: "hour", fromMs: 0, beforeMs: time.clock.nowMs() + DAY_MS } as const;
    const counts = newCounts();
    for (const sum of await service.withStore(async ({ usage }) => usage.ofKey(keyId, span)))
      addCounts(counts, sum.counts);
    const { passed, refused } = usageOf(counts);
    const { minute_quota, day_quota, banned } = refused;
    return { passed, strikes: minute_quota + day_quota, banned };
  }

  describe("calls of many minutes at once", () => {
    test("on a key with 60 requests a minute: no strike, and no minute wasted", async () => {
      const { time, service, client } = await start();
      const { id, secret } = await service.issueKey(FREE_MINUTES);
      const store = client(secret, PATIENT);
      const answers = await time.until(calls(310, () => store.pets.list().withResponse()));
      expect(answers.every(({ attempts }) => attempts === 1)).toBeTrue();
      expect(time.now()).toBeLessThan(6 * MINUTE_MS);
      expect(time.sleeping).toBe(0);
      expect(await noted(service, id, time)).toEqual({ passed: 310, strikes: 0, banned: 0 });
    });

    test("of four clients that share the key: all are answered, and it is far from a ban", async () => {
      const { time, service, client } = await start();
      const { id, secret } = await service.issueKey(FREE_MINUTES);
      const byMinute = new Map<number, number>();
      const onResponse = ({ status }: { status: number }): void => {
        const minute = Math.floor(time.now() / MINUTE_MS);
        if (status === 429) byMinute.set(minute, (byMinute.get(minute) ?? 0) + 1);
      };
      const clients = Array.from({ length: 4 }, () => client(secret, { ...PATIENT, onResponse }));
      await time.until(Promise.all(clients.map((store) => calls(80, () => store.pets.list()))));
      expect(time.sleeping).toBe(0);
      expect(time.now()).toBeLessThan(7 * MINUTE_MS);
      const { passed, strikes, banned } = await noted(service, id, time);
      expect({ passed, banned }).toEqual({ passed: 320, banned: 0 });
      // About two refusals per minute; sixty would lead to a ban.
      expect(strikes).toBeLessThan(6 * 6);
      expect(Math.max(0, ...byMinute.values())).toBeLessThan(20);
    });

    test("on a Free key: all that the day allows, without a strike, and the next call fails at once", async () => {
      const { time, service, client } = await start();
      const { id, secret } = await service.issueKey({ plan: "free" });
      const store = client(secret, PATIENT);
      await time.until(calls(1000, () => store.pets.list()));
      const error = await store.pets.list({}, { maxWaitMs: 3_600_000 }).catch((error) => error);
      expect(error).toMatchObject({ code: "wait_too_long", attempts: 0 });
      expect(error.status).toBeUndefined();
      expect(error.retryAfterMs).toBeGreaterThan(DAY_MS - 18 * MINUTE_MS);
      expect(store.limits.windows.day).toMatchObject({ limit: 1000, remaining: 0 });
      expect(await noted(service, id, time)).toEqual({ passed: 1000, strikes: 0, banned: 0 });
    });
  });

  test("a quota of one a minute, or two: a minute is waited for, and nothing is refused", async () => {
    for (const perMinute of [1, 2]) {
      const { time, service, client } = await start();
      const { id, secret } = await service.issueKey({ plan: "enterprise", quotas: { perMinute, perDay: 100 } });
      const store = client(secret, PATIENT);
      await time.until(calls(6, () => store.pets.list()));
      expect(Math.floor(time.now() / MINUTE_MS)).toBe(6 / perMinute - 1);
      expect(await noted(service, id, time)).toEqual({ passed: 6, strikes: 0, banned: 0 });
    }
  });

  test("a call that waits until tomorrow is answered then, or soon after the operator has raised the quota", async () => {
    for (const isRaised of [false, true]) {
      const { time, service, client } = await start();
      const { id, secret } = await service.issueKey({ plan: "enterprise", quotas: { perMinute: 3, perDay: 3 } });
      const store = client(secret, PATIENT);
      const all = calls(6, () => store.pets.list());
      await time.advance(3 * 3_600_000);
      expect(store.limits.waiting + time.sleeping).toBeGreaterThan(0);
      const edit = { idOrName: id, perDay: 9 };
      if (isRaised) {
        const edited = await service.withStore(({ keys }) =>
          editKey({ keys, clock: time.clock, author: SIGNED }, edit),
        );
        expect(edited.kind).toBe("done");
        while ((await service.call("GET /pets", { secret })).status === 429) await Bun.sleep(50);
      }
      const atMs = time.now();
      await time.until(all);
      expect(time.now() - atMs).toBeLessThan(isRaised ? 7 * MINUTE_MS : 21.1 * 3_600_000);
      const { passed, banned } = await noted(service, id, time);
      expect({ passed, banned }).toEqual({ passed: isRaised ? 7 : 6, banned: 0 });
    }
  });

  test("without pacing, each call waits by itself for as long as Retry-After asks", async () => {
    const { time, service, client } = await start();
    const { id, secret } = await service.issueKey({ plan: "enterprise", quotas: { perMinute: 5, perDay: 100 } });
    const waits: number[][] = [];
    const store = client(secret, {
      pacing: false,
      onRetry: ({ error, delayMs }) => void waits.push([error.retryAfterMs ?? 0, delayMs]),
    });
    await time.until(calls(8, () => store.pets.list()));
    expect(waits).toHaveLength(3);
    for (const [askedMs = 0, delayMs = 0] of waits) {
      expect(askedMs).toBeGreaterThan(0.9 * MINUTE_MS);
      expect(delayMs).toBeWithin(askedMs, askedMs + 251);
    }
    expect(await noted(service, id, time)).toEqual({ passed: 8, strikes: 3, banned: 0 });
  });

  test("the key is asked for anew for each attempt, also for those that were held back", async () => {
    const { time, service, client } = await start();
    const [before, after] = [await service.issueKey(), await service.issueKey()];
    const secrets = [before.secret, after.secret];
    let asked = 0;
    const sent: (string | null)[] = [];
    const store = client(() => secrets[asked++] ?? after.secret, {
      fetch: async (url, init) => {
        sent.push(new Headers(init.headers).get("authorization"));
        if (sent.length > 1) return time.fetch(url, init);
        await time.during(() => service.withStore(({ keys }) => keys.revoke({ ...SIGNED, keyId: before.id, atMs: 1 })));
        throw new TypeError("the connection broke");
      },
    });
    const [first, second] = await time.until(calls(2, () => store.key()));
    expect(sent).toEqual([`Bearer ${before.secret}`, `Bearer ${after.secret}`, `Bearer ${after.secret}`]);
    expect([first?.id, second?.id, asked]).toEqual([after.id, after.id, 3]);
  });
});
