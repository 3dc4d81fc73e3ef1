import type { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { temporaryFolder } from "../../../../test/harness/folder.ts";
import { openForReading, openForWriting, openShared } from "../file/database.ts";
import { mapWalIndex, walIndexAt } from "../wal/index.ts";
import { Snapshot } from "./snapshot.ts";

const folder = temporaryFolder();
const ADD = "INSERT INTO animals (name, category_id, status, folded_name) VALUES ('Rex', 7, 'available', 'rex')";

async function setUp(name: string) {
  const path = join(folder, name);
  (await openShared(path)).close();
  const writer = openForWriting(path);
  const reader = openForReading(path);
  const snapshot = new Snapshot(walIndexAt(mapWalIndex(path) as number));
  const count = (db: Database) => Number((db.query("SELECT count(*) AS n FROM animals").get() as { n: bigint }).n);
  const read = () => {
    snapshot.renew(reader);
    return count(reader);
  };
  const close = () => {
    snapshot.end();
    for (const db of [reader, writer]) db.close(true);
  };
  return { path, writer, reader, snapshot, read, count, close };
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("a snapshot", () => {
  test("is one transaction for all that is read in a turn, and ends with the turn", async () => {
    const { reader, read, close } = await setUp("turn.db");
    expect(reader.inTransaction).toBe(false);
    read();
    read();
    expect(reader.inTransaction).toBe(true);
    await nextTurn();
    expect(reader.inTransaction).toBe(false);
    read();
    expect(reader.inTransaction).toBe(true);
    close();
  });

  test("never hides a commit from a read that comes after it, in whatever turn, and whoever commits", async () => {
    const { path, writer, read, close } = await setUp("current.db");
    const other = await openShared(path);
    const anyStep = fc.constantFrom("read", "write", "write elsewhere", "roll back", "turn", "checkpoint");
    let animals = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { maxLength: 40 }), async (steps) => {
        for (const step of steps) {
          if (step === "turn") await nextTurn();
          else if (step === "read") expect(read()).toBe(animals);
          else if (step === "checkpoint") writer.run("PRAGMA wal_checkpoint(PASSIVE)");
          else if (step === "roll back") {
            writer.run("BEGIN IMMEDIATE");
            writer.run(ADD);
            writer.run("ROLLBACK");
          } else {
            (step === "write" ? writer : other).run(ADD);
            animals++;
          }
        }
        expect(read()).toBe(animals);
      }),
      { numRuns: 100 },
    );
    other.close(true);
    close();
  });

  test("that an error has ended, or that is ended twice, is no obstacle", async () => {
    const { reader, snapshot, read, close } = await setUp("ended.db");
    read();
    reader.run("ROLLBACK");
    expect(read()).toBe(0);
    snapshot.end();
    snapshot.end();
    expect(read()).toBe(0);
    await nextTurn();
    expect(reader.inTransaction).toBe(false);
    close();
  });

  test("does not keep a log from being emptied once its turn is over", async () => {
    const { writer, read, close } = await setUp("log.db");
    writer.run(ADD);
    expect(read()).toBe(1);
    const checkpoint = () => writer.query("PRAGMA wal_checkpoint(TRUNCATE)").values()[0]?.[0];
    writer.run("PRAGMA busy_timeout = 0");
    expect(checkpoint()).toBe(1n);
    await nextTurn();
    expect(checkpoint()).toBe(0n);
    close();
  });
});
