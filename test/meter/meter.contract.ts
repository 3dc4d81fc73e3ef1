import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { BAN_LADDER_MS, BAN_MEMORY_MS } from "../../src/domain/limits/ban.ts";
import {
  judge,
  type KeyRatePolicy,
  newTally,
  quotaStatusOf,
  type RatePolicy,
  ratePolicyOfAddress,
  ratePolicyOfKey,
  strikesLeft,
  type Verdict,
} from "../../src/domain/limits/tally.ts";
import type { Meter } from "../../src/meter/meter.ts";
import { FakeClock } from "../harness/time/clock.ts";

const FREE = ratePolicyOfKey({ perMinute: 60, perDay: 1000 }, undefined);
const MINUTE = 60_000;
const DAY = 86_400_000;

const anyQuota = fc.integer({ min: 1, max: 5 });
/** Small numbers, so that a few requests exhaust quotas, bring bans and climb the ladder. */
const anyKeyPolicy: fc.Arbitrary<KeyRatePolicy> = fc.record({
  perMinute: anyQuota,
  perDay: fc.integer({ min: 1, max: 20 }),
  strikesToBan: fc.integer({ min: 1, max: 5 }),
  unbannedAtMs: fc.constant(-1),
});
const anyPolicy: fc.Arbitrary<RatePolicy> = fc.oneof(anyQuota.map(ratePolicyOfAddress), anyKeyPolicy);
const edges = [MINUTE, DAY, BAN_MEMORY_MS, ...BAN_LADDER_MS, ...BAN_LADDER_MS.map((ms) => ms + BAN_MEMORY_MS)];
const anyBursts = fc.array(
  fc.record({
    waitMs: fc.oneof(
      fc.integer({ min: 0, max: 5000 }),
      fc.constantFrom(0, 1, ...edges.flatMap((ms) => [ms - 1, ms, ms + 1])),
    ),
    requests: fc.integer({ min: 1, max: 12 }),
    isUnban: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
  }),
  { minLength: 1, maxLength: 16 },
);

/** The promises of every meter. `open` makes one with the given clock. */
export function meterContract(name: string, open: (clock: FakeClock) => Promise<Meter>, isSkipped = false): void {
  describe.skipIf(isSkipped)(`${name}: the meter contract`, () => {
    let subjects = 0;
    const newSubject = () => `subject ${++subjects} ${crypto.randomUUID()}`;
    const times = async (count: number, meter: Meter, subject: string, policy: RatePolicy): Promise<Verdict> => {
      let last: Verdict | undefined;
      for (let i = 0; i < count; i++) last = await meter.judge(subject, policy);
      return last as Verdict;
    };

    test("of parallel requests exactly as many pass as the quota allows", async () => {
      const meter = await open(new FakeClock());
      const subject = newSubject();
      const verdicts = await Promise.all(Array.from({ length: 110 }, () => meter.judge(subject, FREE)));
      expect(verdicts.filter((verdict) => verdict.kind === "pass")).toHaveLength(60);
      expect(verdicts.filter((verdict) => verdict.kind === "exhausted")).toHaveLength(50);
    });

    test("a window opens with the first request, and what remains goes down by one", async () => {
      const clock = new FakeClock();
      const meter = await open(clock);
      const subject = newSubject();
      const openedAtMs = clock.nowMs();
      for (const [wait, remaining] of [
        [0, 59],
        [1, 58],
        [MINUTE - 2, 57],
      ] as const) {
        clock.advance(wait);
        const { quotaStatus } = await meter.judge(subject, FREE);
        expect(quotaStatus.shown).toMatchObject({ quota: 60, remaining, resetAtMs: openedAtMs + MINUTE });
        expect(quotaStatus.atMs).toBe(clock.nowMs());
      }
      clock.advance(1);
      const { quotaStatus } = await meter.judge(subject, FREE);
      expect(quotaStatus.minute).toMatchObject({ remaining: 59, resetAtMs: openedAtMs + 2 * MINUTE });
      expect(quotaStatus.day).toMatchObject({ remaining: 996, resetAtMs: openedAtMs + DAY });
    });

    test("a day window lasts 24 hours to the millisecond", async () => {
      const clock = new FakeClock();
      const meter = await open(clock);
      const subject = newSubject();
      const policy = ratePolicyOfKey({ perMinute: 60, perDay: 3 }, undefined);
      await times(3, meter, subject, policy);
      clock.advance(DAY - 1);
      expect(await meter.judge(subject, policy)).toMatchObject({ kind: "exhausted", strikesLeft: 59 });
      // Asking whether it is refused is no strike.
      for (let i = 0; i < 3; i++) expect(meter.isRefused(subject, policy)).toBe(true);
      expect(await meter.judge(subject, policy)).toMatchObject({ kind: "exhausted", strikesLeft: 58 });
      clock.advance(1);
      expect(meter.isRefused(subject, policy)).toBe(false);
      expect((await meter.judge(subject, policy)).kind).toBe("pass");
    });

    test("strikes count down to a ban, which ends, and the next one lasts longer", async () => {
      const clock = new FakeClock();
      const meter = await open(clock);
      const subject = newSubject();
      await times(60, meter, subject, FREE);
      for (let left = 59; left > 0; left--)
        expect(await meter.judge(subject, FREE)).toMatchObject({ kind: "exhausted", strikesLeft: left });
      expect(await meter.judge(subject, FREE)).toMatchObject({ kind: "banned", isNew: true });
      expect(await times(100, meter, subject, FREE)).toMatchObject({ kind: "banned", isNew: false });
      clock.advance(MINUTE - 1);
      expect((await meter.judge(subject, FREE)).kind).toBe("banned");
      clock.advance(1);
      const bannedAtMs = clock.nowMs();
      expect((await times(120, meter, subject, FREE)).quotaStatus.shown.resetAtMs).toBe(bannedAtMs + 5 * MINUTE);
    });

    test("an unban lifts a ban at once", async () => {
      const clock = new FakeClock();
      const meter = await open(clock);
      const subject = newSubject();
      expect((await times(120, meter, subject, FREE)).kind).toBe("banned");
      clock.advance(MINUTE - 1000);
      expect((await meter.judge(subject, FREE)).kind).toBe("banned");
      const unbanned = ratePolicyOfKey({ perMinute: 60, perDay: 1000 }, clock.nowMs());
      clock.advance(1000);
      expect((await meter.judge(subject, unbanned)).kind).toBe("pass");
    });

    test("subjects do not count for each other, and an address is never banned", async () => {
      const clock = new FakeClock();
      const meter = await open(clock);
      const [one, other] = [newSubject(), newSubject()];
      const policy = ratePolicyOfAddress(5);
      expect(await times(500, meter, one, policy)).toMatchObject({
        kind: "exhausted",
        strikesLeft: undefined,
        quotaStatus: { day: undefined },
      });
      expect((await meter.judge(other, policy)).quotaStatus.shown.remaining).toBe(4);
      clock.advance(MINUTE);
      expect((await meter.judge(one, policy)).kind).toBe("pass");
    });

    test("over random policies, requests and clock steps it says what the rule says", async () => {
      const clock = new FakeClock();
      const meter = await open(clock);
      await fc.assert(
        fc.asyncProperty(anyPolicy, anyBursts, async (initial, bursts) => {
          const subject = newSubject();
          const tally = newTally();
          let policy = initial;
          for (const { waitMs, requests, isUnban } of bursts) {
            if (isUnban) policy = { ...policy, unbannedAtMs: clock.nowMs() };
            clock.advance(waitMs);
            for (let i = 0; i < requests; i++)
              expect(await meter.judge(subject, policy)).toEqual(judge(tally, policy, clock.nowMs()));
          }
        }),
        { numRuns: 60 },
      );
    });

    test("a tally is what is counted: nothing at first, and then what the rule goes by; reading it counts nothing", async () => {
      const clock = new FakeClock();
      const meter = await open(clock);
      expect(await meter.tally(newSubject())).toEqual(newTally());
      await fc.assert(
        fc.asyncProperty(anyKeyPolicy, anyBursts, async (policy, bursts) => {
          const subject = newSubject();
          const tally = newTally();
          for (const { waitMs, requests } of bursts) {
            clock.advance(waitMs);
            for (let i = 0; i < requests; i++) {
              const { kind } = await meter.judge(subject, policy);
              judge(tally, policy, clock.nowMs());
              // A refused one may be reported to others a moment later.
              if (kind !== "pass") continue;
              const read = await meter.tally(subject);
              expect(quotaStatusOf(read, policy, clock.nowMs())).toEqual(quotaStatusOf(tally, policy, clock.nowMs()));
              expect(strikesLeft(read, policy, clock.nowMs())).toBe(strikesLeft(tally, policy, clock.nowMs()));
            }
          }
        }),
        { numRuns: 20 },
      );
    });

    test("a tally is a copy: what is done to it changes no verdict", async () => {
      const meter = await open(new FakeClock());
      const subject = newSubject();
      await meter.judge(subject, FREE);
      const tally = await meter.tally(subject);
      expect(tally.minute.used).toBe(1);
      tally.minute.used = 60;
      expect((await meter.judge(subject, FREE)).quotaStatus.shown.remaining).toBe(58);
    });

    test("each ban lasts as long as the ladder says, and the ladder is forgotten after a day without one", async () => {
      const clock = new FakeClock();
      const meter = await open(clock);
      const subject = newSubject();
      const policy: RatePolicy = { perMinute: 1, perDay: 1_000_000, strikesToBan: 2, unbannedAtMs: -1 };
      const nextBanMs = async () =>
        (await times(3, meter, subject, policy)).quotaStatus.shown.resetAtMs - clock.nowMs();
      for (const ladderMs of [...BAN_LADDER_MS, BAN_LADDER_MS.at(-1) as number]) {
        expect(await nextBanMs()).toBe(ladderMs);
        clock.advance(ladderMs - 1);
        expect((await meter.judge(subject, policy)).kind).toBe("banned");
        clock.advance(1);
      }
      clock.advance(BAN_MEMORY_MS - 1);
      expect(await nextBanMs()).toBe(BAN_LADDER_MS.at(-1) as number);
      clock.advance((BAN_LADDER_MS.at(-1) as number) + BAN_MEMORY_MS);
      expect(await nextBanMs()).toBe(BAN_LADDER_MS[0] as number);
    });
  });
}
