import { expect, test } from "bun:test";
import { SCOPES } from "../../src/domain/keys/scope.ts";
import type { TestService } from "../harness/service/service.ts";
import { onEveryStore } from "../harness/service/stores.ts";
import { FakeClock } from "../harness/time/clock.ts";

const MINUTE = 60_000;

/** The time in the form of X-RateLimit-Reset. */
const inWholeSeconds = (ms: number): string => new Date(Math.ceil(ms / 1000) * 1000).toISOString();

onEveryStore(({ startService, setUp, backend }) => {
  let service: TestService;
  const clock = new FakeClock();
  setUp(async () => {
    service = await startService({ clock });
  });
  const getKey = async (secret: string) => service.call("GET /key", { secret });

  test("4.4 getKey answers with the caller's own key, and its quotas after this very request", async () => {
    const expiresAtMs = clock.nowMs() + 3_600_000 + 123;
    const { id, secret } = await service.issueKey({ plan: "free", expiresAtMs, name: 'Tür 3 "neu"' });
    const atMs = clock.nowMs();
    const { status, json, headers } = await getKey(secret);
    expect(status).toBe(200);
    expect(json).toEqual({
      id,
      name: 'Tür 3 "neu"',
      plan: "free",
      scopes: SCOPES,
      rotation: false,
      expiresAt: new Date(expiresAtMs).toISOString(),
      quotas: [
        { window: "minute", limit: 60, remaining: 59, resetAt: inWholeSeconds(atMs + MINUTE) },
        { window: "day", limit: 1000, remaining: 999, resetAt: inWholeSeconds(atMs + 86_400_000) },
      ],
      strikesLeft: 60,
    });
    expect(headers.get("x-ratelimit-remaining")).toBe("59");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.has("etag")).toBe(false);
  });

  test("4.4 expiresAt is left out of a key that never expires", async () => {
    const { secret } = await service.issueKey();
    expect((await getKey(secret)).json).not.toHaveProperty("expiresAt");
  });

  test("4.4 the quotas agree with the headers, to the second, wherever in a window the request comes", async () => {
    const { secret } = await service.issueKey({ plan: "enterprise", quotas: { perMinute: 5, perDay: 7 } });
    const remaining: number[][] = [];
    for (const wait of [0, 1, 499, 30_001, MINUTE, 1, 1]) {
      clock.advance(wait);
      const { json, headers } = await getKey(secret);
      const [minute, day] = json.quotas;
      remaining.push([minute.remaining, day.remaining]);
      const shown = minute.remaining < day.remaining ? minute : day;
      expect(headers.get("x-ratelimit-remaining")).toBe(String(shown.remaining));
      expect(headers.get("x-ratelimit-reset")).toBe(String(Date.parse(shown.resetAt) / 1000));
      expect(headers.get("ratelimit")).toMatch(
        new RegExp(`^"minute";r=${minute.remaining};t=\\d+, "day";r=${day.remaining};t=\\d+$`),
      );
    }
    expect(remaining).toEqual([
      [4, 6],
      [3, 5],
      [2, 4],
      [1, 3],
      [4, 2],
      [3, 1],
      [2, 0],
    ]);
    expect((await getKey(secret)).status).toBe(429);
  });

  test("4.4 any scope will do, and none as well", async () => {
    for (const scopes of [[], ["orders:write"], ["pets:read", "orders:read"]] as const) {
      const { secret } = await service.issueKey({ scopes });
      expect((await getKey(secret)).json.scopes).toEqual([...scopes]);
    }
  });

  test("4.4 HEAD is GET without the body; parameters and other methods are refused", async () => {
    const { secret } = await service.issueKey();
    expect(await service.call("HEAD /key", { secret })).toMatchObject({ status: 200, text: "" });
    expect((await service.call("GET /key?id=1", { secret })).json.code).toBe("invalid_parameter");
    const { status, headers } = await service.call("DELETE /key", { secret });
    expect([status, headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    expect((await service.call("GET /key", { secret: null })).status).toBe(401);
  });

  test("4.4 If-None-Match changes nothing, since what would be sent is never the same", async () => {
    const { secret } = await service.issueKey();
    for (const known of ["*", '"a"'])
      expect((await service.call("GET /key", { secret, headers: { "If-None-Match": known } })).status).toBe(200);
  });

  test("4.4 of 60 keys that ask at once, again and again, each is shown itself and nobody else", async () => {
    const keys: { id: string; secret: string }[] = [];
    for (let i = 0; i < 60; i++) {
      const quotas = { perMinute: 100 + i, perDay: 1000 + i };
      keys.push(await service.issueKey({ plan: "enterprise", name: `key ${i}`, quotas }));
    }
    for (let round = 1; round <= 3; round++) {
      const answers = await Promise.all(keys.map(({ secret }) => getKey(secret)));
      for (const [i, { json }] of answers.entries())
        expect(json).toMatchObject({
          id: keys[i]?.id,
          name: `key ${i}`,
          quotas: [
            { limit: 100 + i, remaining: 100 + i - round },
            { limit: 1000 + i, remaining: 1000 + i - round },
          ],
          strikesLeft: 100 + i,
        });
    }
  });

  test("4.4 of one key's requests that arrive together, each shows a different rest", async () => {
    const { secret } = await service.issueKey({ plan: "free" });
    const answers = await Promise.all(Array.from({ length: 20 }, () => getKey(secret)));
    const rests = answers.map(({ json, headers }) => {
      expect(String(json.quotas[0].remaining)).toBe(headers.get("x-ratelimit-remaining") as string);
      return json.quotas[0].remaining;
    });
    expect(rests.sort((a, b) => b - a)).toEqual(Array.from({ length: 20 }, (_, i) => 59 - i));
  });

  /** Changes a key as an operator would, and waits until the service has noticed. */
  async function change(id: string, columns: string): Promise<void> {
    const witness = await service.issueKey({ plan: "enterprise" });
    await getKey(witness.secret);
    const noticed = `noticed ${witness.id}`;
    await backend.query(service.storage, `UPDATE keys SET ${columns} WHERE id = '${id}'`);
    await backend.query(service.storage, `UPDATE keys SET name = '${noticed}' WHERE id = '${witness.id}'`);
    await backend.query(service.storage, "UPDATE key_revision SET revision = revision + 1");
    while ((await getKey(witness.secret)).json.name !== noticed) await Bun.sleep(20);
  }

  const statuses = async (secret: string, count: number): Promise<number[]> => {
    const all: number[] = [];
    for (let i = 0; i < count; i++) all.push((await getKey(secret)).status);
    return [...new Set(all)];
  };

  test("4.4 strikesLeft: those of this minute count, also on the plan that the key has now", async () => {
    const { id, secret } = await service.issueKey({ plan: "enterprise", quotas: { perMinute: 1, perDay: 1000 } });
    expect((await getKey(secret)).json.strikesLeft).toBe(60);
    expect(await statuses(secret, 7)).toEqual([429]);
    await change(id, "per_minute = 300, plan = 'pro'");
    expect((await getKey(secret)).json).toMatchObject({
      plan: "pro",
      strikesLeft: 293,
      quotas: [{ remaining: 298 }, {}],
    });
    clock.advance(MINUTE);
    expect((await getKey(secret)).json.strikesLeft).toBe(300);
  });

  test("4.4 strikesLeft is 1 when the next refused request leads to a ban, and that is what it does", async () => {
    const { id, secret } = await service.issueKey({ plan: "enterprise", quotas: { perMinute: 1, perDay: 1000 } });
    expect((await getKey(secret)).status).toBe(200);
    expect(await statuses(secret, 59)).toEqual([429]);
    await change(id, "per_minute = 2");
    expect((await getKey(secret)).json.strikesLeft).toBe(1);
    expect((await getKey(secret)).json.code).toBe("key_banned");
  });

  test("4.4 strikesLeft after an unban: a new minute, and nothing is held against the key", async () => {
    const { id, secret } = await service.issueKey({ plan: "enterprise", quotas: { perMinute: 1, perDay: 1000 } });
    expect(await statuses(secret, 61)).toEqual([200, 429]);
    clock.advance(MINUTE);
    expect(await statuses(secret, 61)).toEqual([200, 429]);
    await change(id, `pardoned_at = ${clock.nowMs()}`);
    clock.advance(MINUTE);
    expect((await getKey(secret)).json.strikesLeft).toBe(60);
  });
});
