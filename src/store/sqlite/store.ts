import { lazy } from "../../domain/lazy.ts";
import { MIGRATES, type SchemaRules } from "../migrate.ts";
import { type Store, type StoreProblem, StoreUnavailable } from "../store.ts";
import { sqliteAnimals } from "./animals.ts";
import { attempt } from "./attempt.ts";
import { sqliteCategories } from "./categories.ts";
import { closeNow } from "./close.ts";
import { LOCK_TIMEOUTS, openLocked, openShared, preparePath } from "./database.ts";
import { directWrites } from "./direct-writes.ts";
import { sqliteFacts } from "./facts.ts";
import { SELECT_ONE_UNFOLDED } from "./folding.ts";
import { answerRetries } from "./idempotency.ts";
import { sqliteKeys } from "./keys.ts";
import { sqliteOrders } from "./orders.ts";
import { PlacementWatch, placementOf } from "./placement.ts";
import { Reader } from "./reader.ts";
import { type Connection, prepared } from "./statements.ts";
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
export async function openForServing(
  givenPath: string,
  timeouts = LOCK_TIMEOUTS,
  rules: SchemaRules = MIGRATES,
): Promise<Store> {
  const path = await preparePath(givenPath, { create: rules.mayCreate });
  const { db, unlock, descriptor } = await openLocked(path, timeouts, rules);
  let report: Parameters<Store["onProblem"]>[0] = () => {};
  let watch: PlacementWatch | undefined;
  let version: (() => number | undefined) | undefined;
  const refuseIfMoved = () => {
    const displacement = queue.distrust === undefined ? watch?.displacement() : watch?.absence();
    if (displacement !== undefined) throw new StoreUnavailable(displacement);
  };
  const reader = new Reader(path, db, refuseIfMoved);
  // Takes half a millisecond, and the thread several, so a start does without both.
  const settings = lazy(() => {
    const placement = placementOf({ path, givenPath }, descriptor);
    watch = new PlacementWatch(placement);
    const walIndexAddress = mapWalIndex(path);
    const note = newCommitNote();
    version = walIndexAddress ? followVersion(walIndexAt(walIndexAddress), note) : versionByPragma(reader.connection);
    return { placement, timeouts, noteTarget: walIndexAddress ? { walIndexAddress, note } : undefined };
  });
  const onProblem = (problem: StoreProblem, error: Error) => {
    if (problem === "sync") watch?.forgetContents();
    report(problem, error);
  };
  const queue = new WriteQueue({ settings, reader, onProblem });
  const warmUp = setTimeout(() => startEarly(queue), WARM_UP_AFTER_MS);
  warmUp.unref();

  const store = storeOn(reader.connection, answerRetries(reader.connection, queue, refuseIfMoved));

  return {
    ...store,
    version: () => version?.(),
    check() {
      refuseIfMoved();
      if (queue.distrust !== undefined)
        throw new StoreUnavailable(`writes are refused until the database was opened again: ${queue.distrust}`);
      return store.check();
    },
    onProblem(listener) {
      report = listener;
    },
    async close() {
      clearTimeout(warmUp);
      await queue.close();
      reader.close({ mayCheckpoint: queue.distrust === undefined && watch?.overwriting() === undefined });
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
  const db = await openShared(await preparePath(path, { create }), timeouts);
  return {
    ...storeOn(db, directWrites(db)),
    version: () => undefined,
    onProblem: () => {},
    close: () => closeNow(db),
  };
}

function storeOn(connection: Connection, writes: Writes): Omit<Store, "version" | "onProblem" | "close"> {
  const check = prepared(connection, "SELECT 1 FROM animals LIMIT 1");
  const unfolded = prepared(connection, SELECT_ONE_UNFOLDED);
  return {
    animals: sqliteAnimals(connection, writes),
    categories: sqliteCategories(connection, writes),
    orders: sqliteOrders(connection, writes),
    keys: sqliteKeys(connection, writes),
    tallies: sqliteTallies(connection, writes),
    facts: sqliteFacts(connection, writes),
    deleteSavedResponses: (upTo) => writes.perform("deleteSavedResponses", upTo),
    // Nothing is written while there is nothing to fold.
    foldNames: async () => attempt(() => unfolded().get()) !== null && writes.perform("foldNames", {}),
    check: () => void attempt(() => check().get()),
    isReadOnly: () => false,
  };
}
