import { describe, expect, test } from "bun:test";
import { DAY_MS, MINUTE_MS } from "../../src/base/time/clock.ts";
import { editKey, type KeyEdit } from "../../src/keys/edit.ts";
import { resumeKey, suspendKey } from "../../src/keys/suspend.ts";
import type { Answer } from "../harness/requests/send.ts";
import { SIGNED } from "../harness/rows/author.ts";
import { awaiterOfKeyChanges } from "../harness/service/key-changes.ts";
import type { IssueOptions, TestService } from "../harness/service/service.ts";
import { onEveryStore } from "../harness/service/stores.ts";
import { FakeClock } from "../harness/time/clock.ts";

onEveryStore(({ startService, setUp, backend }) => {
  const clock = new FakeClock();
  let service: TestService;
  let allKnown: () => Promise<void>;
  setUp(async () => {
    service = await startService({ clock, env: { ANONYMOUS_PER_MINUTE: "100000" } });
    allKnown = await awaiterOfKeyChanges([service], clock);
  });

  /** A key that is used, so that the service knows it. */
  async function usedKey(options: IssueOptions) {
    const { id, secret } = await service.issueKey(options);
    await allKnown();
    const get = () => service.call("GET /pets", { secret });
    const many = (times: number) => Promise.all(Array.from({ length: times }, get));
    expect((await get()).status).toBe(200);
    return { id, secret, get, many };
  }

  /** Asks once the service knows all changes. */
  async function felt(get: () => Promise<Answer>, isFelt: (answer: Answer) => boolean): Promise<Answer> {
    await allKnown();
    const answer = await get();
    expect(answer).toSatisfy(isFelt);
    return answer;
  }

  const isStatus =
    (status: number) =>
    (answer: Answer): boolean =>
      answer.status === status;

  /** Asks for the answer that names the quota: every request counts, so the quota is what tells an old plan from a new. */
  const hasLimit =
    (limit: number) =>
    ({ headers }: Answer): boolean =>
      headers.get("x-ratelimit-limit") === String(limit);

  const edit = (id: string, change: Omit<KeyEdit, "idOrName">) =>
    service.withStore(async ({ keys }) => {
      const edited = await editKey({ keys, clock, author: SIGNED }, { idOrName: id, ...change });
      if (edited.kind === "refused") throw new Error(edited.reason.kind);
      return edited.value.key;
    });

  const remaining = ({ headers }: Answer): number => Number(headers.get("x-ratelimit-remaining"));

  test("a suspended key is refused with a message that says so, uses no quota, and works again when it is resumed", async () => {
    const { id, get, many } = await usedKey({ plan: "free" });
    await service.withStore(({ keys }) => suspendKey({ keys, clock, author: SIGNED }, id));
    const { json, headers } = await felt(get, isStatus(401));
    expect(json).toMatchObject({ code: "invalid_api_key", message: expect.stringContaining("suspended") });
    expect(headers.get("www-authenticate")).toBe('Bearer realm="animal-store", error="invalid_token"');
    expect(new Set((await many(200)).map(({ status }) => status))).toEqual(new Set([401]));
    await service.withStore(({ keys }) => resumeKey({ keys, clock, author: SIGNED }, id));
    const resumed = await felt(get, isStatus(200));
    expect(resumed.headers.get("x-ratelimit-limit")).toBe("60");
    expect(remaining(resumed)).toBeWithin(0, 59);
  });

  describe("a change of plan keeps what was used:", () => {
    test("with a larger quota the key passes again, and with a smaller one it is refused", async () => {
      const { id, get, many } = await usedKey({ plan: "free" });
      expect((await many(70)).filter(isStatus(200))).toHaveLength(59);
      expect(await edit(id, { plan: "pro" })).toMatchObject({ plan: "pro", quotas: { perMinute: 300 } });
      const passed = await felt(get, isStatus(200));
      expect([passed.headers.get("x-ratelimit-limit"), remaining(passed)]).toEqual(["300", 239]);
      await edit(id, { plan: "free" });
      const refused = await felt(get, isStatus(429));
      expect([refused.headers.get("x-ratelimit-limit"), remaining(refused)]).toEqual(["60", 0]);
      clock.advance(MINUTE_MS);
      expect(remaining(await get())).toBe(59);
    });

    test("also in the window of a day", async () => {
      const quotas = { perMinute: 5, perDay: 5 };
      const { id, get, many } = await usedKey({ plan: "enterprise", quotas });
      expect((await many(10)).filter(isStatus(200))).toHaveLength(4);
      clock.advance(MINUTE_MS);
      expect((await get()).status).toBe(429);
      await edit(id, { perDay: 8 });
      await felt(get, isStatus(200));
      expect((await many(10)).filter(isStatus(200))).toHaveLength(2);
      clock.advance(MINUTE_MS);
      await edit(id, { perDay: 6 });
      await felt(get, hasLimit(6));
      clock.advance(MINUTE_MS);
      expect((await get()).status).toBe(429);
      clock.advance(DAY_MS);
      expect((await many(10)).filter(isStatus(200))).toHaveLength(5);
    });

    test("a ban stays, and strikes add up to what the new plan allows", async () => {
      const { id, get, many } = await usedKey({ plan: "enterprise", quotas: { perMinute: 1, perDay: 100_000 } });
      expect((await many(15)).map(({ json }) => json.code)).toEqual(Array(15).fill("rate_limit_exceeded"));
      await edit(id, { perMinute: 100 });
      await felt(get, isStatus(200));
      const codes = (await many(250)).map(({ status, json }) => (status === 200 ? "pass" : json.code));
      // A new ban takes 100 strikes, of which there are 15. What is sent together may be refused together before an
      // instance hears of the ban.
      expect(codes.filter((code) => code === "pass")).toHaveLength(98);
      expect(codes.filter((code) => code === "rate_limit_exceeded").length).toBeWithin(84, 152);
      expect(codes).toContain("key_banned");
      await edit(id, { perMinute: 10_000 });
      await felt(get, hasLimit(10_000));
      expect((await get()).json.code).toBe("key_banned");
      clock.advance(MINUTE_MS);
      expect((await get()).status).toBe(200);
    });
  });

  test("a changed expiry is felt: sooner, later and never", async () => {
    const { id, get } = await usedKey({ plan: "business" });
    await edit(id, { expiresAtMs: clock.nowMs() + MINUTE_MS });
    await felt(get, isStatus(200));
    clock.advance(MINUTE_MS);
    expect((await get()).status).toBe(401);
    expect((await get()).json.message).toContain("expired");
    await edit(id, { expiresAtMs: clock.nowMs() + DAY_MS });
    await felt(get, isStatus(200));
    clock.advance(DAY_MS);
    expect((await get()).status).toBe(401);
    await edit(id, { expiresAtMs: null });
    await felt(get, isStatus(200));
    clock.advance(1_000 * DAY_MS);
    expect((await get()).status).toBe(200);
  });

  test("a deleted key is unknown, and what was counted for it neither fails to be saved nor comes back", async () => {
    const logged: string[] = [];
    const own = await startService({ clock, logged });
    const allKnownThere = await awaiterOfKeyChanges([own], clock);
    const { id, secret } = await own.issueKey({ plan: "free" });
    const get = () => own.call("GET /pets", { secret });
    await get();
    await own.withStore(async ({ keys }) => {
      await keys.revoke({ ...SIGNED, keyId: id, atMs: clock.nowMs() });
      expect(await keys.delete({ ...SIGNED, keyId: id })).toBe(true);
    });
    // Most likely still admitted, so that there is something to save.
    await get();
    await allKnownThere();
    const { json } = await get();
    expect(json.message).toContain("unknown");
    await own.stop();
    expect(logged.filter((line) => JSON.parse(line).level === "error")).toEqual([]);
    expect(await backend.query(own.storage, `SELECT * FROM tallies WHERE key_id = '${id}'`)).toEqual([]);
  });

  test("the last use of a key is noted to the minute, at the latest when the service stops", async () => {
    const own = await startService({ clock });
    const [used, unused] = [await own.issueKey(), await own.issueKey()];
    expect((await own.call("GET /pets", { secret: used.secret })).status).toBe(200);
    const minuteMs = Math.floor(clock.nowMs() / MINUTE_MS) * MINUTE_MS;
    const revision = await own.withStore(async ({ keys }) => keys.revision());
    await own.stop();
    await own.withStore(async ({ keys }) => {
      expect((await keys.get(used.id))?.lastUsedAtMs).toBe(minuteMs);
      expect((await keys.get(unused.id))?.lastUsedAtMs).toBeUndefined();
      expect(await keys.revision()).toBe(revision);
    });
  });

  test("a service notes where it counts requests", async () => {
    const place = service.storage.REDIS_URL ? "redis" : "database";
    expect(await service.withStore(async ({ metadata }) => metadata.countingPlace())).toBe(place);
  });
});
