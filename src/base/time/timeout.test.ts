import { expect, test } from "bun:test";
import { withTimeout } from "./timeout.ts";

const never = new Promise<never>(() => {});

test("work is waited for until it is done, has failed or takes too long", async () => {
  expect(await withTimeout(Promise.resolve("done"), 60_000)).toEqual({ value: "done" });
  expect(await withTimeout(never, 1)).toBeUndefined();
  expect(await withTimeout(never, -1)).toBeUndefined();
  await expect(withTimeout(Promise.reject(new Error("no")), 60_000)).rejects.toThrow("no");
});

test("a signal ends the wait, also one that was aborted before", async () => {
  const abort = new AbortController();
  const waiting = withTimeout(never, 60_000, abort.signal);
  abort.abort();
  expect(await waiting).toBeUndefined();
  expect(await withTimeout(never, 60_000, abort.signal)).toBeUndefined();
});

test("a failure after the time is up is dropped", async () => {
  const { promise, reject } = Promise.withResolvers<never>();
  expect(await withTimeout(promise, 1)).toBeUndefined();
  reject(new Error("late"));
  await Bun.sleep(1);
});

test("a process is not kept running by the time that was left", () => {
  const script = `import { withTimeout } from ${JSON.stringify(require.resolve("./timeout.ts"))}; await withTimeout(Promise.resolve(), 60_000);`;
  const { exitCode } = Bun.spawnSync([process.execPath, "-e", script], { timeout: 30_000 });
  expect(exitCode).toBe(0);
});
