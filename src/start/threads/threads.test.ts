import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../../../test/harness/folder.ts";
import type { ForwardedLine } from "./forwarded-log.ts";
import { Threads, type ThreadsParts } from "./threads.ts";

interface Data {
  readonly number: number;
}

const THREAD = JSON.stringify(join(import.meta.dir, "../../base/worker/thread.ts"));

/** Writes the script of a thread with this start and these methods; others do nothing. */
async function script({ start = "", methods = "", before = "" }): Promise<string> {
  const path = join(temporaryFolder(), "thread.ts");
  await Bun.write(
    path,
    `import { runThread } from ${THREAD};
    ${before}
    runThread(async ({ number }, host) => {
      const log = (word) => host.call("log", [{ method: "info", args: [word] }]);
      ${start}
      return { announceStop() {}, drain() {}, close() {}, metrics: () => [{ name: "m" }], ${methods} };
    });`,
  );
  return path;
}

/** Threads that run a script, with the deaths and log lines that they report. */
function threadsOf(path: string, parts: Partial<ThreadsParts<Data>> = {}) {
  const deaths: string[] = [];
  const said: string[] = [];
  const lines: ForwardedLine[] = [];
  let made = 0;
  const death = Promise.withResolvers<void>();
  const threads = new Threads<Data>({
    count: 2,
    hasRoom: () => true,
    share: () => true,
    newData: () => ({ number: ++made }),
    handlers: {
      log: (forwarded) => void lines.push(...forwarded),
      save: async () => {},
      openConsole: async () => ({ socket: "", password: "" }),
    },
    onDeath(error) {
      deaths.push(error.message);
      death.resolve();
    },
    log: {
      info: (...args: unknown[]) => void said.push(String(args.at(-1))),
      warn: (message: unknown) => void said.push(String(message)),
    },
    script: path,
    ...parts,
  });
  return { threads, deaths, died: death.promise, said, lines, made: () => made };
}

test("threads are started with data of their own, asked for metrics, drained and closed", async () => {
  const { threads, deaths, said, lines } = threadsOf(
    await script({
      start: `await log("start " + number);`,
      methods: `drain: () => log("drain"), close: () => log("close"),`,
    }),
  );
  await threads.start();
  expect(said).toEqual(["all threads answer requests"]);
  expect(await threads.metrics()).toEqual([[{ name: "m" }], [{ name: "m" }]]);
  threads.announceStop();
  await threads.drain("calm");
  await threads.close();
  expect(lines.map(({ args }) => args[0]).sort()).toEqual(["close", "close", "drain", "drain", "start 1", "start 2"]);
  expect(await threads.metrics()).toEqual([]);
  expect(deaths).toEqual([]);
});

describe("a thread that cannot go on is the death of all, reported once", () => {
  for (const [what, parts, message] of [
    ["fails to start", { start: `throw new Error("no room");` }, /has ended: no room/],
    ["cannot be loaded", { before: `throw new Error("broken script");` }, /broken script/],
    ["ends at its start", { start: "process.exit(3);" }, /has ended/],
    ["ends later", { start: "setTimeout(() => process.exit(0), 20);" }, /has ended/],
    ["throws later", { start: `setTimeout(() => { throw new Error("out of luck"); }, 20);` }, /out of luck/],
    [
      "has a rejection that nobody handles",
      { start: `setTimeout(() => void Promise.reject(new Error("forgotten")), 20);` },
      /forgotten/,
    ],
  ] as const)
    test(`one that ${what}`, async () => {
      const { threads, deaths, died } = threadsOf(await script(parts));
      const started = threads.start();
      await died;
      await started;
      // A stop of the others does not wait for the one that is gone.
      threads.announceStop();
      await threads.metrics();
      await threads.drain("calm");
      await threads.close();
      expect(deaths).toHaveLength(1);
      expect(deaths[0]).toMatch(message);
    });

  test("when one of two dies, the other is still drained and closed", async () => {
    const { threads, deaths, died, lines } = threadsOf(
      await script({
        start: "if (number === 1) setTimeout(() => process.exit(0), 20);",
        methods: `close: () => log("close"),`,
      }),
    );
    await threads.start();
    await died;
    expect(await threads.metrics()).toHaveLength(1);
    await threads.drain("calm");
    await threads.close();
    expect(lines).toHaveLength(1);
    expect(deaths).toHaveLength(1);
  });
});

test("a thread that does not answer, or dies while it closes, holds up a stop for a moment only", async () => {
  for (const methods of [
    "drain() { for (;;); },",
    "close() { process.exit(1); },",
    "close() { return new Promise(() => {}); },",
  ]) {
    const { threads, deaths } = threadsOf(await script({ methods }), { drainTimeoutMs: 100, closeTimeoutMs: 100 });
    await threads.start();
    await threads.drain("calm");
    await threads.close();
    expect(deaths).toEqual([]);
  }
});

test("a stop before they are started starts none, and one while they start waits for them", async () => {
  const idle = threadsOf(await script({}));
  const never = idle.threads.start();
  idle.threads.announceStop();
  await never;
  await idle.threads.drain("calm");
  await idle.threads.close();
  expect(idle.made()).toBe(0);

  const busy = threadsOf(
    await script({
      start: `await Bun.sleep(100); await log("started " + number);`,
      methods: `close: () => log("closed " + number),`,
    }),
  );
  const started = busy.threads.start();
  while (busy.made() < 2) await Bun.sleep(1);
  await busy.threads.close();
  await started;
  const lines = busy.lines.map(({ args }) => String(args[0]));
  for (const number of ["1", "2"])
    expect(lines.filter((line) => line.endsWith(number))).toEqual([`started ${number}`, `closed ${number}`]);
  expect(busy.deaths).toEqual([]);
});

test("a thread that cannot start for want of files is tried again when there is room, and is no death", async () => {
  const rooms = [true, false, true];
  const path = await script({ start: `if (number === 1) throw new Error("too many open files");` });
  const { threads, deaths, said, made } = threadsOf(path, { count: 1, hasRoom: () => rooms.shift() ?? true });
  await threads.start();
  expect([made(), deaths, said]).toEqual([2, [], ["all threads answer requests"]]);
  expect(await threads.metrics()).toHaveLength(1);
  await threads.close();
});

test("no thread is started while files are short, or when the port cannot be shared", async () => {
  let hasRoom = false;
  const short = threadsOf(await script({}), { hasRoom: () => hasRoom });
  const started = short.threads.start();
  await Bun.sleep(250);
  expect(short.made()).toBe(0);
  hasRoom = true;
  await started;
  expect(short.made()).toBe(2);
  await short.threads.close();

  const unshared = threadsOf(await script({}), { share: () => false });
  await unshared.threads.start();
  expect(unshared.made()).toBe(0);
  expect(unshared.said[0]).toContain("one thread answers");
  await unshared.threads.close();
});
