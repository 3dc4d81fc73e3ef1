import { expect, test } from "bun:test";
import { openLogs } from "./logs.ts";

test("every failure of the store is counted, and handed to the failure log", async () => {
  const logged: unknown[] = [];
  let storeErrors = 0;
  const opened = new AsyncDisposableStack();
  const log = {
    info() {},
    warn() {},
    error: (fields: unknown, message?: unknown) => void logged.push([message, fields]),
  };
  const { report } = openLogs(log, opened, { storeError: () => void storeErrors++ });
  const notSaved = report("counters not saved");
  notSaved("a");
  notSaved("b");
  report("changes to keys not seen")("c");
  notSaved("a");
  expect(storeErrors).toBe(4);
  expect(logged).toEqual([
    ["counters not saved", { err: "a" }],
    ["counters not saved", { err: "b" }],
    ["changes to keys not seen", { err: "c" }],
  ]);
  await opened.disposeAsync();
  expect(logged.at(-1)).toEqual(["counters not saved", { err: "a", repeated: 1 }]);
});
