import type { Database } from "bun:sqlite";
import { lazy } from "../../domain/lazy.ts";
import type { Store } from "../store.ts";
import { sqliteAnimals } from "./animals.ts";
import { attempt } from "./attempt.ts";
import { LOCK_TIMEOUTS, openLocked, openShared, preparePath, restrictToReading } from "./database.ts";
import { directWrites } from "./direct-writes.ts";
import { answerRetries } from "./idempotency.ts";
import { sqliteKeys } from "./keys.ts";
import { sqliteOrders } from "./orders.ts";
import { prepared } from "./statements.ts";
import { sqliteTallies } from "./tallies.ts";
import { followVersion, newCommitNote, versionByPragma } from "./version.ts";
import { mapWalIndex, walIndexAt } from "./wal-index.ts";
import { WriteQueue } from "./write-queue.ts";
import type { Writes } from "./writer.ts";

/** The first replies are out by then. */
const WARM_UP_AFTER_MS = 100;

/**
 * Opens a store for the one process that may serve it. Its event loop never waits for a lock or the disk:
 * one connection only reads, and a thread writes. Fails with an OperatorError.
 */
export async function openForServing(path: string, timeouts = LOCK_TIMEOUTS): Promise<Store> {
  await preparePath(path, { create: true });
  const { db, unlock } = await openLocked(path, timeouts);
  restrictToReading(db);
  let version: (() => number | undefined) | undefined;
  // Takes half a millisecond, and the thread several, so a start does without both.
  const noteTarget = lazy(() => {
    const walIndexAddress = mapWalIndex(path);
    const note = newCommitNote();
    version = walIndexAddress ? followVersion(walIndexAt(walIndexAddress), note) : versionByPragma(db);
    return walIndexAddress ? { walIndexAddress, note } : undefined;
  });
  const queue = new WriteQueue(path, { timeouts, noteTarget });
  const warmUp = setTimeout(() => startEarly(queue), WARM_UP_AFTER_MS);
  warmUp.unref();

  return {
    ...storeOn(db, answerRetries(db, queue)),
    version: () => version?.(),
    async close() {
      clearTimeout(warmUp);
      await queue.close();
      db.close();
      unlock();
    },
  };
}

/** Without harm if it fails: the first write tries again, and reports it. */
function startEarly(queue: WriteQueue): void {
  try {
    queue.start();
  } catch {}
}

/** Opens a store for a command, which may run beside a service. Fails with an OperatorError. */
export async function openForCommand(
  path: string,
  { create }: { create: boolean },
  timeouts = LOCK_TIMEOUTS,
): Promise<Store> {
  await preparePath(path, { create });
  const db = await openShared(path, timeouts);
  return {
    ...storeOn(db, directWrites(db)),
    version: () => undefined,
    close: () => db.close(),
  };
}

function storeOn(db: Database, writes: Writes): Omit<Store, "version" | "close"> {
  const check = prepared(db, "SELECT 1 FROM animals LIMIT 1");
  return {
    animals: sqliteAnimals(db, writes),
    orders: sqliteOrders(db, writes),
    keys: sqliteKeys(db, writes),
    tallies: sqliteTallies(db, writes),
    deleteSavedResponses: (upTo) => writes.perform("deleteSavedResponses", upTo),
    check: () => void attempt(() => check().get()),
  };
}
