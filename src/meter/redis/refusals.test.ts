import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { FakeClock } from "../../../test/harness/time/clock.ts";
import { FakeScheduler } from "../../../test/harness/time/scheduler.ts";
import { DAY_MS, MINUTE_MS } from "../../base/time/clock.ts";
import { BAN_LADDER_MS } from "../../domain/limits/ban.ts";
import { judge, newTally, type RatePolicy, ratePolicyOfAddress, type Verdict } from "../../domain/limits/tally.ts";
import type { JudgeAnswer } from "./commands/script.ts";
import { Refusals } from "./refusals.ts";

const POLICY: RatePolicy = { perMinute: 2, perDay: 1000, strikesToBan: 5, unbannedAtMs: -1 };
const SUBJECT = "subject";

/** A cache of refusals in front of a tally that is judged by the rule itself. */
function setUp({ aheadMs = 0, maxSubjects = 100, report = async () => {} } = {}) {
  const clock = new FakeClock();
  const scheduler = new FakeScheduler();
  const reported: { subject: string; policy: RatePolicy; count: number }[] = [];
  const refusals: Refusals = new Refusals({
    clock,
    scheduler,
    maxSubjects,
    report: async (subject, policy) => {
      reported.push({ subject, policy, count: refusals.takeStrikes(subject)?.count ?? 0 });
      await report();
    },
  });
  const tally = newTally();
  const scriptNowMs = () => clock.nowMs() + aheadMs;
  const answer = (verdict: Verdict): JudgeAnswer => ({
    askedAtMs: clock.nowMs(),
    verdict,
    judged: 1,
    tally: structuredClone(tally),
  });
  const ask = (policy = POLICY, subject = SUBJECT): Verdict => {
    const verdict = judge(tally, policy, scriptNowMs());
    refusals.record(subject, answer(verdict), true);
    return verdict;
  };
  /** Exhausts the quota, so that the refusal is cached, with one strike. */
  const exhaust = (policy = POLICY, subject = SUBJECT) => {
    while (ask(policy, subject).kind === "pass");
  };
  return { clock, scheduler, refusals, reported, tally, answer, ask, exhaust, scriptNowMs };
}

const recall = ({ refusals }: { refusals: Refusals }, policy = POLICY) => refusals.judge(SUBJECT, policy);

describe("Refusals", () => {
  test("knows nothing of a subject that passed, or that was never judged", () => {
    const memory = setUp();
    expect(recall(memory)).toBeUndefined();
    memory.ask();
    expect(recall(memory)).toBeUndefined();
    expect(memory.refusals.size).toBe(0);
  });

  test("counts strikes down as the rule does, and leaves the one that brings the ban to Redis", () => {
    const memory = setUp();
    memory.exhaust();
    for (const strikesLeft of [3, 2, 1]) expect(recall(memory)).toMatchObject({ kind: "exhausted", strikesLeft });
    expect(recall(memory)).toBeUndefined();
    expect(memory.refusals.takeStrikes(SUBJECT)).toMatchObject({ count: 3 });
  });

  test("over random policies and times it says what the rule says, and begins no ban or minute of strikes by itself", () => {
    const wait = fc.oneof(
      fc.integer({ min: 0, max: 5000 }),
      fc.constantFrom(0, 1, MINUTE_MS - 1, MINUTE_MS, DAY_MS - 1, DAY_MS, ...BAN_LADDER_MS),
    );
    fc.assert(
      fc.property(
        fc.record({
          perMinute: fc.integer({ min: 1, max: 4 }),
          perDay: fc.integer({ min: 1, max: 12 }),
          strikesToBan: fc.integer({ min: 1, max: 6 }),
        }),
        fc.integer({ min: -5000, max: 5000 }),
        fc.array(fc.record({ wait, requests: fc.integer({ min: 1, max: 12 }), isUnban: fc.boolean() })),
        (quotas, aheadMs, steps) => {
          const memory = setUp({ aheadMs });
          let policy: RatePolicy = { ...quotas, unbannedAtMs: -1 };
          let strikesSinceMs = 0;
          for (const { wait, requests, isUnban } of steps) {
            memory.clock.advance(wait);
            if (isUnban) policy = { ...policy, unbannedAtMs: memory.scriptNowMs() - 1 };
            for (let i = 0; i < requests; i++) {
              const recalled = recall(memory, policy);
              const verdict = judge(memory.tally, policy, memory.scriptNowMs());
              if (recalled) {
                expect(recalled).toEqual(verdict);
                expect(verdict).not.toMatchObject({ isNew: true });
                expect(memory.tally.banRecord.strikesSinceMs).toBe(strikesSinceMs);
              } else {
                memory.refusals.takeStrikes(SUBJECT);
                memory.refusals.record(SUBJECT, memory.answer(verdict), true);
                strikesSinceMs = memory.tally.banRecord.strikesSinceMs;
              }
            }
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test("goes by the clock that Redis judged by", () => {
    const memory = setUp({ aheadMs: 3_600_000 });
    memory.exhaust();
    memory.clock.advance(10_000);
    expect(recall(memory)?.quotaStatus.atMs).toBe(memory.scriptNowMs());
    memory.clock.advance(MINUTE_MS - 10_001);
    expect(recall(memory)?.kind).toBe("exhausted");
    memory.clock.advance(1);
    expect(recall(memory)).toBeUndefined();
  });

  test("outlasts no window or ban, however late the answer of Redis came", () => {
    for (const kind of ["exhausted", "banned"] as const) {
      const memory = setUp({ aheadMs: 5_000 });
      let verdict: Verdict;
      do verdict = judge(memory.tally, POLICY, memory.scriptNowMs());
      while (verdict.kind !== kind);
      const endsInMs = verdict.quotaStatus.shown.resetAtMs - memory.scriptNowMs();
      const answerOfCall = memory.answer(verdict);
      memory.clock.advance(700);
      memory.refusals.record(SUBJECT, answerOfCall, true);
      memory.clock.advance(endsInMs - 701);
      expect(memory.refusals.isRefused(SUBJECT, POLICY)).toBe(true);
      expect(recall(memory)?.kind).toBe(kind);
      memory.clock.advance(1);
      expect(memory.refusals.isRefused(SUBJECT, POLICY)).toBe(false);
      expect(recall(memory)).toBeUndefined();
    }
  });

  test("asks Redis again when this machine's clock was set back by more than a second", () => {
    const memory = setUp();
    memory.ask();
    memory.clock.advance(30_000);
    memory.exhaust();
    memory.clock.advance(-1000);
    expect(recall(memory)?.kind).toBe("exhausted");
    memory.clock.advance(-1);
    expect(recall(memory)).toBeUndefined();
  });

  test("a ban is remembered until it ends or is lifted", () => {
    const memory = setUp();
    while (memory.ask().kind !== "banned");
    expect(recall(memory)).toMatchObject({ kind: "banned", isNew: false });
    expect(recall(memory, { ...POLICY, unbannedAtMs: memory.clock.nowMs() })).toBeUndefined();
    expect(memory.refusals.takeStrikes(SUBJECT)).toBeUndefined();
    memory.clock.advance(BAN_LADDER_MS[0] as number);
    expect(recall(memory)).toBeUndefined();
  });

  test("a ban that it foresees is not in force until Redis decides it, even if Redis does not answer", () => {
    const memory = setUp();
    memory.exhaust();
    while (recall(memory));
    expect(recall(memory)).toBeUndefined();
  });

  test("a quota that was raised is asked about at once", () => {
    const memory = setUp();
    memory.exhaust();
    expect(recall(memory, { ...POLICY, perMinute: 3 })).toBeUndefined();
  });

  test("an address is refused without strikes to report", () => {
    const memory = setUp();
    const policy = ratePolicyOfAddress(2);
    memory.exhaust(policy);
    for (let i = 0; i < 1000; i++)
      expect(recall(memory, policy)).toMatchObject({ kind: "exhausted", strikesLeft: undefined });
    expect(memory.scheduler.nextDelayMs).toBeUndefined();
  });

  test("strikes are reported 100 ms after the first, together, once", async () => {
    const memory = setUp();
    memory.exhaust();
    recall(memory);
    memory.scheduler.advance(99);
    recall(memory);
    expect(memory.reported).toEqual([]);
    memory.scheduler.advance(1);
    await memory.refusals.reportStrikes();
    expect(memory.reported).toEqual([{ subject: SUBJECT, policy: POLICY, count: 2 }]);
    memory.scheduler.advance(1000);
    await memory.refusals.reportStrikes();
    expect(memory.reported).toHaveLength(1);
  });

  test("a report waits for the one under way", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const memory = setUp({ report: () => promise });
    memory.exhaust();
    recall(memory);
    memory.scheduler.advance(100);
    let isReported = false;
    const reported = memory.refusals.reportStrikes().then(() => {
      isReported = true;
    });
    await Bun.sleep(1);
    expect(isReported).toBe(false);
    resolve();
    await reported;
  });

  test("strikes that a request took along are not reported again", async () => {
    const memory = setUp();
    memory.exhaust();
    recall(memory);
    expect(memory.refusals.takeStrikes(SUBJECT)).toMatchObject({ count: 1 });
    await memory.refusals.reportStrikes();
    expect(memory.reported).toEqual([]);
  });

  test("strikes recorded during a call add to its answer, and are reported afterwards", async () => {
    const memory = setUp();
    memory.exhaust();
    recall(memory);
    const verdict = judge(memory.tally, POLICY, memory.scriptNowMs());
    memory.refusals.takeStrikes(SUBJECT);
    const answerOfCall = memory.answer(verdict);
    recall(memory);
    memory.refusals.record(SUBJECT, answerOfCall, true);
    expect(recall(memory)).toMatchObject({ kind: "exhausted", strikesLeft: 1 });
    await memory.refusals.reportStrikes();
    expect(memory.reported.map(({ count }) => count)).toEqual([2]);
  });

  test("strikes recorded during a call that brings a ban or finds a new minute are obsolete", async () => {
    const banned = setUp();
    banned.exhaust();
    recall(banned);
    while (judge(banned.tally, POLICY, banned.scriptNowMs()).kind !== "banned");
    banned.refusals.record(SUBJECT, banned.answer(judge(banned.tally, POLICY, banned.scriptNowMs())), true);
    await banned.refusals.reportStrikes();
    expect(banned.reported).toEqual([]);

    const exhaustedDay = { ...POLICY, perDay: 2 };
    const newMinute = setUp();
    newMinute.exhaust(exhaustedDay);
    recall(newMinute, exhaustedDay);
    newMinute.clock.advance(MINUTE_MS);
    expect(newMinute.ask(exhaustedDay)).toMatchObject({ kind: "exhausted", strikesLeft: 4 });
    await newMinute.refusals.reportStrikes();
    expect(newMinute.reported).toEqual([]);
    expect(recall(newMinute, exhaustedDay)).toMatchObject({ strikesLeft: 3 });
  });

  test("a ban that a report brought is announced once, also when a request was judged right after the report", () => {
    for (const isRequestInFlight of [false, true]) {
      const memory = setUp();
      memory.exhaust();
      let verdict: Verdict;
      do verdict = judge(memory.tally, POLICY, memory.scriptNowMs());
      while (verdict.kind !== "banned");
      memory.refusals.record(SUBJECT, memory.answer(verdict), false);
      if (isRequestInFlight) expect(memory.ask()).toMatchObject({ kind: "banned", isNew: false });
      expect(recall(memory)).toMatchObject({ kind: "banned", isNew: true });
      expect(recall(memory)).toMatchObject({ kind: "banned", isNew: false });
    }
  });

  test("a ban that a request brought is announced by its own verdict only", () => {
    const memory = setUp();
    let verdict: Verdict;
    do verdict = memory.ask();
    while (verdict.kind !== "banned");
    expect(verdict.isNew).toBe(true);
    expect(recall(memory)).toMatchObject({ kind: "banned", isNew: false });
  });

  test("never holds more subjects than it may; what is evicted is asked about again, and its strikes still reported", async () => {
    const memory = setUp({ maxSubjects: 3 });
    const policy = { ...POLICY, strikesToBan: 100 };
    memory.exhaust(policy, "first");
    memory.refusals.judge("first", policy);
    for (const subject of ["second", "third", "fourth"]) memory.exhaust(policy, subject);
    expect(memory.refusals.size).toBe(3);
    expect(memory.refusals.judge("first", policy)).toBeUndefined();
    expect(memory.refusals.judge("fourth", policy)).toBeDefined();
    await memory.refusals.reportStrikes();
    expect(memory.reported.map(({ subject, count }) => [subject, count])).toEqual([
      ["first", 1],
      ["fourth", 1],
    ]);
  });

  test("told to forget, it knows nobody who is refused, and still reports the strikes", async () => {
    const memory = setUp();
    memory.exhaust();
    recall(memory);
    memory.refusals.forget();
    expect(memory.refusals.size).toBe(0);
    expect(recall(memory)).toBeUndefined();
    await memory.refusals.reportStrikes();
    expect(memory.reported).toHaveLength(1);
  });
});
