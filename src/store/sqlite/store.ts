import type { Store } from "../store.ts";
import { sqliteAnimals } from "./animals.ts";
import { attempt, openAlone, preparePath, transactor } from "./database.ts";
import { sqliteKeys } from "./keys.ts";
import { sqliteOnce } from "./once.ts";
import { sqliteOrders } from "./orders.ts";
import { sqliteTallies } from "./tallies.ts";
import { versionOf } from "./version.ts";

export interface SqliteOptions {
  /** Make the file when there is none. */
  readonly create: boolean;
  /** Claim it for this one process, and never let a lock of another's stop the event loop. */
  readonly serve: boolean;
}

/** Opens a store in one SQLite file. Fails with an OperatorError. */
export async function openSqliteStore(path: string, options: SqliteOptions): Promise<Store> {
  preparePath(path, options);
  const { db, unlock } = await openAlone(path, options.serve);
  const transact = transactor(db);
  const { writeOnce, sweep } = sqliteOnce(db, transact);
  const check = db.prepare("SELECT 1 FROM animals LIMIT 1");

  return {
    animals: sqliteAnimals(db, writeOnce),
    orders: sqliteOrders(db, transact, writeOnce),
    keys: sqliteKeys(db, transact),
    tallies: sqliteTallies(db, transact),
    version: options.serve ? versionOf(db, path) : () => undefined,
    sweep,
    check: () => void attempt(() => check.get()),
    close() {
      db.close();
      unlock();
    },
  };
}
