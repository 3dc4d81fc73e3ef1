import { describe, expect, test } from "bun:test";
import type { Outcome } from "../faults/fault.ts";
import { PET_NOT_FOUND } from "../faults/faults.ts";
import { Reply } from "../reply/reply.ts";
import { SharedReplies } from "./shared-replies.ts";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const textOf = (outcome: Outcome) => new Response((outcome as Reply).body).text();

describe("replies that are shared", () => {
  test("are those to one URL in one turn of the event loop: the work is done once", async () => {
    const shared = new SharedReplies();
    let worked = 0;
    const ask = (url: string) => shared.answer(url, () => new Reply(200, `${url} ${++worked}`));
    const outcomes = await Promise.all([ask("/a"), ask("/b"), ask("/a"), ask("/a")]);
    expect(await Promise.all(outcomes.map(textOf))).toEqual(["/a 1", "/b 2", "/a 1", "/a 1"]);
    expect(await textOf(await ask("/a"))).toBe("/a 3");
  });

  // Otherwise a client would not see what it has just written.
  test("are never of work that had begun before the request arrived", async () => {
    const shared = new SharedReplies();
    let stored = "old";
    const { promise: slow, resolve: end } = Promise.withResolvers<void>();
    const read = async (waitFor?: Promise<void>) => {
      const seen = stored;
      await waitFor;
      return new Reply(200, seen);
    };
    const before = shared.answer("/a", () => read(slow));
    await turn();
    stored = "new";
    expect(await textOf(await shared.answer("/a", () => read()))).toBe("new");
    end();
    expect(await textOf(await before)).toBe("old");
  });

  test("may be faults, and failures reach everyone who waits", async () => {
    const shared = new SharedReplies();
    const fault = () => PET_NOT_FOUND;
    expect(await Promise.all([shared.answer("/a", fault), shared.answer("/a", fault)])).toEqual([
      PET_NOT_FOUND,
      PET_NOT_FOUND,
    ]);
    for (const fail of [
      () => Promise.reject(new Error("gone")),
      () => {
        throw new Error("gone");
      },
    ]) {
      const failures = [
        shared.answer("/a", fail),
        shared.answer("/a", fail),
        shared.answer("/b", () => new Reply(200, "b")),
      ];
      expect((await Promise.allSettled(failures)).map(({ status }) => status)).toEqual([
        "rejected",
        "rejected",
        "fulfilled",
      ]);
    }
  });
});
