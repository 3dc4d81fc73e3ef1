import { describe, expect, test } from "bun:test";
import { Output } from "./output.ts";

/** A reader that takes this many bytes at once, until it is full. */
function reader() {
  const state = {
    read: "",
    room: Number.POSITIVE_INFINITY,
    atOnce: Number.POSITIVE_INFINITY,
    failure: "",
    attempts: 0,
  };
  const take = (bytes: Uint8Array): number => {
    state.attempts++;
    if (state.failure !== "") throw Object.assign(new Error(), { code: state.failure });
    const count = Math.min(bytes.length, state.room, state.atOnce);
    if (count === 0) throw Object.assign(new Error(), { code: "EAGAIN" });
    state.read += Buffer.from(bytes.subarray(0, count)).toString("latin1");
    state.room -= count;
    return count;
  };
  const output: Output = new Output(take, (lines) => {
    output.write(`${lines} dropped\n`);
    output.writeNow();
  });
  return { state, output };
}

const line = (i: number): string => `${String(i).padStart(98, "-")}\n`;
const lines = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, i) => line(from + i)).join("");

describe("Output", () => {
  test("the lines of one turn are written together, in their order, without being asked to", async () => {
    const { state, output } = reader();
    for (let i = 0; i < 100; i++) output.write(line(i));
    expect(state.attempts).toBe(0);
    await new Promise(setImmediate);
    expect([state.attempts, state.read === lines(0, 100)]).toEqual([1, true]);
  });

  test("a reader that takes a part at a time gets everything", async () => {
    const { state, output } = reader();
    state.atOnce = 7;
    state.room = 10_000;
    for (let i = 0; i < 500; i++) output.write(line(i));
    expect(output.writeNow()).toBe(false);
    while (state.read.length < 500 * 99) {
      state.room = 10_000;
      await Bun.sleep(5);
    }
    expect(state.read === lines(0, 500)).toBe(true);
  });

  test("for a stalled reader a million characters are held back, and the rest is counted where it is missing", async () => {
    const { state, output } = reader();
    state.room = 0;
    expect(output.writeNow()).toBe(true);
    for (let i = 0; i < 20_000; i++) {
      output.write(line(i));
      if (i % 1000 === 0) output.writeNow();
    }
    const held = Math.ceil(1_000_000 / 99);
    state.room = 600_000;
    output.writeNow();
    output.write("later\n");
    state.room = Number.POSITIVE_INFINITY;
    await output.flush();
    expect(state.read === `${lines(0, held)}${20_000 - held} dropped\nlater\n`).toBe(true);
  });

  test("says how many were lost as soon as the reader is back, even if nothing more is written", async () => {
    const { state, output } = reader();
    state.room = 0;
    output.write(line(0));
    output.writeNow();
    for (let i = 1; i < 20_000; i++) output.write(line(i));
    state.room = Number.POSITIVE_INFINITY;
    await output.flush();
    expect(state.read).toEndWith("dropped\n");
  });

  test("what cannot be written is lost and counted, until it can be written again", async () => {
    const { state, output } = reader();
    state.failure = "ENOSPC";
    for (let i = 0; i < 5; i++) {
      output.write(line(i));
      output.write(line(i));
      expect(output.writeNow()).toBe(true);
    }
    state.failure = "";
    output.write("first\n");
    await output.flush();
    expect(state.read).toBe("first\n10 dropped\n");
  });

  test("a flush gives up when nobody reads", async () => {
    const { state, output } = reader();
    state.room = 0;
    output.write(line(0));
    const from = performance.now();
    await output.flush();
    expect(performance.now() - from).toBeGreaterThan(900);
  });

  test("a line that could be written only in part does not run into the next one", () => {
    const { state, output } = reader();
    state.room = 20;
    output.write(line(1));
    output.writeNow();
    state.failure = "ENOSPC";
    output.writeNow();
    state.failure = "";
    state.room = Number.POSITIVE_INFINITY;
    output.write(line(2));
    output.writeNow();
    expect(state.read).toBe(`${line(1).slice(0, 20)}\n${line(2)}1 dropped\n`);
  });
});
