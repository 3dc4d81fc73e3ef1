import { expect, test } from "bun:test";
import { Locks } from "./locks.ts";

test("a lock that its holder never releases can be waited for, but not for ever", () => {
  const words = new Int32Array(new SharedArrayBuffer(8));
  const locks = new Locks(words, 20);
  locks.acquire(0);
  expect(() => locks.acquire(0)).toThrow("it must have ended");
  locks.acquire(1);
  locks.release(1);
  locks.acquire(1);
});
