import { expect, test } from "bun:test";
import type { SQL } from "bun";
import { Follower, LOOK_INTERVAL_MS } from "./follower.ts";

/** A follower of an address, whose looks wait until they are answered. */
function follow({ wasReadOnly }: { wasReadOnly: boolean }) {
  const seen = { looks: 0, open: 0, replacements: 0 };
  let looking = Promise.withResolvers<unknown>();
  const newClient = (): SQL => {
    seen.looks++;
    seen.open++;
    looking = Promise.withResolvers();
    const close = async () => {
      seen.open--;
    };
    return { unsafe: () => looking.promise, close } as unknown as SQL;
  };
  const follower = new Follower({ newClient, replaceConnections: () => seen.replacements++ }, wasReadOnly);
  const answer = async (mode: "on" | "off") => {
    looking.resolve([{ mode }]);
    while (seen.open > 0) await Bun.sleep(0);
  };
  const fail = async () => {
    looking.reject(new Error("connection refused"));
    while (seen.open > 0) await Bun.sleep(0);
  };
  return { follower, seen, answer, fail };
}

test("connections are replaced when their server begins or ceases to be read-only", () => {
  const { follower, seen } = follow({ wasReadOnly: false });
  for (const isReadOnly of [false, true, true, false, false]) follower.noteMode(isReadOnly, 0);
  expect(seen).toEqual({ looks: 0, open: 0, replacements: 2 });
});

test("while the server is read-only, a new connection looks at intervals, one at a time", async () => {
  const { follower, seen, answer } = follow({ wasReadOnly: true });
  follower.noteMode(true, 0);
  follower.noteMode(true, LOOK_INTERVAL_MS);
  expect(seen).toEqual({ looks: 1, open: 1, replacements: 0 });
  await answer("on");
  follower.noteMode(true, LOOK_INTERVAL_MS - 1);
  expect(seen.looks).toBe(1);
  follower.noteMode(true, LOOK_INTERVAL_MS);
  expect(seen.looks).toBe(2);
  await answer("on");
  expect(seen.replacements).toBe(0);
});

test("connections are replaced once the address leads to a server that takes writes", async () => {
  const { follower, seen, answer, fail } = follow({ wasReadOnly: true });
  follower.noteMode(true, 0);
  await fail();
  expect(seen.replacements).toBe(0);
  follower.noteMode(true, LOOK_INTERVAL_MS);
  await answer("off");
  expect(seen.replacements).toBe(1);
});

test("a server that takes writes costs no further connections", () => {
  const { follower, seen } = follow({ wasReadOnly: false });
  for (let nowMs = 0; nowMs < 10 * LOOK_INTERVAL_MS; nowMs += 500) follower.noteMode(false, nowMs);
  expect(seen.looks).toBe(0);
});

test("once it is closed, no look is left, and none begins", async () => {
  const { follower, seen, answer } = follow({ wasReadOnly: true });
  follower.noteMode(true, 0);
  const closing = follower.close();
  await answer("off");
  await closing;
  follower.noteMode(true, LOOK_INTERVAL_MS);
  expect({ looks: seen.looks, replacements: seen.replacements }).toEqual({ looks: 1, replacements: 0 });
});
