import { lazy } from "../../base/lazy.ts";
import { Rpc } from "../../base/worker/rpc.ts";
import type { ServingStore, Store } from "../ports/store.ts";
import { CHANGES_NO_SCHEMA, MIGRATES, ONLY_CREATES, type SchemaRules } from "../schema/migrate.ts";
import { LOCK_TIMEOUTS, openLocked, openShared } from "./file/database.ts";
import { type DatabaseFiles, identifyFiles } from "./file/identity.ts";
import { closeOfCommand, secureLeftLog } from "./file/left-log.ts";
import { ServingView } from "./serving/serving-view.ts";
import { attempt, reasonOf, tryEarly } from "./sql/attempt.ts";
import { type Connection, prepared } from "./sql/statements.ts";
import { sqliteAnimals } from "./tables/animals.ts";
import { sqliteCategories } from "./tables/categories.ts";
import { sqliteCounts } from "./tables/counts.ts";
import { answerRetries } from "./tables/idempotency.ts";
import { sqliteImports } from "./tables/imports.ts";
import { sqliteJournal } from "./tables/journal.ts";
import { sqliteKeys } from "./tables/keys.ts";
import { sqliteMaintenance } from "./tables/maintenance.ts";
import { sqliteMetadata } from "./tables/metadata.ts";
import { sqliteNameIndex } from "./tables/name-index.ts";
import { sqliteOrders } from "./tables/orders.ts";
import { sqliteSessions } from "./tables/sessions.ts";
import { sqliteTallies } from "./tables/tallies.ts";
import { sqliteInstances, sqliteUsage } from "./tables/usage.ts";
import type { Writes } from "./tables/write.ts";
import { mapWalIndex } from "./wal/index.ts";
import { newCommitNote } from "./wal/version.ts";
import type { NoteTarget } from "./writer/connection.ts";
import { directWrites } from "./writer/direct-writes.ts";
import { WriterHost } from "./writer/host.ts";
import type { HandleMethods, HostMethods } from "./writer/messages.ts";

/** The first replies have been sent by then. */
const WARM_UP_AFTER_MS = 100;

/** Plain data with which another thread of the serving process opens the file; the port is transferred with it. */
export interface SqliteHandle {
  readonly kind: "sqlite";
  readonly path: string;
  readonly files: DatabaseFiles;
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
): Promise<ServingStore<SqliteHandle>> {
  const { path, db, unlock, descriptor } = await openLocked(givenPath, rules, timeouts);
  // This takes half a millisecond, and the thread several: the start does not wait for either.
  const shared = lazy(() => {
    const files = identifyFiles(path, givenPath, descriptor);
    const walIndexAddress = mapWalIndex(path);
    const noteTarget = walIndexAddress ? { walIndexAddress, note: newCommitNote() } : undefined;
    view.follow(files, noteTarget);
    return { files, noteTarget };
  });
  const host = new WriterHost(() => ({ ...shared(), timeouts, isTrusted: view.isTrusted }));
  const view = new ServingView(path, db, () => view.queue.connect(host.newPort()));
  host.onLoss((reason) => view.queue.lose(reason));
  const warmUp = setTimeout(() => tryEarly(() => view.queue.start()), WARM_UP_AFTER_MS);
  warmUp.unref();

  return {
    ...storeOf(view),
    newHandle: () => ({ kind: "sqlite", path, ...shared(), port: host.newHandle() }),
    async close() {
      clearTimeout(warmUp);
      await view.queue.close();
      await host.close();
      view.close();
      unlock();
    },
  };
}

/** Opens the store for another thread of this process. It succeeds also while the file was moved, and all is refused. */
export function openHandle({ path, files, noteTarget, port }: SqliteHandle): Store {
  const host = new Rpc<HostMethods, HandleMethods>(port, { lose: (reason) => view.queue.lose(reason) });
  const requestPort = () => {
    host.call("newPort").then(
      (granted) => view.queue.connect(granted),
      (error) => view.queue.refuse(reasonOf(error)),
    );
  };
  const view = new ServingView(path, undefined, requestPort);
  view.follow(files, noteTarget);
  view.queue.start();
  tryEarly(view.reader.connection);
  return {
    ...storeOf(view),
    async close() {
      await view.queue.close();
      view.close();
      port.close();
    },
  };
}

function storeOf(view: ServingView): Omit<Store, "close"> {
  const { connection } = view.reader;
  const store = storeOn(connection, answerRetries(connection, view.queue, view.refuseIfReplaced));
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

/** Opens a store for a command, which may run beside a service. Fails with an OperatorError. */
export async function openForCommand(
  path: string,
  { create }: { create: boolean },
  timeouts = LOCK_TIMEOUTS,
): Promise<Store> {
  const rules = create ? ONLY_CREATES : CHANGES_NO_SCHEMA;
  const db = await openShared(path, rules, timeouts);
  using onFailure = new DisposableStack();
  onFailure.defer(() => closeOfCommand(db));
  secureLeftLog(db);
  onFailure.move();
  return {
    ...storeOn(db, directWrites(db)),
    version: () => undefined,
    onProblem: () => {},
    close: () => closeOfCommand(db),
  };
}

function storeOn(connection: Connection, writes: Writes): Omit<Store, "version" | "onProblem" | "close"> {
  const check = prepared(connection, "SELECT 1 FROM animals LIMIT 1");
  return {
    animals: sqliteAnimals(connection, writes),
    nameIndex: sqliteNameIndex(connection, writes),
    categories: sqliteCategories(connection, writes),
    orders: sqliteOrders(connection, writes),
    keys: sqliteKeys(connection, writes),
    tallies: sqliteTallies(connection, writes),
    metadata: sqliteMetadata(connection, writes),
    usage: sqliteUsage(connection, writes),
    instances: sqliteInstances(connection, writes),
    imports: sqliteImports(connection, writes),
    journal: sqliteJournal(connection),
    counts: sqliteCounts(connection),
    sessions: sqliteSessions(connection, writes),
    maintenance: sqliteMaintenance(connection, writes),
    check: () => void attempt(() => check().get()),
    isReadOnly: () => false,
  };
}
