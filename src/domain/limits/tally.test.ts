import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  isSpent,
  judge,
  newTally,
  quotaStatusOf,
  type RatePolicy,
  ratePolicyOfAddress,
  ratePolicyOfKey,
  spentAtMs,
  stricterTally,
  strikesLeft,
  type Tally,
} from "./tally.ts";

const T0 = Date.parse("2027-03-01T12:00:00Z");
const MINUTE = 60_000;
const DAY = 86_400_000;

const FREE = ratePolicyOfKey({ perMinute: 60, perDay: 1000 }, undefined);

const times = (count: number, tally: Tally, policy: RatePolicy, nowMs: number) =>
  Array.from({ length: count }, () => judge(tally, policy, nowMs)).at(-1);

describe("judge", () => {
  test("windows are opened by the first request that counts, not by the clock", () => {
    const tally = newTally();
    times(60, tally, FREE, T0 + 59_000);
    expect(judge(tally, FREE, T0 + 59_000 + MINUTE - 1).kind).toBe("exhausted");
    expect(judge(tally, FREE, T0 + 59_000 + MINUTE).kind).toBe("pass");
  });

  test("when the day is exhausted and no minute window is open, strikes add up within a minute of the first", () => {
    const policy = ratePolicyOfKey({ perMinute: 60, perDay: 60 }, undefined);
    const tally = newTally();
    times(60, tally, policy, T0);
    const later = T0 + 10 * MINUTE;
    expect(times(59, tally, policy, later)).toMatchObject({ kind: "exhausted", strikesLeft: 1 });
    expect(judge(tally, policy, later + MINUTE)).toMatchObject({ kind: "exhausted", strikesLeft: 59 });
    expect(times(59, tally, policy, later + MINUTE)).toMatchObject({ kind: "banned", isNew: true });
  });

  test("strikes start over with the minute window", () => {
    const tally = newTally();
    times(60 + 59, tally, FREE, T0);
    times(60, tally, FREE, T0 + MINUTE);
    expect(judge(tally, FREE, T0 + MINUTE)).toMatchObject({ kind: "exhausted", strikesLeft: 59 });
  });

  test("requests during a ban are not strikes, and do not extend it", () => {
    const tally = newTally();
    times(120, tally, FREE, T0);
    const until = tally.banRecord.bannedUntilMs;
    expect(times(500, tally, FREE, T0 + 30_000)).toMatchObject({ kind: "banned", isNew: false });
    expect(tally.banRecord).toMatchObject({ strikes: 0, bannedUntilMs: until, bansInARow: 1 });
  });

  test("an unban lifts earlier bans and resets the ladder, and does not affect a later ban", () => {
    const tally = newTally();
    times(120, tally, FREE, T0);
    const unbanned = ratePolicyOfKey({ perMinute: 60, perDay: 1000 }, T0 + 1000);
    expect(judge(tally, unbanned, T0 + 2000).kind).toBe("exhausted");
    expect(times(59, tally, unbanned, T0 + 2000)).toMatchObject({ kind: "banned", isNew: true });
    expect(tally.banRecord.bannedUntilMs).toBe(T0 + 2000 + MINUTE);
    expect(judge(tally, unbanned, T0 + 3000).kind).toBe("banned");
  });

  test("an address has one window, and is never banned", () => {
    const policy = ratePolicyOfAddress(5);
    const tally = newTally();
    times(5, tally, policy, T0);
    const verdict = times(10_000, tally, policy, T0);
    expect(verdict).toMatchObject({ kind: "exhausted", strikesLeft: undefined, quotaStatus: { day: undefined } });
    expect(judge(tally, policy, T0 + MINUTE).kind).toBe("pass");
  });

  test("a clock that was set back opens a new window instead of refusing until the old one ends", () => {
    const tally = newTally();
    times(60, tally, FREE, T0);
    expect(judge(tally, FREE, T0 - DAY).kind).toBe("pass");
  });

  test("a clock that was set back does not extend a ban", () => {
    const tally = newTally();
    times(120, tally, FREE, T0);
    expect(judge(tally, FREE, T0 + 1).kind).toBe("banned");
    expect(judge(tally, FREE, T0 - DAY).kind).toBe("pass");
    times(119, tally, FREE, T0 - DAY);
    expect(tally.banRecord.bannedUntilMs).toBe(T0 - DAY + MINUTE);
  });
});

/** The rule again, the slow way: derived from the history of all requests, with no other state. */
class Model {
  private counted: number[] = [];
  private strikes: { at: number; window: number }[] = [];
  private bans: { at: number; until: number }[] = [];

  constructor(
    private readonly perMinute: number,
    private readonly perDay: number,
  ) {}

  private windowStart(lengthMs: number, now: number): number | undefined {
    let start: number | undefined;
    for (const at of this.counted) if (start === undefined || at >= start + lengthMs) start = at;
    return start !== undefined && now < start + lengthMs ? start : undefined;
  }

  private usedSince(start: number | undefined): number {
    return start === undefined ? 0 : this.counted.filter((at) => at >= start).length;
  }

  request(now: number): "pass" | "exhausted" | "banned" {
    const lastBan = this.bans.at(-1);
    if (lastBan && now < lastBan.until) return "banned";
    const minuteStart = this.windowStart(MINUTE, now);
    const dayStart = this.windowStart(DAY, now);
    if (this.usedSince(minuteStart) < this.perMinute && this.usedSince(dayStart) < this.perDay) {
      this.counted.push(now);
      return "pass";
    }
    const previous = this.strikes.at(-1);
    const window = minuteStart ?? (previous && now < previous.window + MINUTE ? previous.window : now);
    this.strikes.push({ at: now, window });
    const alike = this.strikes.filter((strike) => strike.window === window).length;
    if (alike < Math.max(60, this.perMinute)) return "exhausted";
    const ladder = [1, 5, 30, 60];
    let step = 0;
    for (const [i, ban] of this.bans.entries()) {
      const next = this.bans[i + 1]?.at ?? now;
      step = next - ban.until >= DAY ? 0 : step + 1;
    }
    this.bans.push({ at: now, until: now + (ladder[Math.min(step, 3)] as number) * MINUTE });
    this.strikes = [];
    return "banned";
  }

  remaining(now: number) {
    return {
      minute: this.perMinute - this.usedSince(this.windowStart(MINUTE, now)),
      day: this.perDay - this.usedSince(this.windowStart(DAY, now)),
    };
  }
}

const burst = fc.record({
  waitMs: fc.oneof(
    fc.integer({ min: 0, max: 5000 }),
    fc.constantFrom(0, 1, MINUTE - 1, MINUTE, MINUTE + 1, 5 * MINUTE, 30 * MINUTE, DAY - 1, DAY, DAY + 1),
    fc.integer({ min: 0, max: 2 * DAY }),
  ),
  requests: fc.integer({ min: 1, max: 90 }),
});

test("a model of the limiter agrees with the real one over random requests and clock steps", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 70 }),
      fc.integer({ min: 1, max: 200 }),
      fc.array(burst, { minLength: 1, maxLength: 25 }),
      (perMinute, perDay, bursts) => {
        const model = new Model(perMinute, perDay);
        const policy = ratePolicyOfKey({ perMinute, perDay }, undefined);
        let tally = newTally();
        let now = T0;
        for (const { waitMs, requests } of bursts) {
          now += waitMs;
          if (isSpent(tally, now)) tally = newTally();
          for (let i = 0; i < requests; i++) {
            const expected = model.request(now);
            const { kind, quotaStatus } = judge(tally, policy, now);
            expect(kind).toBe(expected);
            const remaining = model.remaining(now);
            if (kind !== "banned") expect(quotaStatus.minute.remaining).toBe(remaining.minute);
            expect(quotaStatus.day?.remaining).toBe(remaining.day);
            expect(quotaStatus.shown.resetAtMs).toBeGreaterThan(now);
            if (kind !== "pass") expect(quotaStatus.shown.remaining).toBe(0);
          }
        }
      },
    ),
    { numRuns: 300 },
  );
});

describe("strikesLeft", () => {
  const anyRequests = fc.array(fc.record({ waitMs: fc.nat(40_000), count: fc.nat(8) }), { maxLength: 12 });
  const anyQuotas = fc.record({ perMinute: fc.integer({ min: 1, max: 4 }), perDay: fc.integer({ min: 1, max: 30 }) });

  test("is how many more requests are refused until the one that leads to a ban, itself included", () => {
    fc.assert(
      fc.property(anyRequests, anyQuotas, fc.integer({ min: 1, max: 6 }), (requests, quotas, strikesToBan) => {
        const policy = { ...quotas, strikesToBan, unbannedAtMs: -1 };
        const tally = newTally();
        let nowMs = T0;
        for (const { waitMs, count } of requests) {
          nowMs += waitMs;
          times(count, tally, policy, nowMs);
        }
        if (judge(tally, policy, nowMs).kind !== "pass") return;
        const expected = strikesLeft(tally, policy, nowMs);
        while (judge(tally, { ...policy, strikesToBan: 1_000_000 }, nowMs).kind === "pass");
        // The loop has ended with a strike.
        let strikes = 1;
        if (expected !== 1) for (strikes++; judge(tally, policy, nowMs).kind === "exhausted"; strikes++);
        expect(strikes).toBe(expected);
      }),
    );
  });

  test("goes by the policy that applies now, and is at least 1", () => {
    const tally = newTally();
    times(1 + 7, tally, { perMinute: 1, strikesToBan: 60, unbannedAtMs: -1 }, T0);
    const left = (strikesToBan: number, nowMs = T0) =>
      strikesLeft(tally, { perMinute: 300, strikesToBan, unbannedAtMs: -1 }, nowMs);
    expect([left(300), left(60), left(8), left(7), left(2)]).toEqual([293, 53, 1, 1, 1]);
    expect([left(60, T0 + MINUTE - 1), left(60, T0 + MINUTE), left(60, T0 - 1)]).toEqual([53, 60, 60]);
  });
});

describe("of two tallies of one subject", () => {
  /** A tally after some requests at random moments of two days, the last of them before `NOW`. */
  const NOW = T0 + 2 * DAY;
  const anyTally = fc
    .array(fc.tuple(fc.integer({ min: 0, max: 2 * DAY }), fc.integer({ min: 1, max: 130 })), { maxLength: 6 })
    .map((bursts) => {
      const tally = newTally();
      for (const [ago, count] of bursts.toSorted(([a], [b]) => b - a)) times(count, tally, FREE, NOW - ago);
      return tally;
    });
  const anyRecent = fc
    .array(fc.tuple(fc.integer({ min: 0, max: 3 * MINUTE }), fc.integer({ min: 1, max: 130 })), { maxLength: 4 })
    .map((bursts) => {
      const tally = newTally();
      for (const [ago, count] of bursts.toSorted(([a], [b]) => b - a)) times(count, tally, FREE, NOW - ago);
      return tally;
    });
  const any = fc.oneof(anyTally, anyRecent);
  const left = (tally: Tally) => {
    const { minute, day } = quotaStatusOf(closed(tally), FREE, NOW);
    return { minute: minute.remaining, day: day?.remaining ?? 0 };
  };
  /** A window that has ended is closed by the next request. */
  const closed = (tally: Tally): Tally => {
    const copy = structuredClone(tally);
    for (const [count, length] of [
      [copy.minute, MINUTE],
      [copy.day, DAY],
    ] as const)
      if (NOW >= count.openedAtMs + length) count.used = 0;
    return copy;
  };

  test("the stricter one leaves no more than either, and exactly as much as one of them in each window", () =>
    fc.assert(
      fc.property(any, any, (a, b) => {
        const [both, ofA, ofB] = [left(stricterTally(a, b, NOW)), left(a), left(b)];
        const isBanned = [a, b].some(({ banRecord }) => banRecord.bannedUntilMs > NOW && banRecord.bansInARow > 0);
        expect(both.day).toBe(Math.min(ofA.day, ofB.day));
        expect(both.minute).toBe(isBanned ? 0 : Math.min(ofA.minute, ofB.minute));
        const { banRecord } = stricterTally(a, b, NOW);
        expect(banRecord.bannedUntilMs > NOW && banRecord.bansInARow > 0).toBe(isBanned);
      }),
    ));

  test("it makes no difference how often they are merged, or which comes first", () =>
    fc.assert(
      fc.property(any, any, (a, b) => {
        const merged = stricterTally(a, b, NOW);
        expect(left(stricterTally(merged, b, NOW))).toEqual(left(merged));
        expect(left(stricterTally(b, a, NOW))).toEqual(left(merged));
      }),
    ));

  test("a tally is spent from the moment on that is said, and not before", () =>
    fc.assert(
      fc.property(any, (tally) => {
        expect(isSpent(tally, Math.max(NOW, spentAtMs(tally)))).toBe(true);
        if (spentAtMs(tally) > NOW) expect(isSpent(tally, spentAtMs(tally) - 1)).toBe(false);
      }),
    ));
});
