import { expect, test } from "bun:test";
import type { Log } from "../telemetry/log.ts";
import { createStop } from "./stop.ts";

const NOTHING = { announceStop() {}, drain: async () => {} };

function stopping(close: () => Promise<void>, timeoutMs = 20) {
  const lines: string[] = [];
  const note = (text: string) => lines.push(text);
  const opened = new AsyncDisposableStack();
  opened.defer(() => void lines.push("first closed"));
  opened.defer(close);
  const log = { info: note, warn: note } as unknown as Log;
  return { lines, stop: createStop({ drainMs: 0, serving: NOTHING, threads: NOTHING, opened, log, timeoutMs }) };
}

test("a stop closes everything, and says so", async () => {
  const { lines, stop } = stopping(async () => {}, 60_000);
  await stop();
  expect(lines).toEqual(["first closed", "stopped"]);
});

test("a stop does not wait for ever for what cannot be closed, and says so", async () => {
  const { lines, stop } = stopping(() => new Promise(() => {}));
  await stop();
  expect(lines).toEqual([expect.stringContaining("without waiting for the store any longer")]);
});

test("a stop fails with what fails while it closes", async () => {
  const { lines, stop } = stopping(() => Promise.reject(new Error("no disk")), 60_000);
  expect(stop()).rejects.toThrow("no disk");
  await stop().catch(() => {});
  expect(lines).toEqual(["first closed"]);
});
