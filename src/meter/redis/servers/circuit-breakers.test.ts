import { describe, expect, test } from "bun:test";
import { FakeScheduler } from "../../../../test/harness/time/scheduler.ts";
import { CircuitBreakers } from "./circuit-breakers.ts";

function setUp() {
  const scheduler = new FakeScheduler();
  const changes: [state: string, error: unknown][] = [];
  const service = { works: true, probes: 0 };
  const breakers = new CircuitBreakers({
    scheduler,
    probe: async () => {
      service.probes++;
      if (!service.works) throw new Error("probe failed");
    },
    onChange: (_, state, error) => changes.push([state, error]),
  });
  const breaker = {
    isOpen: () => breakers.isOpen("a"),
    trip: (error: Error) => breakers.trip("a", error),
    suspect: () => breakers.suspect("a"),
    dispose: () => breakers.dispose(),
  };
  /** Time passes, and the probes that are due are answered. */
  const wait = async (ms: number) => {
    scheduler.advance(ms);
    await Bun.sleep(0);
  };
  const recover = async () => {
    service.works = true;
    await wait(scheduler.nextDelayMs as number);
    expect(breaker.isOpen()).toBe(false);
  };
  return { scheduler, changes, service, breaker, wait, recover };
}

const FAILURE = new Error("connection lost");

describe("the breaker of one server", () => {
  test("is closed until a call fails, and reports one outage however many calls fail", () => {
    const { breaker, changes } = setUp();
    expect(breaker.isOpen()).toBe(false);
    breaker.trip(FAILURE);
    breaker.trip(new Error("another"));
    expect(breaker.isOpen()).toBe(true);
    expect(changes).toEqual([["away", FAILURE]]);
  });

  test("probes every 250 ms, and closes with the first probe that succeeds", async () => {
    const { breaker, changes, service, wait } = setUp();
    service.works = false;
    breaker.trip(FAILURE);
    await wait(249);
    expect(service.probes).toBe(0);
    await wait(1);
    expect(service.probes).toBe(1);
    await wait(250);
    expect(service.probes).toBe(2);
    expect(breaker.isOpen()).toBe(true);
    service.works = true;
    await wait(250);
    expect(breaker.isOpen()).toBe(false);
    expect(changes).toEqual([
      ["away", FAILURE],
      ["back", undefined],
    ]);
    await wait(60_000);
    expect(service.probes).toBe(3);
  });

  test("a service that fails again within 10 s of its recovery is probed less and less often, at least every 10 s", async () => {
    const { breaker, scheduler, recover, wait } = setUp();
    const delays: (number | undefined)[] = [];
    for (let i = 0; i < 8; i++) {
      breaker.trip(FAILURE);
      delays.push(scheduler.nextDelayMs);
      await recover();
      await wait(9_999);
    }
    expect(delays).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
    await wait(1);
    breaker.trip(FAILURE);
    expect(scheduler.nextDelayMs).toBe(250);
  });

  test("a suspicion that a probe does not confirm changes nothing", async () => {
    const { breaker, changes, service, wait } = setUp();
    breaker.suspect();
    await wait(0);
    expect(service.probes).toBe(1);
    expect(breaker.isOpen()).toBe(false);
    expect(changes).toEqual([]);
    breaker.suspect();
    await wait(0);
    expect(service.probes).toBe(2);
  });

  test("a suspicion that a probe confirms opens the circuit; many suspicions at once take one probe", async () => {
    const { breaker, changes, service, wait } = setUp();
    service.works = false;
    for (let i = 0; i < 10; i++) breaker.suspect();
    await wait(0);
    expect(service.probes).toBe(1);
    expect(breaker.isOpen()).toBe(true);
    expect(changes).toEqual([["away", new Error("probe failed")]]);
    breaker.suspect();
    expect(service.probes).toBe(1);
  });

  test("once disposed it probes and reports nothing any more", async () => {
    const open = setUp();
    open.breaker.trip(FAILURE);
    open.breaker.dispose();
    expect(open.scheduler.nextDelayMs).toBeUndefined();

    const failing = setUp();
    failing.service.works = false;
    failing.breaker.trip(FAILURE);
    failing.scheduler.advance(250);
    failing.breaker.dispose();
    await failing.wait(0);
    expect(failing.scheduler.nextDelayMs).toBeUndefined();
    expect(failing.changes).toEqual([["away", FAILURE]]);

    const suspected = setUp();
    suspected.service.works = false;
    suspected.breaker.suspect();
    suspected.breaker.dispose();
    await suspected.wait(0);
    expect(suspected.changes).toEqual([]);

    const recovering = setUp();
    recovering.breaker.trip(FAILURE);
    recovering.scheduler.advance(250);
    recovering.breaker.dispose();
    await recovering.wait(0);
    expect(recovering.changes).toEqual([["away", FAILURE]]);
  });
});

function setUpSeveral() {
  const scheduler = new FakeScheduler();
  const changes: string[] = [];
  const dead = new Set<string>();
  const breakers = new CircuitBreakers({
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
  const { breakers, changes, dead, wait } = setUpSeveral();
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
  const { breakers, changes, dead, scheduler, wait } = setUpSeveral();
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
  const { breakers, scheduler } = setUpSeveral();
  breakers.trip("a", new Error("gone"));
  breakers.dispose();
  expect(scheduler.nextDelayMs).toBeUndefined();
});
