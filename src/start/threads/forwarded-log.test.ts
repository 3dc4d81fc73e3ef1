import { expect, test } from "bun:test";
import { pino } from "pino";
import type { Log } from "../../telemetry/log.ts";
import { type ForwardedLine, forwardedLog, logForwarded } from "./forwarded-log.ts";

class DiskFull extends Error {}

/** Logs the same line directly and through another thread. */
async function bothWays(use: (log: Log) => void): Promise<{ direct: unknown[]; forwarded: unknown[]; sent: number }> {
  const loggedBy = (write: (log: Log) => void): unknown[] => {
    const lines: string[] = [];
    const options = { base: null, timestamp: false };
    write(pino(options, { write: (line: string) => void lines.push(line) }));
    return lines.map((line) => JSON.parse(line));
  };
  const sent: ForwardedLine[][] = [];
  use(forwardedLog((lines) => void sent.push(structuredClone([...lines]))));
  await new Promise(setImmediate);
  const forwarded = loggedBy((log) => {
    for (const lines of sent) logForwarded(log, lines);
  });
  return { direct: loggedBy(use), forwarded, sent: sent.length };
}

test("a line is the same as if it had been logged directly, and those of one turn are sent together", async () => {
  const { direct, forwarded, sent } = await bothWays((log) => {
    log.info("plain");
    log.warn({ a: 1, b: "two" }, "with fields");
    log.error({ err: "not an error" }, "odd");
  });
  expect(forwarded).toEqual(direct);
  expect(sent).toBe(1);
});

test("a flush sends at once, and only what was not sent yet", async () => {
  const sent: number[] = [];
  const log = forwardedLog((lines) => void sent.push(lines.length));
  log.flush();
  log.info("one");
  log.info("two");
  log.flush();
  expect(sent).toEqual([2]);
  await new Promise(setImmediate);
  expect(sent).toEqual([2]);
  log.info("three");
  await new Promise(setImmediate);
  expect(sent).toEqual([2, 1]);
});

test("of an error, its type, message, stack, cause and plain fields arrive; what cannot be sent does no harm", async () => {
  const cause = Object.assign(new TypeError("no room"), { code: "ENOSPC" });
  const error = Object.assign(new DiskFull("could not write", { cause }), { code: "EIO", errno: 5 });
  const { direct, forwarded } = await bothWays((log) => log.error({ err: error, requestId: "r1" }, "request failed"));
  expect(forwarded).toEqual(direct);
  expect(forwarded).toMatchObject([
    {
      msg: "request failed",
      requestId: "r1",
      err: { type: "DiskFull", message: "could not write: no room", code: "EIO", errno: 5 },
    },
  ]);
  expect(JSON.stringify(forwarded)).toContain("forwarded-log.test.ts");
  const odd = Object.assign(new Error("odd"), { callback: () => {}, socket: { end() {} } });
  expect((await bothWays((log) => log.error({ err: odd }, "odd"))).forwarded).toMatchObject([
    { err: { type: "Error", message: "odd" } },
  ]);
});

test("lines that cannot be cloned are replaced by one that says so", async () => {
  const sent: ForwardedLine[] = [];
  const log = forwardedLog((lines) => void sent.push(...structuredClone([...lines])));
  log.info({ callback: () => {} }, "unclonable");
  log.info("lost with it");
  await new Promise(setImmediate);
  log.info("next");
  await new Promise(setImmediate);
  expect(sent.map(({ method, args }) => [method, args.at(-1)])).toEqual([
    ["error", "2 lines of the log cannot be sent"],
    ["info", "next"],
  ]);
});
