import { describe, expect, spyOn, test } from "bun:test";
import fc from "fast-check";
import type { AnimalStoreError } from "../src/index.ts";
import { onAbort } from "../src/on-abort.ts";
import { createPacer } from "../src/pacing/pacer.ts";
import type { Answered, Outcome } from "../src/pacing/quota-status.ts";
import { SharedTime } from "./shared-time.ts";
import { SimulatedService } from "./simulated-service.ts";

/** The fate of a request. */
type Fate = "answered" | "lost" | "answer lost" | "503" | "401" | "bare";

interface Plan {
  /** The time after the previous call. */
  readonly afterMs: number;
  readonly maxWaitMs: number;
  readonly abortAfterMs: number | undefined;
  readonly thereMs: number;
  readonly backMs: number;
  readonly fate: Fate;
}

const bare = (status: number, retryAfterMs?: number): Answered => ({ status, headers: new Headers(), retryAfterMs });

const told = (limits: string, status = 200): Answered => ({
  status,
  headers: new Headers({ "RateLimit-Policy": '"minute";q=60;w=60, "day";q=1000;w=86400', RateLimit: limits }),
  retryAfterMs: undefined,
});

const setUp = ({ pacing = true } = {}) => {
  const time = new SharedTime();
  const [enterUntil, leave, limits] = createPacer(time, pacing);
  const pacer = {
    enter: (maxWaitMs: number, signal?: AbortSignal) => enterUntil(time.now() + maxWaitMs, signal),
    leave,
    limits,
  };
  /** Enters, and records the outcome. */
  const enter = (maxWaitMs = Number.POSITIVE_INFINITY, signal?: AbortSignal) => {
    const entry: { pass?: number; error?: AnimalStoreError } = {};
    (async () => pacer.enter(maxWaitMs, signal))().then(
      (pass) => Object.assign(entry, { pass }),
      (error) => Object.assign(entry, { error }),
    );
    return entry;
  };
  const passed = (entries: readonly { pass?: number }[]) => entries.filter(({ pass }) => pass !== undefined).length;
  /** Enters, which must be possible at once, and leaves with this outcome. */
  const exchange = (outcome: Outcome = "lost") => pacer.leave(pacer.enter(0, undefined) as number, outcome);
  return { time, pacer, enter, passed, exchange };
};

/** Simulates calls against the service's rules. Returns their outcomes in the order in which they passed. */
async function simulate(plans: readonly Plan[], service: SimulatedService) {
  const { time, pacer } = setUp();
  const outcomes: string[] = [];
  const order: number[] = [];
  let inFlight = 0;
  let mostInFlight = 0;
  const call = async (plan: Plan, index: number): Promise<void> => {
    const abort = new AbortController();
    const ended = new AbortController();
    if (plan.abortAfterMs !== undefined) void time.sleep(plan.abortAfterMs, ended.signal).then(() => abort.abort());
    try {
      const pass = await pacer.enter(plan.maxWaitMs, abort.signal);
      order.push(index);
      mostInFlight = Math.max(mostInFlight, ++inFlight);
      await time.sleep(plan.thereMs);
      const answered = plan.fate === "lost" ? undefined : answerOf(plan.fate, service.judge(time.clock.nowMs()));
      await time.sleep(plan.backMs);
      inFlight--;
      pacer.leave(pass, answered ?? "lost");
      outcomes[index] = String(answered?.status);
    } catch (error) {
      outcomes[index] = (error as AnimalStoreError).code;
    }
    ended.abort();
  };
  const calls: Promise<void>[] = [];
  for (const [index, plan] of plans.entries()) {
    if (plan.afterMs > 0) await time.advance(plan.afterMs);
    calls.push(call(plan, index));
  }
  await time.until(Promise.all(calls));
  return { outcomes, order, mostInFlight, time, waiting: pacer.limits().waiting };
}

function answerOf(fate: Fate, answered: Answered): Answered | undefined {
  if (fate === "answer lost") return undefined;
  if (fate === "503" || fate === "401") return { ...answered, status: Number(fate) };
  return fate === "bare" ? bare(answered.status) : answered;
}

const plan = (fates: readonly Fate[], latencyMaxMs: number) =>
  fc.record({
    afterMs: fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 90_000 })),
    maxWaitMs: fc.oneof(
      fc.constant(Number.POSITIVE_INFINITY),
      fc.constantFrom(0, 1, 50, 61_000, 120_000),
      fc.integer({ min: 0, max: 300_000 }),
    ),
    abortAfterMs: fc.option(fc.integer({ min: 0, max: 100_000 }), { nil: undefined, freq: 5 }),
    thereMs: fc.integer({ min: 0, max: latencyMaxMs }),
    backMs: fc.integer({ min: 0, max: latencyMaxMs }),
    fate: fc.constantFrom(...fates),
  });

const QUOTAS = fc.constantFrom([1, 1000], [2, 1000], [5, 12], [60, 1000], [60, 40], [300, 10_000]);

describe("whatever calls come, and however long their answers take", () => {
  test("a client alone is never refused, lets calls pass in their order, and ends each of them", () =>
    fc.assert(
      fc.asyncProperty(
        QUOTAS,
        fc.array(plan(["answered"], 900), { maxLength: 150, size: "max" }),
        async ([perMinute = 0, perDay = 0], plans) => {
          const service = new SimulatedService(perMinute, perDay);
          const { outcomes, order, mostInFlight, time, waiting } = await simulate(plans, service);
          expect(outcomes).toHaveLength(plans.length);
          expect(order).toEqual(order.toSorted((a, b) => a - b));
          expect(mostInFlight).toBeLessThanOrEqual(Math.max(1, perMinute / 8));
          for (const [index, outcome] of outcomes.entries())
            expect([index, outcome]).toEqual([index, expect.stringMatching(/^(200|aborted|wait_too_long|429)$/)]);
          // After the daily quota is used up, probes every five minutes may be refused.
          if (plans.length <= perDay) expect(service.strikes).toBe(0);
          expect(service.bans).toBe(0);
          expect([waiting, time.sleeping]).toEqual([0, 0]);
        },
      ),
      { numRuns: 60 },
    ));

  test("whatever happens to answers, nobody waits for ever, and the key is not banned", () =>
    fc.assert(
      fc.asyncProperty(
        QUOTAS,
        fc.array(plan(["answered", "lost", "answer lost", "503", "401", "bare"], 20_000), {
          maxLength: 200,
          size: "max",
        }),
        async ([perMinute = 0, perDay = 0], plans) => {
          const service = new SimulatedService(perMinute, perDay);
          const { outcomes, time, waiting } = await simulate(plans, service);
          expect(Object.keys(outcomes)).toHaveLength(plans.length);
          expect(service.bans).toBe(0);
          expect([waiting, time.sleeping]).toEqual([0, 0]);
        },
      ),
      { numRuns: 60 },
    ));
});

describe("from one window to the next", () => {
  /** Callers of some clients of one key that call again and again, each answered after 150 ms. */
  async function keepCalling(perMinute: number, clients: number, callers: number, minutes: number) {
    const time = new SharedTime();
    const service = new SimulatedService(perMinute, 1_000_000);
    /** When calls passed, in ms since the start, and how long they had taken by then. */
    const passed: { readonly atMs: number; readonly tookMs: number }[] = [];
    const caller = async ([enter, leave]: ReturnType<typeof createPacer>): Promise<void> => {
      while (time.now() < minutes * 60_000) {
        const beganMs = time.now();
        for (let status = 0; status !== 200; ) {
          const pass = await enter(Number.POSITIVE_INFINITY, undefined);
          await time.sleep(75);
          const answered = service.judge(time.clock.nowMs());
          await time.sleep(75);
          leave(pass, answered);
          status = answered.status;
        }
        passed.push({ atMs: time.now(), tookMs: time.now() - beganMs });
      }
    };
    const all = Array.from({ length: clients }, () => {
      const pacer = createPacer(time, true);
      return Array.from({ length: callers }, () => caller(pacer));
    });
    await time.until(Promise.all(all.flat()));
    return { passed, strikes: service.strikes, bans: service.bans };
  }

  test("64 callers of a used-up quota are all answered 150 ms after it starts anew, and not one after the other", async () => {
    const { passed, strikes } = await keepCalling(1000, 1, 64, 2);
    expect([passed.length > 2000, strikes]).toEqual([true, 0]);
    const waited = passed.filter(({ tookMs }) => tookMs > 10_000).map(({ atMs }) => atMs);
    for (let window = 0; window < waited.length; window += 64) {
      const [first = 0] = waited.slice(window);
      expect(waited.slice(window, window + 64).every((atMs) => atMs - first < 150)).toBeTrue();
    }
    expect(waited.length).toBeGreaterThanOrEqual(128);
  });

  test("30 clients with 33 callers each, who share 60 a minute, are not banned, and four get few refusals", async () => {
    expect((await keepCalling(60, 30, 33, 5)).bans).toBe(0);
    const { strikes, bans } = await keepCalling(60, 4, 33, 5);
    expect([bans, strikes < 30]).toEqual([0, true]);
  });

  test("a pause of more than two seconds makes it begin with one again", async () => {
    for (const [pauseMs, most] of [
      [2_000, 7],
      [2_001, 1],
    ] as const) {
      const { time, enter, passed, exchange } = setUp();
      for (let remaining = 59; remaining >= 0; remaining--)
        exchange(told(`"minute";r=${remaining};t=30, "day";r=${940 + remaining};t=86000`));
      await time.advance(30_000 + pauseMs);
      const entries = Array.from({ length: 20 }, () => enter());
      await time.settle();
      expect([pauseMs, passed(entries)]).toEqual([pauseMs, most]);
    }
  });
});

const REMAINING_59 = '"minute";r=59;t=60, "day";r=999;t=86400';
const USED_UP = '"minute";r=0;t=30, "day";r=940;t=86000';

describe("while nothing is known", () => {
  test("one goes ahead, each answer makes room for one more, and an eighth of what remains is the most", async () => {
    const { time, pacer, enter, passed } = setUp();
    const entries = Array.from({ length: 100 }, () => enter());
    await time.settle();
    expect(passed(entries)).toBe(1);
    for (const [number, most] of [2, 3, 4, 5, 6, 7, 7, 7].entries()) {
      pacer.leave(number + 1, told(REMAINING_59));
      await time.settle();
      expect(passed(entries) - number - 1).toBe(most);
    }
    expect(pacer.limits()).toMatchObject({ waiting: 100 - 15 });
  });

  test("limits are empty before the first answer, and a window is missing when it has ended", async () => {
    const { time, pacer, exchange } = setUp();
    expect(pacer.limits()).toEqual({ windows: {}, waiting: 0 });
    exchange(told('"minute";r=41;t=7, "day";r=900;t=80000'));
    await time.advance(2500);
    const day = { limit: 1000, remaining: 900, resetsInMs: 80_000_000 - 2500 };
    expect(pacer.limits().windows).toEqual({ minute: { limit: 60, remaining: 41, resetsInMs: 4500 }, day });
    await time.advance(4500);
    expect(pacer.limits().windows).toEqual({ day: { ...day, resetsInMs: 80_000_000 - 7000 } });
  });

  test("when a window has started anew, it is so again", async () => {
    const { time, enter, passed, exchange } = setUp();
    exchange(told(USED_UP));
    const entries = Array.from({ length: 50 }, () => enter());
    await time.advance(29_999);
    expect(passed(entries)).toBe(0);
    await time.advance(1);
    expect(passed(entries)).toBe(1);
  });
});

describe("a request without an answer", () => {
  test("that hangs: after two seconds another one is sent", async () => {
    const { time, pacer, enter, passed } = setUp();
    const entries = Array.from({ length: 50 }, () => enter());
    await time.advance(1999);
    expect(passed(entries)).toBe(1);
    await time.advance(1);
    expect(passed(entries)).toBe(2);
    pacer.leave(2, told(REMAINING_59));
    await time.settle();
    expect(passed(entries)).toBe(3);
  });

  test("that hangs, and was the last of the quota: nothing is sent that would be refused", async () => {
    const { time, pacer, enter, passed, exchange } = setUp();
    exchange(told('"minute";r=1;t=30, "day";r=940;t=86000'));
    const entries = [enter(), enter()];
    await time.advance(29_999);
    expect(passed(entries)).toBe(1);
    pacer.leave(2, told('"minute";r=0;t=1, "day";r=939;t=86000'));
    await time.advance(999);
    expect(passed(entries)).toBe(1);
    await time.advance(1);
    expect(passed(entries)).toBe(2);
  });

  test("may have been counted: when as many are lost as remain, one in two seconds is sent until one is answered", async () => {
    for (const [first, free] of [
      [undefined, 31],
      [told('"minute";r=9;t=60, "day";r=999;t=86400'), 9],
    ] as const) {
      const { time, pacer, enter, passed, exchange } = setUp();
      exchange(first);
      for (let lost = 0; lost < free; lost++) exchange(lost % 2 ? undefined : bare(503));
      const entries = [enter(), enter(), enter(), enter()];
      await time.advance(1999);
      expect(passed(entries)).toBe(0);
      await time.advance(1);
      expect(passed(entries)).toBe(1);
      pacer.leave(free + 2, "lost");
      await time.advance(1999);
      expect(passed(entries)).toBe(1);
      await time.advance(1);
      expect(passed(entries)).toBe(2);
      pacer.leave(free + 3, told('"minute";r=20;t=60, "day";r=999;t=86400'));
      await time.settle();
      expect(passed(entries)).toBe(4);
    }
  });
});

describe("refused", () => {
  test.each([
    ["Retry-After", 7000, 7000],
    ["a Retry-After of 0", 0, 10_000],
    ["no Retry-After", undefined, 10_000],
  ])("by a 429 with %s, all are held back, and then go a few at a time", async (_, retryAfterMs, heldMs) => {
    const { time, enter, passed, exchange } = setUp();
    exchange(bare(429, retryAfterMs));
    const entries = Array.from({ length: 9 }, () => enter());
    await time.advance(heldMs - 1);
    expect(passed(entries)).toBe(0);
    await time.advance(1);
    expect(passed(entries)).toBeLessThanOrEqual(2);
    expect(passed(entries)).toBeGreaterThan(0);
  });

  test("for long, one request in five minutes finds out whether the operator has helped", async () => {
    const { time, pacer, enter, passed, exchange } = setUp();
    exchange(told('"minute";r=50;t=60, "day";r=0;t=70000', 429));
    const entries = Array.from({ length: 6 }, () => enter());
    const until = async (count: number) => {
      await time.advance(299_999);
      expect(passed(entries)).toBe(count - 1);
      await time.advance(1);
      expect(passed(entries)).toBe(count);
    };
    await until(1);
    pacer.leave(2, "lost");
    await until(2);
    pacer.leave(3, bare(503));
    await until(3);
    pacer.leave(4, told('"minute";r=59;t=60, "day";r=0;t=69000', 429));
    await until(4);
    pacer.leave(5, told('"minute";r=59;t=60, "day";r=9000;t=69000'));
    await time.settle();
    expect(passed(entries)).toBe(6);
    expect(pacer.limits().windows.day?.remaining).toBe(9000);
  });

  test("for long, and nobody waits: the first call after five minutes finds out", async () => {
    const { time, enter, exchange } = setUp();
    exchange(told('"minute";r=50;t=60, "day";r=0;t=70000', 429));
    const early = enter(1000);
    await time.settle();
    expect(early.error).toMatchObject({ code: "wait_too_long", retryAfterMs: 70_000_000 });
    await time.advance(300_000);
    const later = enter(1000);
    await time.settle();
    expect(later.pass).toBe(2);
  });

  test("for ever, as an absurd answer says: that is found out too, and until then calls fail at once", async () => {
    const { time, enter, exchange } = setUp();
    exchange({ ...bare(429, Number.POSITIVE_INFINITY), headers: told(`"minute";r=0;t=${"9".repeat(400)}`).headers });
    const held = enter();
    const short = enter(86_400_000);
    await time.advance(300_000);
    expect(held.pass).toBe(2);
    expect(short.error?.code).toBe("wait_too_long");
  });
});

describe("maxWaitMs", () => {
  test("is known to be too short: the call fails at once, and says how long it would be", async () => {
    const { time, enter, exchange } = setUp();
    exchange(told(USED_UP));
    const entries = [0, 1, 29_999, 30_000, Number.POSITIVE_INFINITY].map((maxWaitMs) => enter(maxWaitMs));
    await time.settle();
    expect(entries.map(({ error }) => error?.code)).toEqual([...Array(3).fill("wait_too_long"), undefined, undefined]);
    expect(entries[0]?.error).toMatchObject({ retryAfterMs: 30_000, message: expect.stringContaining("30 s") });
  });

  test("turns out to be too short while the call waits: it fails then", async () => {
    const { time, pacer, enter } = setUp();
    const [first, short, long] = [enter(), enter(20_000), enter(40_000)];
    await time.settle();
    expect(first.pass).toBe(1);
    pacer.leave(1, told(USED_UP));
    await time.settle();
    expect(short.error?.code).toBe("wait_too_long");
    await time.advance(30_000);
    expect(long.pass).toBe(2);
  });

  test("is kept while nobody knows of a refusal: those who are late fail then, and are not sent", async () => {
    const { time, enter } = setUp();
    const [, long, ...short] = [enter(), enter(10_000), enter(100), enter(100), enter(1_999)];
    await time.advance(100);
    expect(short.map(({ error }) => error?.code)).toEqual([undefined, undefined, undefined]);
    await time.advance(1);
    expect(short.map(({ error }) => error?.code)).toEqual(["wait_too_long", "wait_too_long", undefined]);
    await time.advance(1_899);
    expect([long?.pass, short[2]?.error?.code]).toEqual([2, "wait_too_long"]);
  });

  test("that ran out before the alarm could ring: an answer does not let the late one pass", async () => {
    const { time, pacer, enter } = setUp();
    const [, late, next] = [enter(), enter(100), enter(10_000)];
    await time.settle();
    time.clock.advance(500);
    pacer.leave(1, told('"minute";r=59;t=60, "day";r=940;t=86000'));
    await time.settle();
    expect([late?.pass, late?.error?.code, next?.pass]).toEqual([undefined, "wait_too_long", 2]);
  });

  test("runs out while nobody knows how long it will take: the call fails soon after", async () => {
    const { time, pacer, enter, exchange } = setUp();
    exchange(told('"minute";r=1;t=60, "day";r=940;t=86000'));
    const [hanging, zero, short, long] = [enter(), enter(0), enter(3000), enter(10_000)];
    await time.advance(2000);
    expect([hanging.pass, zero.error?.code, short.error]).toEqual([2, "wait_too_long", undefined]);
    await time.advance(2000);
    expect(short.error).toMatchObject({ code: "wait_too_long", retryAfterMs: undefined });
    await time.advance(8000);
    expect(long.error?.message).toContain("No answers come");
    expect([pacer.limits().waiting, time.sleeping]).toEqual([0, 0]);
  });

  test("of 0: a call is not failed because of those that go ahead of it", async () => {
    const { time, pacer, enter, passed } = setUp();
    const entries = Array.from({ length: 20 }, () => enter(0));
    for (let number = 1; number <= 20; number++) {
      await time.settle();
      pacer.leave(number, told(REMAINING_59));
    }
    expect(passed(entries)).toBe(20);
  });
});

describe("a signal", () => {
  test("that is aborted ends the wait of its calls, and leaves neither timers nor listeners", async () => {
    const { time, pacer, enter, exchange } = setUp();
    exchange(told(USED_UP));
    const abort = new AbortController();
    const { signal } = abort;
    const added = spyOn(signal, "addEventListener");
    const removed = spyOn(signal, "removeEventListener");
    const entries = [enter(60_000, signal), enter(60_000, signal)];
    const other = enter(60_000);
    await time.settle();
    expect([removed.mock.calls.length, pacer.limits().waiting]).toEqual([0, 3]);
    abort.abort(new Error("no longer needed"));
    await time.settle();
    expect(entries.map(({ error }) => error?.code)).toEqual(["aborted", "aborted"]);
    expect(entries[0]?.error?.cause).toEqual(new Error("no longer needed"));
    expect(removed.mock.calls).toEqual(added.mock.calls);
    expect([pacer.limits().waiting, time.sleeping]).toEqual([1, 1]);
    await time.advance(30_000);
    expect([other.pass, time.sleeping]).toEqual([2, 0]);
  });

  test("that is not aborted has no listeners left when its call passes, or fails", async () => {
    const { time, pacer, enter } = setUp();
    const { signal } = new AbortController();
    const added = spyOn(signal, "addEventListener");
    const removed = spyOn(signal, "removeEventListener");
    const entries = [enter(1000, signal), enter(1000, signal), enter(1000, signal)];
    await time.settle();
    expect([added.mock.calls.length, removed.mock.calls.length]).toEqual([1, 0]);
    pacer.leave(1, told('"minute";r=1;t=60, "day";r=9;t=60'));
    await time.settle();
    pacer.leave(2, told(USED_UP));
    await time.settle();
    expect(entries.map(({ pass, error }) => pass ?? error?.code)).toEqual([1, 2, "wait_too_long"]);
    expect(removed.mock.calls).toEqual(added.mock.calls);
  });
});

describe("what answers say about limits", () => {
  test.each([
    ["no headers", {}],
    ["no policy", { RateLimit: '"minute";r=0;t=60' }],
    ["no limits", { "RateLimit-Policy": '"minute";q=60;w=60' }],
    ["garbage", { "RateLimit-Policy": "60", RateLimit: "minute=0" }],
    ["garbage in the numbers", { "RateLimit-Policy": '"minute";q=60', RateLimit: '"minute";r=-1;t=x' }],
  ])("%s: nothing that is known is forgotten; with nothing known, four are sent at once", async (_, headers) => {
    const unknown = setUp();
    const entries = Array.from({ length: 40 }, () => unknown.enter());
    for (let number = 1; number <= 20; number++) {
      await unknown.time.settle();
      unknown.pacer.leave(number, { status: 200, headers: new Headers(headers), retryAfterMs: undefined });
    }
    await unknown.time.settle();
    expect(unknown.passed(entries)).toBe(24);
    const { time, pacer, enter, exchange } = setUp();
    exchange(told('"minute";r=2;t=60, "day";r=9;t=60'));
    exchange({ status: 413, headers: new Headers(headers), retryAfterMs: undefined });
    expect(pacer.limits().windows.minute?.remaining).toBe(2);
    const [first, second] = [enter(), enter()];
    await time.settle();
    expect([first.pass, second.pass]).toEqual([3, undefined]);
  });

  test("401 and 5xx tell nothing: their limits are those of the address", () => {
    const { pacer, exchange } = setUp();
    exchange(told(REMAINING_59));
    for (const status of [401, 500, 502, 503, 504]) exchange(told(USED_UP, status));
    expect(pacer.limits().windows.minute?.remaining).toBe(59);
  });

  test("one window, of another name, and with numbers that are too large", () => {
    const { pacer, exchange } = setUp();
    const headers = new Headers({ "RateLimit-Policy": '"hour";q=12;w=3600', RateLimit: '"hour";r=11;t=3600' });
    exchange({ status: 200, headers, retryAfterMs: undefined });
    expect(pacer.limits().windows).toEqual({ hour: { limit: 12, remaining: 11, resetsInMs: 3_600_000 } });
    headers.set("RateLimit", `"hour";r=10;t=${"9".repeat(300)}`);
    exchange({ status: 200, headers, retryAfterMs: undefined });
    expect(Number.isFinite(pacer.limits().windows.hour?.resetsInMs)).toBeTrue();
  });

  test("t=0: the window has ended, and nothing is known", () => {
    const { pacer, exchange } = setUp();
    exchange(told('"minute";r=0;t=0, "day";r=900;t=1000'));
    expect(Object.keys(pacer.limits().windows)).toEqual(["day"]);
    exchange(told(REMAINING_59));
    expect(pacer.limits().windows.minute?.remaining).toBe(59);
  });

  test("answers that overtake each other: the least remains, and the earliest reset", async () => {
    const { time, pacer, enter, exchange } = setUp();
    exchange(told(REMAINING_59));
    enter();
    enter();
    await time.settle();
    pacer.leave(3, told('"minute";r=57;t=50, "day";r=997;t=86400'));
    pacer.leave(2, told('"minute";r=58;t=51, "day";r=998;t=86400'));
    expect(pacer.limits().windows.minute).toEqual({ limit: 60, remaining: 57, resetsInMs: 50_000 });
  });

  test("another limit, since the operator has raised it: what remains is believed", async () => {
    const { time, pacer, enter, passed, exchange } = setUp();
    exchange(told('"minute";r=18;t=60, "day";r=940;t=86000'));
    const entries = [enter(), enter()];
    await time.settle();
    expect(passed(entries)).toBe(2);
    const raised = told('"minute";r=290;t=60, "day";r=938;t=86000');
    raised.headers.set("RateLimit-Policy", '"minute";q=300;w=60, "day";q=1000;w=86400');
    pacer.leave(2, raised);
    expect(pacer.limits().windows.minute).toMatchObject({ limit: 300, remaining: 290 });
  });
});

test("a thousand calls with one signal are one listener of it: Node warns of more than ten", () => {
  const abort = new AbortController();
  const added = spyOn(abort.signal, "addEventListener");
  const heard: number[] = [];
  const stops = Array.from({ length: 1000 }, (_, number) => onAbort(abort.signal, () => void heard.push(number)));
  expect(added).toHaveBeenCalledTimes(1);
  for (const stop of stops) stop();
  for (const number of [1, 2, 3]) onAbort(abort.signal, () => void heard.push(number));
  onAbort(abort.signal, () => void heard.push(4))();
  abort.abort();
  expect(heard).toEqual([1, 2, 3]);
});

test("an alarm is turned off once, with a reason: Node would make an exception for each abort without one", async () => {
  const { time, pacer, enter, exchange } = setUp();
  using abort = spyOn(AbortController.prototype, "abort");
  const waitAndLeave = async (first: number): Promise<void> => {
    enter();
    enter();
    await time.settle();
    pacer.leave(first, told(REMAINING_59));
    await time.settle();
    pacer.leave(first + 1, told(REMAINING_59));
  };
  await waitAndLeave(1);
  for (let call = 0; call < 20; call++) exchange(told(REMAINING_59));
  expect(abort.mock.calls).toEqual([["off"]]);
  // This alarm rings by itself.
  exchange(told(USED_UP));
  const late = enter();
  await time.advance(60_000);
  expect(late.pass).toBe(24);
  pacer.leave(24, told(REMAINING_59));
  for (let call = 0; call < 20; call++) exchange(told(REMAINING_59));
  expect(abort).toHaveBeenCalledTimes(1);
});

test("without pacing, nothing is held back, and limits are known all the same", () => {
  const { pacer, exchange } = setUp({ pacing: false });
  exchange(told(USED_UP, 429));
  for (let number = 2; number < 50; number++) expect(pacer.enter(0, undefined)).toBe(number);
  expect(pacer.limits()).toMatchObject({ windows: { minute: { remaining: 0 } }, waiting: 0 });
});
