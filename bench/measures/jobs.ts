// Work that a service does beside its requests, or that is done to its database: each made to happen while it is measured.

import { Database } from "bun:sqlite";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { DAY_MS } from "../../src/base/time/clock.ts";
import { digestOf, newKeyId, newSecret } from "../../src/domain/keys/key.ts";
import { QUOTA_MAX } from "../../src/domain/keys/plan.ts";
import { run } from "../../test/harness/program/program.ts";
import { ConsoleBrowser } from "../../test/harness/service/console.ts";
import { repeatUntil } from "../common/repeat.ts";
import { type Running, whole } from "../common/tools.ts";
import { databaseOf, type OurStore } from "../contenders/service.ts";

/** The import comes last, because it makes the database larger. */
export const JOB_NAMES = [
  "checkpoint",
  "backup",
  "export",
  "usage flush",
  "sweep",
  "console's overview",
  "import",
] as const;
export type JobName = (typeof JOB_NAMES)[number];

export interface JobPlace {
  readonly store: OurStore;
  readonly service: Pick<Running, "origin" | "pid">;
}

export interface RunningJob {
  /** The keys to send requests with, if the job depends on them. */
  readonly secrets?: readonly string[];
  stop(): Promise<Happened>;
}

/** The amount of work that a job did while it was measured. */
export interface Happened {
  readonly amount: number;
  readonly text: string;
}

/** Starts a job. It is under way when this resolves. */
export const JOBS: Readonly<Record<JobName, (place: JobPlace) => Promise<RunningJob>>> = {
  checkpoint: startCheckpoints,
  backup: (place) => startCommand(place, "backups", (file) => ["backup", file]),
  export: (place) => startCommand(place, "exports", (file) => ["animals", "export", "--format", "csv", "--to", file]),
  "usage flush": startManyKeys,
  sweep: startSweep,
  "console's overview": startOverview,
  import: startImport,
};

const EVERY_MS = 100;

const happened = (amount: number, what: string): Happened => ({ amount, text: `${what}: ${whole(amount)}` });

/** Repeats something ten times a second. */
function repeatedly(work: () => Promise<void> | void, what: string): RunningJob {
  let isStopped = false;
  const going = (async () => {
    let times = 0;
    for (; !isStopped; times++) {
      await work();
      await Bun.sleep(EVERY_MS);
    }
    return times;
  })();
  return {
    async stop() {
      isStopped = true;
      return happened(await going, what);
    },
  };
}

/** Beside those of the writer, which makes one whenever the log has grown by 1,000 pages, in all measurements. */
async function startCheckpoints({ store }: JobPlace): Promise<RunningJob> {
  const checkpoint = () => inDatabase(store, (db) => db.run("PRAGMA wal_checkpoint(PASSIVE)"));
  return repeatedly(() => void checkpoint(), "checkpoints");
}

/** Runs a command of the program again and again, each time with a new file to write. */
async function startCommand({ store }: JobPlace, what: string, args: (file: string) => string[]): Promise<RunningJob> {
  const file = join(store.folder, `${what}.out`);
  const { stop } = startProgram(store, () => {
    rmSync(file, { force: true });
    return args(file);
  });
  return { stop: async () => happened(await stop(), `${what} that ended`) };
}

function startProgram({ folder, env, executable }: OurStore, args: () => string[]) {
  const ended = new AbortController();
  const running = repeatUntil(ended.signal, () => [executable, ...args()], folder, env);
  return {
    stop(): Promise<number> {
      ended.abort();
      return running;
    },
  };
}

const IMPORTED = 200_000;

async function startImport({ store }: JobPlace): Promise<RunningJob> {
  const file = join(store.folder, "import.csv");
  const lines = Array.from({ length: IMPORTED }, (_, i) => `Animal ${i},${i % 50},sold\n`);
  await Bun.write(file, `name,categoryId,status\n${lines.join("")}`);
  const before = numberIn(store, COUNT_ANIMALS);
  const { stop } = startProgram(store, () => ["animals", "import", "--again", file]);
  // The file is checked as a whole before anything is added.
  while (numberIn(store, COUNT_ANIMALS) === before) await Bun.sleep(EVERY_MS);
  return {
    async stop() {
      await stop();
      return happened(numberIn(store, COUNT_ANIMALS) - before, "animals added, with those of the load");
    },
  };
}

const KEYS = 1_000;

/** Each thread adds up its requests by key, and writes the sums every 5 s: with one key there would be next to nothing. */
async function startManyKeys({ store }: JobPlace): Promise<RunningJob> {
  const secrets = Array.from({ length: KEYS }, () => newSecret());
  inDatabase(store, (db) =>
    db.transaction(() => {
      for (const secret of secrets) {
        const id = newKeyId();
        db.run(
          "INSERT INTO keys (id, name, plan, per_minute, per_day, created_at) VALUES (?, ?, 'enterprise', ?, ?, ?)",
          [id, id, QUOTA_MAX, QUOTA_MAX, Date.now()],
        );
        db.run("INSERT INTO secrets (digest, key_id) VALUES (?, ?)", [digestOf(secret), id]);
      }
    })(),
  );
  const flushes = () => numberIn(store, "SELECT coalesce(sum(sequence), 0) AS number FROM usage_flushes");
  const before = flushes();
  return { secrets, stop: async () => happened(flushes() - before, "batches of sums written") };
}

/** More than are deleted in a second. */
const EXPIRED_PER_SECOND = 50_000;
const COUNT_EXPIRED = `SELECT count(*) AS number FROM saved_responses WHERE saved_at < ${Date.now() - DAY_MS}`;

/** Saved responses that have expired: enough for a sweep of so many seconds. */
export function addExpired(store: OurStore, seconds: number): void {
  inDatabase(store, (db) => {
    db.run("DELETE FROM saved_responses");
    db.run(
      `INSERT INTO saved_responses (key_id, idempotency_key, fingerprint, saved_at, content)
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
      SELECT (SELECT min(id) FROM keys), 'expired ' || i, hex(randomblob(32)), ?, '{"kind":"value","value":' || i || '}' FROM n`,
      [Math.ceil(EXPIRED_PER_SECOND * seconds), Date.now() - 2 * DAY_MS],
    );
    db.run("PRAGMA wal_checkpoint(TRUNCATE)");
  });
}

/** Expects `aged-service.ts`. It begins when the service next looks for what has expired, every 10 s. */
async function startSweep({ store, service }: JobPlace): Promise<RunningJob> {
  const before = numberIn(store, COUNT_EXPIRED);
  process.kill(service.pid, "SIGUSR2");
  let begun = before;
  for (; begun === before; begun = numberIn(store, COUNT_EXPIRED)) await Bun.sleep(EVERY_MS);
  return {
    async stop() {
      const left = numberIn(store, COUNT_EXPIRED);
      return happened(
        begun - left,
        left === 0 ? "expired responses deleted, all there were" : "expired responses deleted",
      );
    },
  };
}

async function startOverview({ store, service }: JobPlace): Promise<RunningJob> {
  const env = { ...store.env, PORT: new URL(service.origin).port };
  const { out, err } = await run(["console", "--name", "bench", "--json"], {
    cwd: store.folder,
    env,
    program: [store.executable],
  });
  if (out === "") throw new Error(err);
  const token = new URL(JSON.parse(out).url).hash.replace("#token=", "");
  const browser = new ConsoleBrowser({ consoleUrl: `${service.origin}/console/` });
  await browser.signIn(token);
  const show = async () => {
    const response = await browser.call("GET /overview?span=month");
    if (response.status !== 200) throw new Error(`the overview answered ${response.status}: ${await response.text()}`);
    await response.arrayBuffer();
  };
  // The first request starts the console's thread.
  await show();
  return repeatedly(show, "times that it was shown");
}

const COUNT_ANIMALS = "SELECT count(*) AS number FROM animals";

const numberIn = (store: OurStore, sql: string): number =>
  inDatabase(store, (db) => (db.query(sql).get() as { number: number }).number);

function inDatabase<T>(store: OurStore, work: (db: Database) => T): T {
  const db = new Database(databaseOf(store));
  try {
    db.run("PRAGMA busy_timeout = 5000");
    return work(db);
  } finally {
    db.close();
  }
}
