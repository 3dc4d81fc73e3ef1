import { expect, test } from "bun:test";
import { FakeClock } from "../../test/harness/clock.ts";
import { createReporter } from "./reporter.ts";

function setUp() {
  const clock = new FakeClock();
  const logged: [object, string][] = [];
  const counts = { storeErrors: 0 };
  const reporter = createReporter({
    log: { error: (fields: object, message: string) => void logged.push([fields, message]) },
    telemetry: { storeError: () => void counts.storeErrors++ },
    nowMs: () => clock.nowMs(),
  });
  return { clock, logged, counts, reporter };
}

test("a repeated failure is counted each time, and logged with its latest error once a minute", () => {
  const { clock, logged, counts, reporter } = setUp();
  const report = reporter("counters not saved");
  const errors = [new Error("first"), new Error("within the minute"), new Error("a minute later")];
  report(errors[0]);
  clock.advance(59_999);
  report(errors[1]);
  clock.advance(1);
  report(errors[2]);
  expect(counts.storeErrors).toBe(3);
  expect(logged).toEqual([
    [{ err: errors[0] }, "counters not saved"],
    [{ err: errors[2] }, "counters not saved"],
  ]);
});

test("different failures do not silence each other", () => {
  const { logged, reporter } = setUp();
  reporter("counters not saved")("a");
  reporter("changes to keys not seen")("b");
  expect(logged.map(([, message]) => message)).toEqual(["counters not saved", "changes to keys not seen"]);
});
