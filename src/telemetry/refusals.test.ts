import { expect, test } from "bun:test";
import fc from "fast-check";
import { createRefusalLog } from "./refusals.ts";

function setUp() {
  const logged: Record<string, unknown>[] = [];
  let scheduled: (() => void)[] = [];
  const clock = { ms: 0 };
  const refusals = createRefusalLog({
    log: { info: (fields: object, message?: string) => void logged.push({ ...fields, message }) },
    schedule: (delayMs, callback) => {
      expect(delayMs).toBe(60_000);
      scheduled.push(callback);
    },
    nowMs: () => clock.ms,
  });
  let made = 0;
  const refuse = (code: string, address: string, keyId?: string) =>
    refusals.report(code, keyId ?? address, () => ({ code, address, keyId, request: { requestId: `r${made++}` } }));
  const endMinute = () => {
    const due = scheduled;
    scheduled = [];
    for (const callback of due) callback();
  };
  return { logged, refusals, refuse, endMinute, clock, linesMade: () => made };
}

test("of one caller and code, the first refusal is logged, then once a minute how many more there were", () => {
  const { logged, refuse, endMinute, linesMade } = setUp();
  for (let i = 0; i < 1000; i++) refuse("invalid_api_key", "198.51.100.1");
  refuse("key_banned", "198.51.100.1", "key_1");
  const first = { code: "invalid_api_key", address: "198.51.100.1", keyId: undefined };
  const banned = { code: "key_banned", address: "198.51.100.1", keyId: "key_1" };
  expect(logged).toEqual([
    { ...first, requestId: "r0", message: "request refused" },
    { ...banned, requestId: "r1", message: "request refused" },
  ]);
  expect(linesMade()).toBe(2);
  endMinute();
  expect(logged.slice(2)).toEqual([{ ...first, repeated: 999, message: "request refused" }]);
  endMinute();
  refuse("invalid_api_key", "198.51.100.1");
  expect(logged.slice(3)).toEqual([{ ...first, requestId: "r2", message: "request refused" }]);
});

test("callers beyond the first 50 are counted together, by code, and none is named for the others", () => {
  const { logged, refuse, endMinute } = setUp();
  for (let i = 0; i < 3000; i++) refuse("missing_api_key", `2001:db8:${i.toString(16)}::`);
  expect(logged).toHaveLength(51);
  endMinute();
  expect(logged.slice(51)).toEqual([
    { code: "missing_api_key", repeated: 2949, message: "requests of other callers refused" },
  ]);
});

test("what was only counted is logged at the end", () => {
  const { logged, refusals, refuse } = setUp();
  for (let i = 0; i < 3; i++) refuse("missing_api_key", "a");
  refusals.close();
  expect(logged.slice(1)).toMatchObject([{ code: "missing_api_key", repeated: 2 }]);
});

test("where every request has a line, 600 refusals a minute do", () => {
  const { refusals, clock } = setUp();
  const allowed = () => Array.from({ length: 1000 }, () => refusals.mayLogEach()).filter(Boolean).length;
  expect(allowed()).toBe(600);
  clock.ms = 59_999;
  expect(allowed()).toBe(0);
  clock.ms = 60_000;
  expect(allowed()).toBe(600);
});

test("whatever is refused: every refusal is in the log once, as a line or in a count, and the lines of a minute are few", () => {
  const CODES = ["missing_api_key", "invalid_api_key", "key_banned"];
  const minute = fc.array(fc.tuple(fc.constantFrom(...CODES), fc.integer({ min: 0, max: 200 })), { maxLength: 400 });
  fc.assert(
    fc.property(fc.array(minute, { maxLength: 5 }), (minutes) => {
      const { logged, refuse, endMinute, refusals } = setUp();
      for (const refused of minutes) {
        const before = logged.length;
        for (const [code, caller] of refused) refuse(code, `address ${caller}`);
        endMinute();
        // Each of 50 callers, and the rest of each code, may have a first line, or a count, and a count for this minute.
        expect(logged.length - before).toBeLessThanOrEqual(2 * (50 + CODES.length));
      }
      refusals.close();
      const counted = logged.reduce((sum, { repeated }) => sum + ((repeated as number | undefined) ?? 1), 0);
      expect(counted).toBe(minutes.flat().length);
    }),
    { numRuns: 50 },
  );
});
