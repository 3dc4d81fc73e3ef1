import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { atFileLimit } from "../../../test/harness/file-limit.ts";
import { temporaryFolder } from "../../../test/harness/folder.ts";
import { SupervisedWorker } from "./supervised-worker.ts";

interface Data {
  readonly greeting: string;
}

type ThreadMethods = {
  greet(name: string): string;
  note(word: string): void;
  notes(): string[];
  askHost(n: number): Promise<number>;
};

type HostMethods = { double(n: number): number };

const THREAD = JSON.stringify(join(import.meta.dir, "thread.ts"));

/** A worker that greets, and the reasons of its death. */
async function workerOf({ start = "", methods = "", before = "" } = {}) {
  const script = join(temporaryFolder(), "thread.ts");
  await Bun.write(
    script,
    `import { runThread } from ${THREAD};
    ${before}
    const notes = [];
    runThread(async ({ greeting }, host) => {
      ${start}
      return {
        greet: (name) => greeting + " " + name,
        note: (word) => void notes.push(word),
        notes: () => notes,
        askHost: (n) => host.call("double", n),
        close() {},
        ${methods}
      };
    });`,
  );
  const death = Promise.withResolvers<string>();
  const deaths: string[] = [];
  const worker = new SupervisedWorker<Data, ThreadMethods, HostMethods>({
    script,
    name: "test",
    data: { greeting: "hello" },
    handlers: { double: (n) => 2 * n },
    onDeath({ message }) {
      deaths.push(message);
      death.resolve(message);
    },
  });
  return { worker, deaths, died: death.promise };
}

/** `rejects` would block the event loop while it waits. */
const failureOf = (work: Promise<unknown>): Promise<string> => work.then(String, (error: Error) => error.message);

test("it is started with its data, both sides call each other, and it ends without a death", async () => {
  const { worker, deaths } = await workerOf();
  await worker.started;
  expect(await worker.remote.call("greet", "you")).toBe("hello you");
  expect(await worker.remote.call("askHost", 21)).toBe(42);
  await worker.end(10_000);
  expect(await failureOf(worker.remote.call("greet", "you"))).toBe("it was closed");
  expect(deaths).toEqual([]);
});

test("calls and notifications that are made before it has started wait for that, in their order", async () => {
  const { worker } = await workerOf({ start: "await Bun.sleep(50);" });
  worker.remote.notify("note", "one");
  const greeting = worker.remote.call("greet", "early");
  worker.remote.notify("note", "two");
  expect(await greeting).toBe("hello early");
  expect(await worker.remote.call("notes")).toEqual(["one", "two"]);
  await worker.end(10_000);
});

describe("its death is reported once, with the reason, and fails all calls", () => {
  for (const [what, parts, reason] of [
    ["cannot be loaded", { before: `throw new Error("broken script");` }, /broken script/],
    ["fails to start", { start: `throw new Error("no room");` }, /^no room$/],
    ["ends at its start", { start: "process.exit(3);" }, /^it closed$/],
    ["ends later", { start: "setTimeout(() => process.exit(0), 20);" }, /^it closed$/],
    ["throws later", { start: `setTimeout(() => { throw new Error("out of luck"); }, 20);` }, /out of luck/],
    ["fails in a notification", { methods: `note() { throw new Error("not noted"); }` }, /not noted/],
  ] as const)
    test(`one that ${what}`, async () => {
      const { worker, deaths, died } = await workerOf(parts);
      worker.remote.notify("note", "word");
      expect(await died).toMatch(reason);
      expect(await failureOf(worker.remote.call("greet", "nobody"))).toMatch(reason);
      await worker.end(10_000);
      expect(deaths).toHaveLength(1);
    });
});

test("what a thread replies before it ends by itself is still heard", async () => {
  const { worker, died } = await workerOf({ methods: "greet() { setTimeout(() => process.exit(0)); return 'last'; }" });
  expect(await worker.remote.call("greet", "you")).toBe("last");
  expect(await died).toBe("it closed");
});

test("an end waits no longer than its limit, also for a thread that is busy, and reports no death", async () => {
  for (const methods of [
    "close() { for (;;); }",
    "close() { return new Promise(() => {}); }",
    "close() { process.exit(1); }",
    "close() { throw new Error('cannot close'); }",
  ]) {
    const { worker, deaths } = await workerOf({ methods });
    await worker.started;
    await worker.end(100);
    expect(await failureOf(worker.remote.call("greet", "you"))).not.toContain("hello");
    expect(deaths).toEqual([]);
  }
});

test("an end while it starts lets it start and close", async () => {
  const { worker, deaths } = await workerOf({ start: "await Bun.sleep(50);" });
  await worker.end(10_000);
  await worker.started;
  expect(deaths).toEqual([]);
});

test.if(process.platform === "linux")(
  "at the limit of open files it is not started, which would end the process",
  async () => {
    const said = await atFileLimit(`
    import { SupervisedWorker } from ${JSON.stringify(join(import.meta.dir, "supervised-worker.ts"))};
    const start = () => new SupervisedWorker({ script: "none", name: "test", data: {}, handlers: {}, onDeath: () => {} });
    useUp(1);
    try { start(); } catch (error) { say(error.message); }
    await Bun.sleep(0);
    say("alive");`);
    expect(said).toEqual(["too few files can be opened for one more thread: raise their limit (ulimit -n)", "alive"]);
  },
);
