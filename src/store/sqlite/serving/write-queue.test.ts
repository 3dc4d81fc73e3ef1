import { Database } from "bun:sqlite";
import { describe, expect, spyOn, test } from "bun:test";
import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../../test/harness/folder.ts";
import { SIGNED } from "../../../../test/harness/rows/author.ts";
import { StoreUnavailable } from "../../ports/store.ts";
import { LOCK_TIMEOUTS, openShared } from "../file/database.ts";
import { identifyFiles } from "../file/identity.ts";
import { versionByPragma } from "../wal/version.ts";
import type { WriterSettings } from "../writer/connection.ts";
import { WriterHost } from "../writer/host.ts";
import type { ToWriter } from "../writer/messages.ts";
import { WriteQueue } from "./write-queue.ts";

const folder = temporaryFolder();

const REX = { name: "Rex", categoryId: 7n, status: "available" } as const;
const RUN_THREAD = JSON.stringify(join(import.meta.dir, "../../../base/worker/thread.ts"));
const RPC = JSON.stringify(join(import.meta.dir, "../../../base/worker/rpc.ts"));
/** A write that changes nothing in an empty database. */
const DELETE_NOTHING = { savedAtMs: 0 };

const settingsOf = (path: string, isTrusted = true): WriterSettings => ({
  files: identifyFiles(path, path, undefined),
  timeouts: LOCK_TIMEOUTS,
  noteTarget: undefined,
  isTrusted,
});

/** A writer thread, and a queue to it. */
function queueTo(path: string, { script, settings }: { script?: string; settings?: () => WriterSettings } = {}) {
  const known = settingsOf(path);
  const host = new WriterHost(settings ?? (() => known), script);
  const queue = new WriteQueue({ requestPort: () => queue.connect(host.newPort()) });
  host.onLoss((reason) => queue.lose(reason));
  const close = async () => {
    await queue.close();
    await host.close();
    queue.disconnect();
  };
  return { host, queue, perform: queue.perform.bind(queue), close };
}

async function writingTo(name: string) {
  const path = join(folder, name);
  const db = await openShared(path);
  const queue = queueTo(path);
  const create = (name = "Rex") => queue.perform("animals.create", { ...REX, name });
  const names = () => db.query("SELECT name FROM animals ORDER BY id").values().flat();
  return { path, db, queue, create, names };
}

describe("the writer thread", () => {
  test("commits together what waits together, and each write is on disk when its promise resolves", async () => {
    const { db, queue, create, names } = await writingTo("group.db");
    await create("first");
    const version = versionByPragma(db);
    let commits = 0;
    let last = version();
    const written = await Promise.all(
      Array.from({ length: 500 }, async (_, i) => {
        const result = await create(`Animal ${i}`);
        if (version() !== last) commits++;
        last = version();
        expect(names().length).toBeGreaterThan(i);
        return result;
      }),
    );
    expect(written).toEqual(Array.from({ length: 500 }, (_, i) => ({ kind: "done", value: BigInt(i + 2) })));
    expect(commits).toBeLessThan(10);
    await queue.close();
    db.close();
  });

  test("a write that fails harms none of those it waited with", async () => {
    const { db, queue, create, names } = await writingTo("harm.db");
    const outcomes = await Promise.allSettled([
      create("before all"),
      create("before"),
      queue.perform("keys.rotate", { ...SIGNED, keyId: "no such key", digest: "d", atMs: 1, oldSecretsExpireAtMs: 1 }),
      create("after"),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
    const { reason } = outcomes[2] as PromiseRejectedResult;
    expect(reason).not.toBeInstanceOf(StoreUnavailable);
    expect(reason.message).toContain("FOREIGN KEY");
    expect(names()).toEqual(["before all", "before", "after"]);
    await queue.close();
    db.close();
  });

  test("what was begun is finished before it ends", async () => {
    const { db, queue, create, names } = await writingTo("end.db");
    const begun = Array.from({ length: 100 }, () => create());
    await queue.close();
    expect(names()).toHaveLength(100);
    expect(await Promise.all(begun)).toHaveLength(100);
    db.close();
  });

  test("ends at once when it never had anything to do", async () => {
    const { db, queue } = await writingTo("idle.db");
    await queue.close();
    db.close();
  });

  test("nothing is begun after it was closed", async () => {
    const { db, queue, create, names } = await writingTo("closed.db");
    await create();
    await queue.close();
    await expect(create()).rejects.toThrow(StoreUnavailable);
    await expect(create()).rejects.toThrow("the store is closed");
    expect(names()).toHaveLength(1);
    db.close();
  });

  test("when it cannot be started, what was gathered is refused, and the next write tries again", async () => {
    const path = join(folder, "cannot-start.db");
    const db = await openShared(path);
    let failure: Error | undefined = new Error("EMFILE: too many open files");
    const queue = queueTo(path, {
      settings() {
        if (failure) throw failure;
        return settingsOf(path);
      },
    });
    const refused = await Promise.allSettled(
      Array.from({ length: 20 }, () => queue.perform("maintenance.deleteSavedResponses", DELETE_NOTHING)),
    );
    for (const outcome of refused) {
      const { reason } = outcome as PromiseRejectedResult;
      expect(reason).toBeInstanceOf(StoreUnavailable);
      expect([reason.changed, reason.message]).toEqual(["nothing", expect.stringContaining("too many open files")]);
    }
    failure = undefined;
    expect(await queue.perform("maintenance.deleteSavedResponses", DELETE_NOTHING)).toBe(false);
    await queue.close();
    db.close();
  });

  test("load is shed when too much waits", async () => {
    const { db, path, queue, create, names } = await writingTo("shed.db");
    const other = new Database(path);
    other.run("BEGIN IMMEDIATE");
    const begun = Array.from({ length: 10_001 }, () => create().catch((error: unknown) => error));
    expect(await begun.at(-1)).toBeInstanceOf(StoreUnavailable);
    other.run("ROLLBACK");
    other.close();
    const results = await Promise.all(begun);
    expect(results.filter((result) => result instanceof StoreUnavailable)).toHaveLength(1);
    expect(names()).toHaveLength(10_000);
    await queue.close();
    db.close();
  });

  test("never creates a database, and tries again with the next write", async () => {
    const path = join(folder, "later.db");
    (await openShared(path)).close();
    const queue = queueTo(path);
    renameSync(path, `${path}.away`);
    const error = await queue
      .perform("maintenance.deleteSavedResponses", DELETE_NOTHING)
      .catch((error: unknown) => error);
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect((error as StoreUnavailable).changed).toBe("nothing");
    expect(existsSync(path)).toBe(false);
    renameSync(`${path}.away`, path);
    expect(await queue.perform("maintenance.deleteSavedResponses", DELETE_NOTHING)).toBe(false);
    await queue.close();
  });

  test("lets the event loop turn while many writes are settled", async () => {
    const { db, queue, create } = await writingTo("turns.db");
    let settled = 0;
    const inEachTurn: number[] = [];
    let isOver = false;
    const turn = () => {
      inEachTurn.push(settled);
      settled = 0;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    await Promise.all(Array.from({ length: 400 }, () => create().then(() => settled++)));
    isOver = true;
    expect(Math.max(...inEachTurn)).toBeGreaterThan(1);
    expect(Math.max(...inEachTurn)).toBeLessThanOrEqual(40);
    await queue.close();
    db.close();
  });

  test("when it is lost, only what it had not reported is uncertain", async () => {
    const script = join(folder, "responds-and-dies.ts");
    await Bun.write(
      script,
      `import { runThread } from ${RUN_THREAD};
      let writes = 0;
      const connect = (port) => void (port.onmessage = ({ data }) => {
        if ((writes += data.writes.length) < 100) return;
        port.postMessage({ kind: "all_done", outcomes: Array(90).fill(false) });
        process.exit(1);
      });
      runThread(() => ({ connect }));`,
    );
    const queue = queueTo(join(folder, "half-lost.db"), { script });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 100 }, () => queue.perform("maintenance.deleteSavedResponses", DELETE_NOTHING)),
    );
    expect(outcomes.map(({ status }) => status)).toEqual([
      ...Array(90).fill("fulfilled"),
      ...Array(10).fill("rejected"),
    ]);
    await queue.close();
  });

  test("when it is lost, what it had is uncertain, and the next write starts another", async () => {
    const script = join(folder, "dies.ts");
    await Bun.write(
      script,
      `import { runThread } from ${RUN_THREAD};
      runThread(() => ({ connect: (port) => void (port.onmessage = () => process.exit(1)) }));`,
    );
    const queue = queueTo(join(folder, "lost.db"), { script });
    for (let i = 0; i < 2; i++) {
      const error = await queue
        .perform("maintenance.deleteSavedResponses", DELETE_NOTHING)
        .catch((error: unknown) => error);
      expect(error).toBeInstanceOf(StoreUnavailable);
      expect((error as StoreUnavailable).changed).toBe("unknown");
    }
    await queue.close();
  });

  test("a port that was asked for before it was lost is the only one, and takes what has been gathered", async () => {
    const asked: (() => void)[] = [];
    const received: string[][] = [];
    const queue = new WriteQueue({
      requestPort() {
        const batches: string[] = [];
        received.push(batches);
        const { port1, port2 } = new MessageChannel();
        port2.onmessage = ({ data }: { data: ToWriter }) => {
          if (data.kind !== "write") return;
          batches.push(...data.writes.map(([, input]) => (input as { name: string }).name));
          port2.postMessage({ kind: "all_done", outcomes: data.writes.map(([, input]) => input) });
        };
        asked.push(() => queue.connect(port1));
      },
    });
    const create = (name: string) => queue.perform("animals.create", { ...REX, name });
    const first = create("one");
    await Bun.sleep(1);
    queue.lose("it ended before its port arrived");
    const second = create("two");
    await Bun.sleep(1);
    expect(asked).toHaveLength(1);
    asked[0]?.();
    expect(await Promise.all([first, second])).toMatchObject([{ name: "one" }, { name: "two" }] as object[]);
    expect(received).toEqual([["one", "two"]]);
    await queue.close();
    queue.disconnect();
  });

  test("what was gathered before there was a port is still written when it is closed meanwhile", async () => {
    const { path, db, names } = await writingTo("late-port.db");
    const writer = new WriterHost(() => settingsOf(path));
    let connect = () => {};
    const queue = new WriteQueue({
      requestPort() {
        connect = () => queue.connect(writer.newPort());
      },
    });
    const created = queue.perform("animals.create", REX);
    await Bun.sleep(1);
    const closed = queue.close();
    connect();
    expect(await created).toMatchObject({ kind: "done" });
    await closed;
    await writer.close();
    queue.disconnect();
    expect(names()).toEqual(["Rex"]);
    db.close();
  });

  test("a thread that has left, or was terminated, is told no more when the writer is lost", async () => {
    const script = join(folder, "dies.ts");
    await Bun.write(script, "throw new Error('it cannot live');");
    const host = new WriterHost(() => settingsOf(join(folder, "x.db")), script);
    const [stays, leaves, ends] = [host.newHandle(), host.newHandle(), host.newHandle()];
    const said: unknown[] = [];
    stays.onmessage = ({ data }) => void said.push(data);
    const holder = join(folder, "holds.ts");
    await Bun.write(holder, "self.onmessage = ({ data: handle }) => { handle.start(); self.postMessage('held'); };");
    const terminated = new Worker(holder);
    const held = new Promise((resolve) => terminated.addEventListener("message", resolve));
    terminated.postMessage(ends, [ends]);
    await held;
    const ended = new Promise((resolve) => terminated.addEventListener("close", resolve));
    const tell = spyOn(MessagePort.prototype, "postMessage");
    leaves.close();
    terminated.terminate();
    await ended;
    await Bun.sleep(20);
    tell.mockClear();
    host.newPort();
    while (said.length === 0) await Bun.sleep(1);
    expect(tell.mock.calls.filter(([{ method }]) => method === "lose")).toHaveLength(1);
    tell.mockRestore();
    stays.close();
    await host.close();
  });

  test("opens a database again that must not be trusted, though a thread was terminated that had to close it first", async () => {
    const path = join(folder, "distrusted.db");
    (await openShared(path)).close();
    const host = new WriterHost(() => settingsOf(path, false));
    const script = join(folder, "is-asked-and-says-nothing.ts");
    await Bun.write(
      script,
      `import { Rpc } from ${RPC};
      self.onmessage = async ({ data: handle }) => {
        const port = await new Rpc(handle, {}).call("newPort");
        port.onmessage = ({ data }) => { if (data.kind === "suspended") self.postMessage("asked"); };
      };`,
    );
    const silent = new Worker(script);
    const asked = new Promise((resolve) => silent.addEventListener("message", resolve));
    const handle = host.newHandle();
    silent.postMessage(handle, [handle]);
    await asked;
    silent.terminate();
    const queue = new WriteQueue({ requestPort: () => queue.connect(host.newPort()) });
    const deleted = () => queue.perform("maintenance.deleteSavedResponses", DELETE_NOTHING).catch(() => undefined);
    while ((await deleted()) === undefined) await Bun.sleep(5);
    await queue.close();
    await host.close();
    queue.disconnect();
  });
});
