import { expect, test } from "bun:test";
import { createFailureLog } from "./failures.ts";

function setUp() {
  const logged: Record<string, unknown>[] = [];
  const scheduled: { delayMs: number; callback: () => void }[] = [];
  const failures = createFailureLog({
    log: { error: (fields: object, message?: string) => void logged.push({ ...fields, message }) },
    schedule: (delayMs, callback) => void scheduled.push({ delayMs, callback }),
  });
  /** Lets 10 s pass. */
  const endInterval = () => {
    for (const { delayMs, callback } of scheduled.splice(0)) {
      expect(delayMs).toBe(10_000);
      callback();
    }
  };
  return { logged, scheduled, failures, endInterval };
}

test("the first of many failures is logged at once, then the latest every 10 s with how many there were", () => {
  const { logged, failures, endInterval, scheduled } = setUp();
  const errors = Array.from({ length: 1000 }, () => new Error("disk full"));
  for (const [i, error] of errors.entries()) failures.report("request failed", error, { requestId: `r${i}` });
  expect(logged).toEqual([{ err: errors[0], requestId: "r0", message: "request failed" }]);
  endInterval();
  expect(logged.slice(1)).toEqual([{ err: errors[999], requestId: "r999", repeated: 999, message: "request failed" }]);
  failures.report("request failed", errors[1], { requestId: "again" });
  endInterval();
  expect(logged.slice(2)).toMatchObject([{ requestId: "again", repeated: 1 }]);
  endInterval();
  expect([logged.length, scheduled.length]).toEqual([3, 0]);
  failures.report("request failed", errors[2], { requestId: "after a pause" });
  expect(logged[3]).toEqual({ err: errors[2], requestId: "after a pause", message: "request failed" });
});

test("a different failure is seen at once, but not thousands of them", () => {
  const { logged, failures, endInterval } = setUp();
  failures.report("request failed", new Error("a"));
  failures.report("request failed", new Error("b"));
  failures.report("page failed", new Error("a"));
  failures.report("request failed", "not even an error");
  expect(logged).toHaveLength(4);
  for (let i = 0; i < 1000; i++) failures.report("request failed", new Error(`number ${i}`));
  expect(logged).toHaveLength(51);
  endInterval();
  expect(logged.slice(51)).toMatchObject([{ err: { message: "number 999" }, repeated: 953 }]);
});

test("what was only counted is logged at the end", () => {
  const { logged, failures, endInterval } = setUp();
  for (const message of ["a", "b", "b", "b"]) failures.report("request failed", new Error(message));
  failures.close();
  expect(logged.slice(2)).toMatchObject([{ err: { message: "b" }, repeated: 2 }]);
  endInterval();
  expect(logged).toHaveLength(3);
});
