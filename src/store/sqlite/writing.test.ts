import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../test/harness/service.ts";
import { newTally } from "../../domain/tally.ts";
import { StoreUnavailable } from "../store.ts";
import { openAlone } from "./database.ts";
import { versionOf } from "./version.ts";
import { Writing } from "./writing.ts";

const folder = temporaryFolder();

async function writingTo(name: string) {
  const path = join(folder, name);
  const { db } = await openAlone(path, false);
  const writing = new Writing(path);
  const create = (animal = "Rex") => writing.perform("createAnimal", animal, 7n, "available", undefined);
  const names = () => db.query("SELECT name FROM animals ORDER BY id").values().flat();
  return { path, db, writing, create, names };
}

describe("the writing thread", () => {
  test("commits together what waits together, and each write is there when its promise says so", async () => {
    const { db, path, writing, create, names } = await writingTo("group.db");
    await create("first");
    const version = versionOf(db, path);
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
    expect(written).toEqual(Array.from({ length: 500 }, (_, i) => ({ kind: "done", result: BigInt(i + 2) })));
    expect(commits).toBeLessThan(10);
    await writing.close();
    db.close();
  });

  test("a write that fails harms none of those it waited with", async () => {
    const { db, writing, create, names } = await writingTo("harm.db");
    const outcomes = await Promise.allSettled([
      create("before all"),
      create("before"),
      writing.perform("saveTallies", [["no such key", newTally()]]),
      create("after"),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
    const { reason } = outcomes[2] as PromiseRejectedResult;
    expect(reason).not.toBeInstanceOf(StoreUnavailable);
    expect(reason.message).toContain("FOREIGN KEY");
    expect(names()).toEqual(["before all", "before", "after"]);
    await writing.close();
    db.close();
  });

  test("what was asked for is finished before it ends", async () => {
    const { db, writing, create, names } = await writingTo("end.db");
    const asked = Array.from({ length: 100 }, () => create());
    await writing.close();
    expect(names()).toHaveLength(100);
    expect(await Promise.all(asked)).toHaveLength(100);
    db.close();
  });

  test("one that never had anything to do ends at once", async () => {
    const { db, writing } = await writingTo("idle.db");
    await writing.close();
    db.close();
  });

  test("load is shed when too much waits", async () => {
    const { db, path, writing, create, names } = await writingTo("shed.db");
    const other = new Database(path);
    other.run("BEGIN IMMEDIATE");
    const asked = Array.from({ length: 10_001 }, () => create().catch((error: unknown) => error));
    expect(await asked.at(-1)).toBeInstanceOf(StoreUnavailable);
    other.run("ROLLBACK");
    other.close();
    const results = await Promise.all(asked);
    expect(results.filter((result) => result instanceof StoreUnavailable)).toHaveLength(1);
    expect(names()).toHaveLength(10_000);
    await writing.close();
    db.close();
  });

  test("a database that is not there is none that it makes, and it looks again with the next write", async () => {
    const path = join(folder, "later.db");
    const writing = new Writing(path);
    const error = await writing.perform("sweep", 0).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect((error as StoreUnavailable).changed).toBe("nothing");
    expect(existsSync(path)).toBe(false);
    (await openAlone(path, false)).db.close();
    expect(await writing.perform("sweep", 0)).toBe(false);
    await writing.close();
  });

  test("lets the event loop turn between some answers and the next", async () => {
    const { db, writing, create } = await writingTo("turns.db");
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
    await writing.close();
    db.close();
  });

  test("when it is lost, what it had answered counts, and only the rest is uncertain", async () => {
    const script = join(folder, "answers-and-dies.ts");
    await Bun.write(
      script,
      `let writes = 0;
      self.onmessage = ({ data }) => {
        if (data.kind !== "write" || (writes += data.writes.length) < 100) return;
        self.postMessage(Array.from({ length: 90 }, (_, result) => ({ kind: "done", result })));
        process.exit(1);
      };`,
    );
    const writing = new Writing(join(folder, "half-lost.db"), script);
    const outcomes = await Promise.allSettled(Array.from({ length: 100 }, () => writing.perform("sweep", 0)));
    expect(outcomes.map(({ status }) => status)).toEqual([
      ...Array(90).fill("fulfilled"),
      ...Array(10).fill("rejected"),
    ]);
    await writing.close();
  });

  test("when it is lost, what it was at is uncertain, and the next write has another", async () => {
    const script = join(folder, "dies.ts");
    await Bun.write(script, 'self.onmessage = ({ data }) => { if (data.kind === "write") process.exit(1); };');
    const writing = new Writing(join(folder, "lost.db"), script);
    for (let i = 0; i < 2; i++) {
      const error = await writing.perform("sweep", 0).catch((error: unknown) => error);
      expect(error).toBeInstanceOf(StoreUnavailable);
      expect((error as StoreUnavailable).changed).toBe("unknown");
    }
    await writing.close();
  });
});
