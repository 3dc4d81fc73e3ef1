import type { Store } from "../store.ts";
import { sqliteAnimals } from "./animals.ts";
import { attempt, openAlone, preparePath } from "./database.ts";
import { sqliteKeys } from "./keys.ts";
import { type RepeatOf, repeatFinder } from "./once.ts";
import { sqliteOrders } from "./orders.ts";
import { prepared } from "./statements.ts";
import { sqliteTallies } from "./tallies.ts";
import { versionOf } from "./version.ts";
import { Writing } from "./writing.ts";

export interface SqliteOptions {
  /** Make the file when there is none. */
  readonly create: boolean;
  /** Claim it for this one process, and never let a commit or a lock of another's stop the event loop. */
  readonly serve: boolean;
}

/** Opens a store in one SQLite file. Fails with an OperatorError. */
export async function openSqliteStore(path: string, options: SqliteOptions): Promise<Store> {
  await preparePath(path, options);
  const { db, unlock } = await openAlone(path, options.serve);
  let version: (() => number) | undefined;
  const writing = new Writing(path);
  // What was answered before needs no lock; the writer looks again, under one.
  const findRepeat = repeatFinder(db);
  const repeatOf: RepeatOf = (once) => attempt(() => findRepeat(once));
  const check = prepared(db, "SELECT 1 FROM animals LIMIT 1");

  return {
    animals: sqliteAnimals(db, repeatOf, writing),
    orders: sqliteOrders(db, repeatOf, writing),
    keys: sqliteKeys(db),
    tallies: sqliteTallies(db, writing),
    version: () => version?.(),
    warmUp() {
      version = versionOf(db, path);
      writing.start();
      // From here on this connection only reads, and waits for nobody.
      db.run("PRAGMA busy_timeout = 0");
    },
    sweep: (answeredUntilMs) => writing.perform("sweep", answeredUntilMs),
    check: () => void attempt(() => check().get()),
    async close() {
      await writing.close();
      db.close();
      unlock();
    },
  };
}
