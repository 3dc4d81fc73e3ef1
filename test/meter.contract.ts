import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { judge, newTally, type Terms, termsOfAddress, termsOfKey, type Verdict } from "../src/domain/tally.ts";
import type { Meter } from "../src/meter/meter.ts";
import { FakeClock } from "./harness/clock.ts";

const FREE = termsOfKey({ perMinute: 60, perDay: 1000 }, undefined);
const MINUTE = 60_000;
const DAY = 86_400_000;

/** What every meter promises, under the same names whichever it is. `open` gives one that goes by the clock. */
export function meterContract(name: string, open: (clock: FakeClock) => Promise<Meter>, isSkipped = false): void {
  describe.skipIf(isSkipped)(`${name}: the meter contract`, () => {
    let subjects = 0;
    const newSubject = () => `subject ${++subjects} ${crypto.randomUUID()}`;
    const times = async (count: number, meter: Meter, subject: string, terms: Terms): Promise<Verdict> => {
      let last: Verdict | undefined;
      for (let i = 0; i < count; i++) last = await meter.judge(subject, terms);
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
        const { standing } = await meter.judge(subject, FREE);
        expect(standing.shown).toMatchObject({ quota: 60, remaining, resetAtMs: openedAtMs + MINUTE });
        expect(standing.atMs).toBe(clock.nowMs());
      }
      clock.advance(1);
      const { standing } = await meter.judge(subject, FREE);
      expect(standing.minute).toMatchObject({ remaining: 59, resetAtMs: openedAtMs + 2 * MINUTE });
      expect(standing.day).toMatchObject({ remaining: 996, resetAtMs: openedAtMs + DAY });
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
      expect((await times(120, meter, subject, FREE)).standing.shown.resetAtMs).toBe(bannedAtMs + 5 * MINUTE);
    });

    test("a pardon lifts a ban at once", async () => {
      const clock = new FakeClock();
      const meter = await open(clock);
      const subject = newSubject();
      expect((await times(120, meter, subject, FREE)).kind).toBe("banned");
      clock.advance(MINUTE - 1000);
      expect((await meter.judge(subject, FREE)).kind).toBe("banned");
      const pardoned = termsOfKey({ perMinute: 60, perDay: 1000 }, clock.nowMs());
      clock.advance(1000);
      expect((await meter.judge(subject, pardoned)).kind).toBe("pass");
    });

    test("subjects do not count for each other, and an address is never banned", async () => {
      const clock = new FakeClock();
      const meter = await open(clock);
      const [one, other] = [newSubject(), newSubject()];
      const terms = termsOfAddress(5);
      expect(await times(500, meter, one, terms)).toMatchObject({
        kind: "exhausted",
        strikesLeft: undefined,
        standing: { day: undefined },
      });
      expect((await meter.judge(other, terms)).standing.shown.remaining).toBe(4);
      clock.advance(MINUTE);
      expect((await meter.judge(one, terms)).kind).toBe("pass");
    });

    test("over random requests and clock steps it says what the rule says", async () => {
      const wait = fc.oneof(
        fc.integer({ min: 0, max: 5000 }),
        fc.constantFrom(0, 1, MINUTE - 1, MINUTE, 5 * MINUTE, 30 * MINUTE, DAY - 1, DAY, DAY + 1),
      );
      const bursts = fc.array(fc.record({ wait, requests: fc.integer({ min: 1, max: 80 }) }), {
        minLength: 1,
        maxLength: 8,
      });
      const clock = new FakeClock();
      const meter = await open(clock);
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 1, max: 30 }),
          fc.integer({ min: 1, max: 90 }),
          bursts,
          async (perMinute, perDay, script) => {
            const terms = termsOfKey({ perMinute, perDay }, undefined);
            const subject = newSubject();
            const tally = newTally();
            for (const burst of script) {
              clock.advance(burst.wait);
              for (let i = 0; i < burst.requests; i++)
                expect(await meter.judge(subject, terms)).toEqual(judge(tally, terms, clock.nowMs()));
            }
          },
        ),
        { numRuns: 40 },
      );
    });
  });
}
