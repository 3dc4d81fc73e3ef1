import { describe, expect, test } from "bun:test";
import { PET_NOT_FOUND } from "./faults.ts";
import { type Reply, reply } from "./reply.ts";
import { ReplyCache } from "./reply-cache.ts";

/** A store of one text, whose version the test decides. */
function caching(version: { now: number | undefined } = { now: 1 }) {
  const cache = new ReplyCache(() => version.now);
  let worked = 0;
  const ask = (url: string, body = `body of ${url}`) =>
    cache.answer(url, () => {
      worked++;
      return reply(200, body);
    }) as Reply;
  return { cache, version, ask, worked: () => worked };
}

describe("cached replies", () => {
  test("are made once, until the store's version changes", async () => {
    const { ask, version, worked } = caching();
    const text = () => new Response(ask("/a").body).text();
    expect([await text(), await text(), await text(), worked()]).toEqual([...Array(3).fill("body of /a"), 1]);
    version.now = 2;
    expect([ask("/a", "new").body, worked()]).toEqual(["new", 2]);
  });

  test("are not there if the store has no version", () => {
    const { ask, worked } = caching({ now: undefined });
    ask("/a");
    ask("/a");
    expect(worked()).toBe(2);
  });

  test("are never faults", () => {
    const { cache, ask } = caching();
    expect(cache.answer("/a", () => PET_NOT_FOUND)).toBe(PET_NOT_FOUND);
    expect(ask("/a").body).toBe("body of /a");
  });

  test("are not those that a write has overtaken", async () => {
    const { cache, version, ask, worked } = caching();
    const { promise, resolve } = Promise.withResolvers<Reply>();
    const late = cache.answer("/a", () => promise);
    version.now = 2;
    ask("/b");
    resolve(reply(200, "old"));
    expect(((await late) as Reply).body).toBe("old");
    expect([ask("/a").body, worked()]).toEqual(["body of /a", 2]);
  });

  test("are bounded in number and in size, and the oldest go first", () => {
    const { cache, ask, worked } = caching();
    for (let i = 0; i < 12_000; i++) ask(`/${i}`);
    expect(cache.size).toBe(10_000);
    ask("/11999");
    expect(worked()).toBe(12_000);
    ask("/0");
    expect(worked()).toBe(12_001);
    for (let i = 0; i < 200; i++) ask(`/large/${i}`, "x".repeat(100_000));
    expect(cache.size).toBeLessThanOrEqual(80);
  });
});
