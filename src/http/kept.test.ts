import { describe, expect, test } from "bun:test";
import { Fault } from "../domain/fault.ts";
import { KeptReplies } from "./kept.ts";
import { type Reply, reply } from "./reply.ts";

/** A store of one text, whose version the test decides. */
function keeping(version: { now: number | undefined } = { now: 1 }) {
  const kept = new KeptReplies(() => version.now);
  let worked = 0;
  const ask = (url: string, body = `body of ${url}`) =>
    kept.answer(url, () => {
      worked++;
      return reply(200, body);
    }) as Reply;
  return { kept, version, ask, worked: () => worked };
}

describe("replies that are kept", () => {
  test("are worked out once, until the store's version changes", async () => {
    const { ask, version, worked } = keeping();
    const text = () => new Response(ask("/a").body).text();
    expect([await text(), await text(), await text(), worked()]).toEqual([...Array(3).fill("body of /a"), 1]);
    version.now = 2;
    expect([ask("/a", "new").body, worked()]).toEqual(["new", 2]);
  });

  test("are none where a version is not known", () => {
    const { ask, worked } = keeping({ now: undefined });
    ask("/a");
    ask("/a");
    expect(worked()).toBe(2);
  });

  test("are never faults", () => {
    const { kept, ask } = keeping();
    const fault = new Fault("pet_not_found", "");
    expect(kept.answer("/a", () => fault)).toBe(fault);
    expect(ask("/a").body).toBe("body of /a");
  });

  test("are not those that were overtaken by a write", async () => {
    const { kept, version, ask, worked } = keeping();
    const { promise, resolve } = Promise.withResolvers<Reply>();
    const late = kept.answer("/a", () => promise);
    version.now = 2;
    ask("/b");
    resolve(reply(200, "old"));
    expect(((await late) as Reply).body).toBe("old");
    expect([ask("/a").body, worked()]).toEqual(["body of /a", 2]);
  });

  test("are bounded in number and in size, and the oldest go first", () => {
    const { kept, ask, worked } = keeping();
    for (let i = 0; i < 12_000; i++) ask(`/${i}`);
    expect(kept.size).toBe(10_000);
    ask("/11999");
    expect(worked()).toBe(12_000);
    ask("/0");
    expect(worked()).toBe(12_001);
    for (let i = 0; i < 200; i++) ask(`/large/${i}`, "x".repeat(100_000));
    expect(kept.size).toBeLessThanOrEqual(80);
  });
});
