import { expect, test } from "bun:test";
import { FakeScheduler } from "../../../../test/harness/time/scheduler.ts";
import { ServerBreakers } from "./server-breakers.ts";

function setUp() {
  const scheduler = new FakeScheduler();
  const changes: string[] = [];
  const dead = new Set<string>();
  const breakers = new ServerBreakers({
    scheduler,
    probe: async (server) => {
      if (dead.has(server)) throw new Error("still dead");
    },
    onChange: (server, state) => changes.push(`${server} ${state}`),
  });
  const wait = async (ms: number) => {
    scheduler.advance(ms);
    await Bun.sleep(0);
  };
  return { scheduler, changes, dead, breakers, wait };
}

test("a server that fails is away alone, and is back by itself", async () => {
  const { breakers, changes, dead, wait } = setUp();
  expect(breakers.areAllClosed).toBe(true);
  dead.add("a").add("b");
  breakers.trip("a", new Error("gone"));
  breakers.suspect("b");
  breakers.suspect("c");
  await wait(0);
  expect(["a", "b", "c"].map((server) => breakers.isOpen(server))).toEqual([true, true, false]);
  expect(changes).toEqual(["a away", "b away"]);
  dead.delete("a");
  await wait(250);
  expect(changes).toEqual(["a away", "b away", "a back"]);
  expect(breakers.areAllClosed).toBe(false);
  dead.clear();
  await wait(250);
  expect(breakers.areAllClosed).toBe(true);
});

test("a server that nobody needs any more is no longer probed or away", async () => {
  const { breakers, changes, dead, scheduler, wait } = setUp();
  dead.add("a");
  breakers.trip("a", new Error("gone"));
  breakers.suspect("b");
  await wait(0);
  breakers.retain(["c"]);
  expect(changes).toEqual(["a away", "a replaced"]);
  expect(breakers.areAllClosed).toBe(true);
  expect(breakers.isOpen("a")).toBe(false);
  expect(scheduler.nextDelayMs).toBeUndefined();
});

test("once disposed, nothing is probed", () => {
  const { breakers, scheduler } = setUp();
  breakers.trip("a", new Error("gone"));
  breakers.dispose();
  expect(scheduler.nextDelayMs).toBeUndefined();
});
