import { expect, test } from "bun:test";
import { checkAgainstRecords, compareClocks } from "./clock-check.ts";

const NOW_MS = Date.UTC(2027, 0, 31);

test("a clock is wrong if it is before the newest record", () => {
  expect(checkAgainstRecords(NOW_MS, undefined).kind).toBe("ok");
  expect(checkAgainstRecords(NOW_MS, NOW_MS + 60_000).kind).toBe("ok");
  expect(checkAgainstRecords(NOW_MS, NOW_MS + 60_001)).toMatchObject({
    kind: "problem",
    detail: "it says 2027-01-31T00:00:00.000Z, and the newest record is from 2027-01-31T00:01:00.001Z",
  });
});

test("clocks may differ by two seconds, and by as long as the answer took", () => {
  const compare = (serverMs: number) => compareClocks("Redis", serverMs, NOW_MS, NOW_MS + 500);
  for (const ms of [NOW_MS - 2_000, NOW_MS, NOW_MS + 2_500]) expect(compare(ms).kind).toBe("ok");
  expect(compare(NOW_MS - 2_001)).toMatchObject({
    kind: "warning",
    detail: "it is 2 seconds ahead of the clock of Redis",
  });
  expect(compare(NOW_MS + 3_500)).toMatchObject({
    kind: "warning",
    detail: "it is 3 seconds behind the clock of Redis",
  });
});
