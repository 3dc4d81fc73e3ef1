import { expect, test } from "bun:test";
import { closeAll, opening } from "./disposal.ts";

test("a failure does not keep the rest open, and the first one is thrown", async () => {
  const closed: string[] = [];
  const opened = new AsyncDisposableStack();
  opened.defer(() => void closed.push("store"));
  opened.defer(() => Promise.reject(new Error("third")));
  opened.defer(() => Promise.reject(new Error("second")));
  opened.defer(() => {
    throw new Error("first");
  });
  await expect(closeAll(opened)).rejects.toThrow("first");
  expect(closed).toEqual(["store"]);
  await closeAll(opened);
  expect(closed).toEqual(["store"]);
});

test("what was opened is closed when the next thing cannot be; otherwise it stays open", async () => {
  const closed: string[] = [];
  const failures: unknown[] = [];
  const failed = opening(
    async (opened) => {
      opened.defer(() => void closed.push("store"));
      opened.defer(() => Promise.reject(new Error("while closing")));
      throw new Error("no port");
    },
    (error) => void failures.push(error),
  );
  await expect(failed).rejects.toThrow("no port");
  expect(closed).toEqual(["store"]);
  expect(failures.map(String)).toEqual(["Error: while closing"]);
  const lasting = await opening(async (opened) => {
    opened.defer(() => void closed.push("lasting"));
    return opened;
  });
  expect(closed).toEqual(["store"]);
  await closeAll(lasting);
  expect(closed).toEqual(["store", "lasting"]);
});
