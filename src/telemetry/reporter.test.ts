import { expect, test } from "bun:test";
import { createReporter } from "./reporter.ts";

test("every failure is counted, and handed to the failure log", () => {
  const reported: [string, unknown][] = [];
  let storeErrors = 0;
  const reporter = createReporter({
    failures: { report: (message, error) => void reported.push([message, error]) },
    telemetry: { storeError: () => void storeErrors++ },
  });
  const report = reporter("counters not saved");
  report("a");
  report("b");
  reporter("changes to keys not seen")("c");
  expect(storeErrors).toBe(3);
  expect(reported).toEqual([
    ["counters not saved", "a"],
    ["counters not saved", "b"],
    ["changes to keys not seen", "c"],
  ]);
});
