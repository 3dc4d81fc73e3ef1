import { expect, test } from "bun:test";
import { pacedStream, ReaderGone } from "./paced-stream.ts";

const NEVER_MS = 2 ** 30;
const going = new AbortController().signal;
const bytes = (text: string) => Buffer.from(text);

test("all that is written is read, in its order, and nothing before it is wanted", async () => {
  const { readable, write, close } = pacedStream(NEVER_MS);
  const written: number[] = [];
  const writing = (async () => {
    for (let i = 0; i < 100; i++) {
      await write(bytes(`${i},`), going);
      written.push(i);
    }
    close();
  })();
  const reader = readable.getReader();
  await Bun.sleep(1);
  expect(written).toEqual([]);
  let text = "";
  for (let reads = 1; ; reads++) {
    const { done, value } = await reader.read();
    if (done) break;
    text += Buffer.from(value).toString();
    await Bun.sleep(0);
    expect(written.length).toBe(reads);
  }
  await writing;
  expect(text).toBe(Array.from({ length: 100 }, (_, i) => `${i},`).join(""));
});

test("a reader who takes nothing for too long is given up, and sees that it is not whole", async () => {
  const { readable, write, fail } = pacedStream(5);
  const reader = readable.getReader();
  const first = reader.read();
  await write(bytes("a"), going);
  expect(Buffer.from((await first).value as Uint8Array).toString()).toBe("a");
  const failure = await write(bytes("b"), going).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ReaderGone);
  fail(failure);
  expect(await reader.read().catch((error: unknown) => error)).toBe(failure as ReaderGone);
});

test("a reader who goes away ends a write that waits, and all that follow", async () => {
  const { readable, write, close, fail } = pacedStream(NEVER_MS);
  const waiting = write(bytes("a"), going).catch((error: unknown) => error);
  await readable.cancel();
  expect(await waiting).toBeInstanceOf(ReaderGone);
  expect(await write(bytes("b"), going).catch((error: unknown) => error)).toBeInstanceOf(ReaderGone);
  close();
  fail(new Error("too late"));
});

test("a write that waits ends with the reason of its signal", async () => {
  const { write } = pacedStream(NEVER_MS);
  const stop = new AbortController();
  const waiting = write(bytes("a"), stop.signal).catch((error: unknown) => error);
  const reason = new Error("stopped");
  stop.abort(reason);
  expect(await waiting).toBe(reason);
  expect(await write(bytes("a"), stop.signal).catch((error: unknown) => error)).toBe(reason);
});
