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
  const text = (url: string, body?: string): Promise<string> => new Response(ask(url, body).body).text();
  return { cache, version, ask, text, worked: () => worked };
}

describe("cached replies", () => {
  test("are made twice at most, until the store's version changes", async () => {
    const { text, version, worked } = caching();
    for (let i = 0; i < 5; i++) expect(await text("/a")).toBe("body of /a");
    expect(worked()).toBe(2);
    version.now = 2;
    for (let i = 0; i < 5; i++) expect(await text("/a", "new")).toBe("new");
    expect(worked()).toBe(3);
  });

  test("are those of URLs that are asked for again", () => {
    const { cache, ask } = caching();
    for (let i = 0; i < 1000; i++) ask(`/${i}`);
    expect(cache.size).toBe(0);
    ask("/999");
    expect(cache.size).toBe(1);
  });

  test("stay when many other URLs are asked for once", () => {
    const { cache, ask, worked } = caching();
    for (const _ of [1, 2]) ask("/often");
    for (let i = 0; i < 50_000; i++) ask(`/${i}`);
    const before = worked();
    ask("/often");
    expect(worked()).toBe(before);
    expect(cache.size).toBeLessThan(100);
  });

  test("are not there if the store has no version", async () => {
    const { ask, worked } = caching({ now: undefined });
    for (let i = 0; i < 3; i++) await ask("/a");
    expect(worked()).toBe(3);
  });

  test("are never faults", () => {
    const { cache, ask } = caching();
    for (let i = 0; i < 3; i++) expect(cache.answer("/a", () => PET_NOT_FOUND)).toBe(PET_NOT_FOUND);
    expect(cache.size).toBe(0);
    expect(ask("/a").status).toBe(200);
  });

  test("are not those that a write has overtaken", async () => {
    const { cache, version, ask, text } = caching();
    ask("/a");
    const { promise, resolve } = Promise.withResolvers<Reply>();
    const late = cache.answer("/a", () => promise);
    version.now = 2;
    ask("/b");
    resolve(reply(200, "old"));
    expect(((await late) as Reply).body).toBe("old");
    expect(await text("/a", "new")).toBe("new");
  });

  test("are bounded in number, and those asked for lately stay", () => {
    const { cache, ask, worked } = caching();
    for (let i = 0; i < 50_000; i++) {
      ask(`/${i}`);
      ask(`/${i}`);
      if (i % 1000 === 0) ask("/often");
      expect(cache.size).toBeLessThanOrEqual(10_000);
    }
    const before = worked();
    ask("/49999");
    ask("/often");
    expect(worked()).toBe(before);
    ask("/0");
    expect(worked()).toBe(before + 1);
  });

  test("are bounded in size", () => {
    const { cache, ask } = caching();
    for (let i = 0; i < 500; i++) {
      for (const _ of [1, 2]) ask(`/large/${i}`, "x".repeat(100_000));
      expect(cache.size).toBeLessThanOrEqual(81);
    }
    expect(cache.size).toBeGreaterThan(40);
  });
});
