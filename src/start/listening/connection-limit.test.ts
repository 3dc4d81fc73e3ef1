import { expect, test } from "bun:test";
import { ConnectionLimiter, roomForFiles } from "./connection-limit.ts";

/** A limiter whose process has `open` files of 100, with a record of its actions. */
function setUp() {
  const process = { open: 0, nowMs: 0, canListen: true, isCalm: false };
  const done: string[] = [];
  const limiter = new ConnectionLimiter(
    {
      connections: [
        {
          limit: (areLimited) => void done.push(areLimited ? "limit" : "lift"),
          renew() {
            done.push("renew");
            if (!process.canListen) throw new Error("in use");
          },
        },
      ],
      telemetry: { connectionsLimited: (areLimited) => void done.push(`gauge ${Number(areLimited)}`) },
      log: {
        info: () => void done.push("info"),
        warn: () => void done.push("warn"),
        error: () => void done.push("error"),
      },
    },
    { limit: 100, count: () => process.open },
  );
  /** Runs the next check, a tenth of a second later, and returns its actions. */
  const check = (open: number): string => {
    Object.assign(process, { open, nowMs: process.nowMs + 100 });
    process.isCalm = limiter.check(process.nowMs);
    return done.splice(0).join(", ");
  };
  return { process, check };
}

test("near the limit connections are limited at every check, and it is said once", () => {
  const { check } = setUp();
  expect(check(79)).toBe("");
  expect(check(80)).toBe("gauge 1, warn, limit");
  expect(check(90)).toBe("limit");
  expect(check(79)).toBe("");
});

test("the limits are lifted after two seconds far from the limit, and not while it is neither near nor far", () => {
  const { check } = setUp();
  check(80);
  for (let ms = 100; ms < 2000; ms += 100) expect(check(10)).toBe("");
  check(80);
  for (let ms = 100; ms < 3000; ms += 100) expect(check(71)).toBe("");
  expect(check(70)).toBe("lift, gauge 0, info");
  expect(check(70)).toBe("");
  expect(check(80)).toBe("gauge 1, warn, limit");
});

test("if it stays full although idle connections are closed, the port is opened anew, at most once a second", () => {
  const { check } = setUp();
  expect(check(95)).toBe("gauge 1, warn, limit");
  expect(check(94)).toBe("limit");
  expect(check(95)).toBe("limit");
  expect(check(95)).toBe("limit, renew");
  for (let ms = 100; ms < 1000; ms += 100) expect(check(100)).toBe("limit");
  expect(check(100)).toBe("limit, renew");
});

test("a port that could not be opened anew is tried again at every check, however few files are open, and said once", () => {
  const { process, check } = setUp();
  process.canListen = false;
  check(100);
  expect(check(100)).toBe("limit, renew, error");
  expect(check(10)).toBe("renew");
  process.canListen = true;
  expect(check(10)).toBe("renew");
  expect(check(10)).toBe("");
});

test("one more thread has room below the limit if it is not near, and has as many files left as a thread opens", () => {
  const hasRoom = (limit: number, open: number) => roomForFiles({ limit, count: () => open })();
  expect([hasRoom(1000, 799), hasRoom(1000, 800)]).toEqual([true, false]);
  expect([hasRoom(40, 23), hasRoom(40, 24)]).toEqual([true, false]);
  const hasRoomForThree = (open: number) => roomForFiles({ limit: 100, count: () => open })(3);
  expect([hasRoomForThree(75), hasRoomForThree(76)]).toEqual([true, false]);
});

test("the next check can wait if the number is as before and nothing is limited", () => {
  const { process, check } = setUp();
  const calm = [10, 10, 11, 11, 80, 80, 70, 70].map((open) => {
    check(open);
    return process.isCalm;
  });
  expect(calm).toEqual([false, true, false, true, false, false, false, false]);
  process.nowMs += 2_000;
  check(70);
  expect(process.isCalm).toBe(true);
});
