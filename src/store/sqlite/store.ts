import type { Store } from "../store.ts";
import { sqliteAnimals } from "./animals.ts";
import { attempt, lockForServing, neverBlock, openDatabase, preparePath, transactor } from "./database.ts";
import { sqliteKeys } from "./keys.ts";
import { sqliteOnce } from "./once.ts";
import { sqliteOrders } from "./orders.ts";
import { sqliteTallies } from "./tallies.ts";

export interface SqliteOptions {
  /** Make the file when there is none. */
  readonly create: boolean;
  /** Claim it for this one process, and never let a lock of another's stop the event loop. */
  readonly serve: boolean;
}

/** Opens a store in one SQLite file. Fails with an OperatorError. */
export async function openSqliteStore(path: string, options: SqliteOptions): Promise<Store> {
  preparePath(path, options);
  // Before a migration, which must not happen under a service that runs.
  const unlock = options.serve ? lockForServing(path) : () => {};
  const db = await openDatabase(path).catch((error: unknown) => {
    unlock();
    throw error;
  });
  if (options.serve) neverBlock(db);
  const transact = transactor(db);
  const { writeOnce, sweep } = sqliteOnce(db, transact);
  const check = db.prepare("SELECT 1 FROM animals LIMIT 1");
  const copyInto = db.prepare("VACUUM INTO ?");

  return {
    animals: sqliteAnimals(db, writeOnce),
    orders: sqliteOrders(db, transact, writeOnce),
    keys: sqliteKeys(db, transact),
    tallies: sqliteTallies(db, transact),
    sweep,
    check: () => void attempt(() => check.get()),
    backup: (file) => void attempt(() => copyInto.run(file)),
    close() {
      db.close();
      unlock();
    },
  };
}
