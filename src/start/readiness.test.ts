import { expect, test } from "bun:test";
import { readiness } from "./readiness.ts";

test("those who ask at the same time share a check of the store, and the next one checks again", async () => {
  let checks = 0;
  const checked = Promise.withResolvers<void>();
  const store = {
    async check() {
      checks++;
      await checked.promise;
    },
    isReadOnly: () => false,
  };
  const { isReady, start, stop } = readiness(store, { info() {}, warn() {}, error() {} });
  expect(await isReady()).toBe(false);
  start();
  const asked = Array.from({ length: 100 }, () => isReady());
  checked.resolve();
  expect(new Set(await Promise.all(asked))).toEqual(new Set([true]));
  expect(checks).toBe(1);
  expect(await isReady()).toBe(true);
  expect(checks).toBe(2);
  const last = isReady();
  stop();
  expect(await last).toBe(false);
});
