import { expect, test } from "bun:test";
import type { Connection } from "./connection.ts";
import { LockWait, PATIENCE } from "./lock-wait.ts";

test("who waits for a lock says once by whom it is held, and once more if that was not known yet", async () => {
  const progress: string[] = [];
  let looks = 0;
  let hasLooked = Promise.withResolvers<void>();
  const found = [
    [],
    [{ pid: 7, application_name: "a report", seconds: 3 }],
    [{ pid: 8, application_name: "", seconds: 4 }],
  ];
  const observer = async () =>
    ({
      run: async () => {
        setTimeout(hasLooked.resolve);
        return found[looks] ?? [];
      },
    }) as unknown as Connection;
  const wait = new LockWait({
    ...PATIENCE,
    lockTimeoutMs: 2,
    observer,
    pid: 1,
    onProgress: (message) => progress.push(message),
  });
  const done = await wait.briefly("migration 2", async () => {
    if (looks === found.length) return "done";
    await hasLooked.promise;
    looks++;
    hasLooked = Promise.withResolvers();
    throw Object.assign(new Error("lock timeout"), { errno: "55P03" });
  });
  expect(done).toBe("done");
  expect(progress).toEqual([
    "migration 2 waits for a lock, held by unknown",
    "migration 2 waits for a lock, held by process 7 (a report), in a transaction for 3 s",
  ]);
});
