import { ConsoleCache } from "../../../src/console/cached/cache.ts";
import { ConsoleFault } from "../../../src/console/fault.ts";
import type { ConsoleCall, ConsoleHandler, ConsoleParts, SignedIn } from "../../../src/console/handler.ts";
import { ImportJobs } from "../../../src/console/jobs/import-jobs.ts";
import { NameIndexing } from "../../../src/console/jobs/name-indexing.ts";
import type { UploadLimits } from "../../../src/console/jobs/upload.ts";
import { boundedSnapshots } from "../../../src/console/resources/export.ts";
import type { Tally } from "../../../src/domain/limits/tally.ts";
import { countersOf } from "../../../src/keys/queries/counters.ts";
import { raiseTallies, readTallies } from "../../../src/meter/open.ts";
import { parseRedisUrl, type RedisUrl } from "../../../src/meter/redis-url.ts";
import { openAnimalSnapshot, openForServing } from "../../../src/store/open.ts";
import type { Store } from "../../../src/store/ports/store.ts";
import { type DatabaseUrl, parseDatabaseUrl } from "../../../src/store/urls/database-url.ts";
import { atEnd } from "../cleanup.ts";
import { temporaryFolder } from "../folder.ts";
import { FakeClock } from "../time/clock.ts";
import type { Backend, StorageSettings } from "./service.ts";

/** The console's handlers on a store, with helpers for tests. */
export interface TestConsole {
  readonly parts: ConsoleParts;
  readonly store: Store;
  readonly clock: FakeClock;
  readonly storage: StorageSettings;
  readonly uploads: string;
  /** The reported failures. */
  readonly failures: unknown[];
  /** The session of the signed-in user. */
  readonly session: SignedIn;
  /** Calls a handler. A fault is returned as its status and body. */
  ask(handler: ConsoleHandler, call?: Asked): Promise<Answer>;
  /** Saves a key's tally where requests are counted. */
  count(keyId: string, tally: Tally): Promise<void>;
  /** Resolves when all background work has ended. */
  settled(): Promise<void>;
  /** The latest journal entries, newest first. */
  journal(count: number): Promise<readonly object[]>;
}

export interface Asked {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly form?: unknown;
  readonly body?: string | Blob | ReadableStream<Uint8Array>;
  /** By default those of the console. */
  readonly parts?: ConsoleParts;
  /** By default the session goes on. */
  readonly hasSession?: () => Promise<boolean>;
}

// biome-ignore lint/suspicious/noExplicitAny: an answer is whatever JSON has; tests compare it
export type Answer = any;

export const ANNA: SignedIn = { name: "Anna 🐾", role: "operator", expiresAtMs: Number.MAX_SAFE_INTEGER, digest: "d" };

interface Options {
  readonly limits?: UploadLimits;
  readonly reportMaxBytes?: number;
  readonly redisUrl?: string;
}

/** A console without its server: the handlers, on a store of this kind. */
export async function openConsole(backend: Backend, options: Options = {}): Promise<TestConsole> {
  const storage = await backend.newStorage();
  const database = parseDatabaseUrl(storage.DATABASE_URL) as DatabaseUrl;
  const redisText = options.redisUrl ?? storage.REDIS_URL;
  const redis = redisText === undefined ? undefined : (parseRedisUrl(redisText) as RedisUrl);
  const store = await openForServing(database, { connections: 4, threads: 1, mayMigrate: true });
  if (redis) await store.metadata.noteCountingPlace("redis");
  // Near the real time, by which Redis expires keys.
  const clock = new FakeClock(Date.now());
  const failures: unknown[] = [];
  const onFailure = (error: unknown) => void failures.push(error);
  const counters = countersOf(store, redis && ((ids) => readTallies(redis, ids, 500)));
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();
  const background: ConsoleParts["background"] = {
    run(_, work) {
      const done = work(stopping.signal).catch(onFailure);
      running.add(done);
      done.finally(() => running.delete(done));
    },
  };
  const cache = new ConsoleCache({ store, clock, counters, database, onFailure, findDisk: async () => undefined });
  const uploads = temporaryFolder();
  const { run } = background;
  const imports = new ImportJobs({ store, clock, run, onFailure, root: uploads, ...options });
  const settings = {
    environment: "production",
    version: "1.2.0",
    database,
    publicUrl: undefined,
    knownHostNames: [],
    apiOrigin: "http://localhost:8080",
    base: "/console",
    isApart: false,
    uploadMaxBytes: undefined,
    bodyTimeoutMs: 60_000,
    logRequests: false,
    requestDays: 7,
  } as const;
  const log = { info() {}, warn() {}, error() {} };
  const parts: ConsoleParts = {
    settings,
    store,
    clock,
    log,
    failures: { report: (_, error) => onFailure(error) },
    refusals: { report() {}, mayLogEach: () => true, close() {} },
    background,
    counters,
    openSnapshot: boundedSnapshots(() => openAnimalSnapshot(database)),
    cache,
    imports,
    nameIndexing: new NameIndexing({ isOn: true, nameIndex: store.nameIndex, run, onFailure }),
  };
  const settled = async () => {
    while (running.size > 0) await Promise.all(running);
    await cache.settled();
  };
  atEnd(async () => {
    stopping.abort(new Error("stopped"));
    await settled();
    imports.close();
    await store.close();
  });
  return {
    parts,
    store,
    clock,
    storage,
    uploads,
    failures,
    session: ANNA,
    settled,
    async ask(handler, asked = {}) {
      const answer = await handler(asked.parts ?? parts, ANNA, callOf(asked));
      return answer instanceof ConsoleFault ? { status: answer.status, ...answer.body } : answer;
    },
    count: async (keyId, tally) =>
      redis ? raiseTallies(redis, [[keyId, tally]]) : store.tallies.save([[keyId, tally]]),
    journal: async (size) => (await store.journal.list({ sort: "-id", size })).rows,
  };
}

const callOf = ({ params = {}, query = {}, form, body, hasSession = async () => true }: Asked): ConsoleCall => ({
  params,
  query: new URLSearchParams(query),
  form: async () => form,
  hasSession,
  request: new Request("http://localhost/console/api/x", body === undefined ? {} : { method: "POST", body }),
  caller: { address: "127.0.0.1", origin: "http://localhost", requestId: "r" },
});
