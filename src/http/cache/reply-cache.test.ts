import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { RawConnection } from "../../../test/harness/requests/raw.ts";
import { andThen } from "../../base/time/awaitable.ts";
import type { Version } from "../../store/ports/store.ts";
import { asReply, type Outcome } from "../faults/fault.ts";
import { PET_NOT_FOUND } from "../faults/faults.ts";
import { Reply } from "../reply/reply.ts";
import { ReplyCache } from "./reply-cache.ts";

const VERSION: Version = { changes: 1, additions: 1 };

/** A store of one text, whose version the test decides. What is under /settled survives additions. */
function caching(version: { now: Version | undefined } = { now: VERSION }, threads = 1) {
  const cache = new ReplyCache(() => version.now, { threads });
  let worked = 0;
  const ask = (url: string, body = `body of ${url}`) =>
    cache.answer(url, () => {
      worked++;
      return new Reply(200, body, {}, undefined, url.startsWith("/settled"));
    }) as Reply;
  const text = (url: string, body?: string): Promise<string> => new Response(ask(url, body).body).text();
  return { cache, version, ask, text, worked: () => worked };
}

describe("cached replies", () => {
  test("are made twice at most, until the store's version changes", async () => {
    const { text, version, worked } = caching();
    for (let i = 0; i < 5; i++) expect(await text("/a")).toBe("body of /a");
    expect(worked()).toBe(2);
    version.now = { changes: 2, additions: 1 };
    for (let i = 0; i < 5; i++) expect(await text("/a", "new")).toBe("new");
    expect(worked()).toBe(3);
  });

  test("survive additions if they can, and otherwise no version but their own", async () => {
    const { text, version, worked } = caching();
    const ask = async (body: string) => [await text("/settled", body), await text("/last", body)];
    for (const _ of [1, 2]) expect(await ask("old")).toEqual(["old", "old"]);
    expect(await ask("new")).toEqual(["old", "old"]);
    version.now = { ...VERSION, additions: 2 };
    for (const _ of [1, 2]) expect(await ask("new")).toEqual(["old", "new"]);
    expect(worked()).toBe(5);
    version.now = { changes: 2, additions: 2 };
    expect(await ask("newest")).toEqual(["newest", "newest"]);
  });

  test("are dropped by any change, and by additions only if they do not survive them, however versions follow each other", () => {
    const version: { now: Version } = { now: VERSION };
    const cache = new ReplyCache(() => version.now);
    const madeAt = new Map<string, Version>();
    const urls = ["/settled/1", "/settled/2", "/1", "/2"];
    const step = fc.oneof(fc.constantFrom("change", "addition"), fc.constantFrom(...urls));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        for (const step of steps) {
          const { changes, additions } = version.now;
          if (step === "change") version.now = { changes: changes + 1, additions };
          else if (step === "addition") version.now = { changes, additions: additions + 1 };
          else {
            const isSettled = step.startsWith("/settled");
            cache.answer(step, () => {
              madeAt.set(step, version.now);
              return new Reply(200, "body", {}, undefined, isSettled);
            });
            expect(madeAt.get(step)?.changes).toBe(changes);
            if (!isSettled) expect(madeAt.get(step)).toBe(version.now);
          }
        }
      }),
    );
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

  test("are made at once while the version of an embedded store is not known", () => {
    const cache = new ReplyCache(() => undefined, { threads: 1, readsAtOnce: true });
    const made = new Reply(200, "body");
    for (let i = 0; i < 3; i++) expect(cache.answer("/a", () => made)).toBe(made);
    expect(cache.size).toBe(0);
  });

  test("are made at once, so that Bun does not close a connection with another request behind this one", async () => {
    const received = async (readsAtOnce: boolean): Promise<string> => {
      const cache = new ReplyCache(() => undefined, { threads: 1, readsAtOnce });
      const toResponse = (outcome: Outcome): Response => new Response(asReply(outcome).body);
      await using server = Bun.serve({
        port: 0,
        hostname: "127.0.0.1",
        fetch: ({ url }) =>
          andThen(
            cache.answer(url, () => new Reply(200, "body")),
            toResponse,
          ),
      });
      const connection = await RawConnection.open(server.url.origin);
      connection.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(3));
      const all = await connection.until((text) => text.split("HTTP/1.1 200").length > 3);
      connection.destroy();
      return all;
    };
    expect((await received(true)).match(/HTTP\/1.1 200/g)).toHaveLength(3);
    // If this fails, Bun has learned to wait, and reads need not be made at once.
    expect(await received(false)).toBe("");
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
    version.now = { changes: 2, additions: 1 };
    ask("/b");
    resolve(new Reply(200, "old"));
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

  test("share these bounds with those of other threads", () => {
    const { cache, ask } = caching({ now: VERSION }, 4);
    for (let i = 0; i < 5_000; i++) {
      for (const _ of [1, 2]) ask(`/${i}`);
      expect(cache.size).toBeLessThanOrEqual(2_500);
    }
    expect(cache.size).toBeGreaterThan(1_250);
    for (let i = 0; i < 100; i++) for (const _ of [1, 2]) ask(`/large/${i}`, "x".repeat(100_000));
    expect(cache.size).toBeLessThanOrEqual(21);
  });

  test("that are made again and again take no more room", () => {
    const { ask, version, worked } = caching();
    for (const _ of [1, 2]) ask("/settled");
    for (let additions = 2; additions < 1_000; additions++) {
      version.now = { changes: 1, additions };
      ask("/last", "x".repeat(100_000));
    }
    const before = worked();
    ask("/settled");
    expect(worked()).toBe(before);
  });
});
