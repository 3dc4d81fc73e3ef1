import { expect, test } from "bun:test";
import { waitFor } from "./wait.ts";

test("work is waited for until it is done, has failed or takes too long", async () => {
  const never = new Promise(() => {});
  await waitFor(Promise.resolve(), 60_000);
  await waitFor(never, 1);
  await waitFor(never, -1);
  expect(waitFor(Promise.reject(new Error("no")), 60_000)).rejects.toThrow("no");
});

test("a process is not kept running by the time that was left", () => {
  const script = `import { waitFor } from ${JSON.stringify(require.resolve("./wait.ts"))}; await waitFor(Promise.resolve(), 60_000);`;
  const { exitCode } = Bun.spawnSync([process.execPath, "-e", script], { timeout: 4_000 });
  expect(exitCode).toBe(0);
});
