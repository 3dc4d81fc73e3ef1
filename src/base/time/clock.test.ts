import { expect, test } from "bun:test";
import { FakeClock } from "../../../test/harness/time/clock.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, steadyClock, systemClock } from "./clock.ts";

function setUp() {
  const clock = new FakeClock();
  const steady = steadyClock(clock);
  /** Time passes while somebody looks at the clock now and then. */
  const pass = (ms: number) => {
    for (let left = ms; left > 0; left -= MINUTE_MS) {
      clock.advance(Math.min(left, MINUTE_MS));
      steady.nowMs();
    }
  };
  const errorMs = () => steady.nowMs() - clock.nowMs();
  return { clock, steady, pass, errorMs };
}

test("the steady clock shows the time while the clock does not jump, however much time passes between two looks", () => {
  const { clock, errorMs } = setUp();
  for (const ms of [1, MINUTE_MS, 30 * DAY_MS]) {
    clock.advance(ms);
    expect(errorMs()).toBe(0);
  }
});

test("a correction is followed at once, and many of them too", () => {
  const { clock, errorMs } = setUp();
  for (const ms of [SECOND_MS, -SECOND_MS, ...Array<number>(100).fill(30 * SECOND_MS)]) {
    clock.jump(ms);
    expect(errorMs()).toBe(0);
  }
});

for (const [name, jumpMs] of Object.entries({ ahead: 25 * HOUR_MS, back: -25 * HOUR_MS })) {
  test(`a jump ${name} that is undone within the hour is never seen`, () => {
    const { clock, steady, pass, errorMs } = setUp();
    const before = steady.nowMs();
    clock.jump(jumpMs);
    expect(steady.nowMs()).toBe(before);
    pass(59 * MINUTE_MS);
    expect(steady.nowMs()).toBe(before + 59 * MINUTE_MS);
    clock.jump(-jumpMs);
    expect(errorMs()).toBe(0);
    pass(2 * HOUR_MS);
    expect(steady.nowMs()).toBe(before + 179 * MINUTE_MS);
  });

  test(`a jump ${name} is followed once it has lasted an hour`, () => {
    const { clock, pass, errorMs } = setUp();
    clock.jump(jumpMs);
    expect(errorMs()).toBe(-jumpMs);
    pass(59 * MINUTE_MS);
    expect(errorMs()).toBe(-jumpMs);
    pass(MINUTE_MS);
    expect(errorMs()).toBe(0);
  });
}

test("a clock that jumps about is believed an hour after its last jump", () => {
  const { clock, pass, errorMs } = setUp();
  for (let i = 0; i < 10; i++) {
    clock.jump(25 * HOUR_MS);
    expect(errorMs()).not.toBe(0);
    pass(30 * MINUTE_MS);
    expect(errorMs()).not.toBe(0);
  }
  pass(30 * MINUTE_MS);
  expect(errorMs()).toBe(0);
});

test("it is settled an hour after the start, and an hour after each jump", () => {
  const { clock, steady, pass } = setUp();
  pass(HOUR_MS - MINUTE_MS);
  expect(steady.settledMs()).toBeUndefined();
  pass(MINUTE_MS);
  expect(steady.settledMs()).toBe(clock.nowMs());
  clock.jump(25 * HOUR_MS);
  expect(steady.settledMs()).toBeUndefined();
  pass(HOUR_MS);
  expect(steady.settledMs()).toBe(clock.nowMs());
});

test("it shows whole milliseconds, as the system's clock does", () => {
  const steady = steadyClock(systemClock);
  const nowMs = steady.nowMs();
  expect(Number.isInteger(nowMs)).toBe(true);
  expect(Math.abs(nowMs - Date.now())).toBeLessThan(SECOND_MS);
});
