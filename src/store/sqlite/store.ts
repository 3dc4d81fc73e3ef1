import { lazy } from "../../domain/lazy.ts";
import { CHANGES_NO_SCHEMA, MIGRATES, ONLY_CREATES, type SchemaRules } from "../migrate.ts";
import type { ServingStore, Store } from "../store.ts";
import { sqliteAnimals } from "./animals.ts";
import { attempt } from "./attempt.ts";
import { sqliteCategories } from "./categories.ts";
import { closeNow } from "./close.ts";
import { sqliteCounts } from "./counts.ts";
import { LOCK_TIMEOUTS, openLocked, openShared, preparePath } from "./database.ts";
import { directWrites } from "./direct-writes.ts";
import { sqliteFacts } from "./facts.ts";
import { SELECT_ONE_UNFOLDED } from "./folding.ts";
import { answerRetries } from "./idempotency.ts";
import { sqliteImports } from "./imports.ts";
import { sqliteJournal } from "./journal.ts";
import { sqliteKeys } from "./keys.ts";
import { sqliteOrders } from "./orders.ts";
import { type Placement, placementOf } from "./placement.ts";
import type { Reader } from "./reader.ts";
import { ServingView } from "./serving-view.ts";
import { sqliteSessions } from "./sessions.ts";
import { type Connection, prepared } from "./statements.ts";
import { sqliteTallies } from "./tallies.ts";
import { sqliteInstances, sqliteUsage } from "./usage.ts";
import { newCommitNote } from "./version.ts";
import { mapWalIndex } from "./wal-index.ts";
import type { WriteQueue } from "./write-queue.ts";
import type { Writes } from "./writer.ts";
import type { NoteTarget } from "./writer-connection.ts";
import { WriterHost } from "./writer-host.ts";
import type { FromSeat, ToSeat } from "./writer-messages.ts";

/** The first replies are out by then. */
const WARM_UP_AFTER_MS = 100;

/** What another thread of the process that serves a file opens it with. To be sent there, with its port. */
export interface SqliteSeat {
  readonly kind: "sqlite";
  readonly path: string;
  readonly placement: Placement;
  readonly noteTarget: NoteTarget | undefined;
  readonly port: MessagePort;
}

/**
 * Opens a store for the one process that may serve it. Its event loops never wait for a lock or the disk:
 * each has a connection that only reads, and one thread writes for all. Fails with an OperatorError.
 */
export async function openForServing(
  givenPath: string,
  timeouts = LOCK_TIMEOUTS,
  rules: SchemaRules = MIGRATES,
): Promise<ServingStore<SqliteSeat>> {
  const path = await preparePath(givenPath, { create: rules.mayCreate });
  const { db, unlock, descriptor } = await openLocked(path, timeouts, rules);
  // Takes half a millisecond, and the thread several, so a start does without both.
  const shared = lazy(() => {
    const placement = placementOf({ path, givenPath }, descriptor);
    const walIndexAddress = mapWalIndex(path);
    const noteTarget = walIndexAddress ? { walIndexAddress, note: newCommitNote() } : undefined;
    view.follow(placement, noteTarget);
    return { placement, noteTarget };
  });
  const host = new WriterHost({
    settings: () => ({ ...shared(), timeouts }),
    isTrusted: () => view.queue.distrust === undefined,
  });
  const view = new ServingView(path, db, () => view.queue.connect(host.newPort()));
  host.onLoss((reason) => view.queue.lose(reason));
  const warmUp = setTimeout(() => startEarly(view.queue), WARM_UP_AFTER_MS);
  warmUp.unref();

  return {
    ...storeOf(view),
    newSeat: () => ({ kind: "sqlite", path, ...shared(), port: host.newSeat() }),
    async close() {
      clearTimeout(warmUp);
      await view.queue.close();
      await host.close();
      view.close();
      unlock();
    },
  };
}

/** Opens the store of another thread of this process: also while the file is not in its place, and all is refused. */
export function openSeat({ path, placement, noteTarget, port }: SqliteSeat): Store {
  const say = (message: FromSeat) => port.postMessage(message);
  const view = new ServingView(path, undefined, () => say({ kind: "request" }));
  view.follow(placement, noteTarget);
  port.onmessage = ({ data }: { data: ToSeat }) => {
    if (data.kind === "port") view.queue.connect(data.port);
    else if (data.kind === "failed") view.queue.refuse(data.reason);
    else view.queue.lose(data.reason);
  };
  view.queue.start();
  openEarly(view.reader);
  return {
    ...storeOf(view),
    async close() {
      await view.queue.close();
      view.close();
      say({ kind: "leave" });
      port.close();
    },
  };
}

function storeOf(view: ServingView): Omit<Store, "close"> {
  const { connection } = view.reader;
  const store = storeOn(connection, answerRetries(connection, view.queue, view.refuseIfMoved));
  return {
    ...store,
    version: () => view.version(),
    check() {
      view.check();
      return store.check();
    },
    onProblem: (report) => view.onProblem(report),
  };
}

/** Without harm if it fails: the first write tries again, and reports it. */
function startEarly(queue: WriteQueue): void {
  try {
    queue.start();
  } catch {}
}

/** Likewise: the first read. */
function openEarly({ connection }: Reader): void {
  try {
    connection();
  } catch {}
}

/** Opens a store for a command, which may run beside a service. Fails with an OperatorError. */
export async function openForCommand(
  path: string,
  { create }: { create: boolean },
  timeouts = LOCK_TIMEOUTS,
): Promise<Store> {
  const rules = create ? ONLY_CREATES : CHANGES_NO_SCHEMA;
  const db = await openShared(await preparePath(path, { create }), timeouts, rules);
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
    usage: sqliteUsage(connection, writes),
    instances: sqliteInstances(connection, writes),
    imports: sqliteImports(connection, writes),
    journal: sqliteJournal(connection),
    counts: sqliteCounts(connection),
    sessions: sqliteSessions(connection, writes),
    deleteSavedResponses: (upTo) => writes.perform("deleteSavedResponses", upTo),
    // Nothing is written while there is nothing to fold.
    foldNames: async () => attempt(() => unfolded().get()) !== null && writes.perform("foldNames", {}),
    check: () => void attempt(() => check().get()),
    isReadOnly: () => false,
  };
}
