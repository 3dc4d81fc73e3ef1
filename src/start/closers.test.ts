import { expect, test } from "bun:test";
import { Closers } from "./closers.ts";

test("what was opened last is closed first, each once, and each is waited for", async () => {
  const closed: string[] = [];
  const closers = new Closers();
  closers.add(() => closed.push("store"));
  closers.add(async () => {
    await Promise.resolve();
    closed.push("listener");
  });
  await closers.close();
  await closers.close();
  expect(closed).toEqual(["listener", "store"]);
});

test("a failure does not keep the rest open, and is not lost", async () => {
  const closed: string[] = [];
  const closers = new Closers();
  closers.add(() => closed.push("store"));
  closers.add(() => Promise.reject(new Error("first")));
  closers.add(() => {
    throw new Error("last");
  });
  await expect(closers.close()).rejects.toThrow("last");
  expect(closed).toEqual(["store"]);
});

test("what was opened is closed when the next thing cannot be; otherwise it stays open", async () => {
  const closed: string[] = [];
  const failed = Closers.opening(async (opened) => {
    opened.add(() => closed.push("store"));
    opened.add(() => Promise.reject(new Error("while closing")));
    throw new Error("no port");
  });
  await expect(failed).rejects.toThrow("no port");
  expect(closed).toEqual(["store"]);
  const lasting = await Closers.opening(async (opened) => {
    opened.add(() => closed.push("lasting"));
    return opened;
  });
  expect(closed).toEqual(["store"]);
  await lasting.close();
  expect(closed).toEqual(["store", "lasting"]);
});
