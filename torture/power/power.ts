import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { digestOf } from "../../src/domain/keys/key.ts";
import { FIRST_RETRY_AFTER_MS } from "../../src/store/sqlite/writer/recovery.ts";
import { temporaryFolder } from "../../test/harness/folder.ts";
import { openDatabaseFile } from "../../test/harness/rows/sqlite.ts";
import { type Attack, begin, type Course } from "../common/attack.ts";
import { mistakesIn, split, writeImportFile } from "../import/file.ts";
import { newestImportIn } from "../import/place.ts";
import { readSqlite } from "../ledger/contents.ts";
import type { Moment } from "../ledger/history.ts";
import { Ledger } from "../ledger/ledger.ts";
import { Client } from "../workload/client.ts";
import { workers } from "../workload/load.ts";
import { cutAndCompare, type Effort } from "./compare.ts";
import { checkIntegrity, cutPower } from "./cut.ts";
import { isReady, issueWorkersKey, loadService, recover, WORKERS } from "./load.ts";
import { DATABASE, OPERATOR_KEY, Stage } from "./stage.ts";

// Power cuts: the service runs on a folder whose changes are all journaled. Then, for points of that journal, the
// states are built that a disk may be in after a power cut, and each is opened and compared with what had been
// acknowledged by then.

const FULL: Effort = { loadMs: 1_500, cuts: 60, states: 4, serveOneIn: 40 };
export const BRIEF: Effort = { loadMs: 200, cuts: 10, states: 3, serveOneIn: 15 };

type Scene = (course: Course, round: number, effort?: Effort) => Promise<void>;

export const cutUnderLoad: Scene = async (course, round, effort = FULL) => {
  const stage = new Stage({ hasDataFolder: true });
  const ledger = new Ledger(course.board, stage.now);
  await loadService(stage, ledger, { forMs: effort.loadMs, random: course.randomOf(round, 0) });
  await cutAndCompare({ course, round, effort, stage, ledger });
};

const FAILURES = [
  "sync animal-store.db-wal EIO",
  "sync animal-store.db EIO",
  "sync animal-store.db EIO 3",
  "write animal-store.db EIO 1 5",
  "write animal-store.db-wal ENOSPC 2",
  "write animal-store.db-wal EIO 1 3",
  "truncate animal-store.db-wal EIO",
] as const;

export const cutAfterFailures: Scene = async (course, round, effort = FULL) => {
  const stage = new Stage({ hasDataFolder: true });
  const ledger = new Ledger(course.board, stage.now);
  const random = course.randomOf(round, 0);
  const beside = async (isOver: () => boolean): Promise<void> => {
    while (!isOver()) {
      const release = holdSnapshot(join(stage.cwd, DATABASE));
      await Bun.sleep(random.int(5, 40));
      stage.setFaults(random.pick(FAILURES));
      course.board.count("disk failures");
      release();
      await Bun.sleep(random.int(5, 40));
    }
  };
  await loadService(stage, ledger, { forMs: effort.loadMs, random, beside, mustRecover: true });
  await cutAndCompare({ course, round, effort, stage, ledger });
};

/** Long enough for SQLite to have tried a checkpoint, which it does at 1,000 pages. */
const LONG_LOG_BYTES = 5_000_000;

/**
 * A checkpoint beside a reader is only partial, and does not sync its pages. If the sync of the next checkpoint fails,
 * the disk forgets them, and no later sync brings them back.
 */
export const cutAfterFailedCheckpoint: Scene = async (course, round, effort = FULL) => {
  const stage = new Stage({ hasDataFolder: true });
  const ledger = new Ledger(course.board, stage.now);
  const random = course.randomOf(round, 0);
  const database = join(stage.cwd, DATABASE);
  const secret = await issueWorkersKey(stage, ledger);
  const service = await stage.serveWithThreads();
  const client = new Client(service.origin, secret);
  // New workers each time, so that some pages are written only by the first.
  const work = async (label: string, forMs: number, logBytes: number): Promise<void> => {
    const endsAtMs = performance.now() + forMs;
    const isOver = (): boolean => performance.now() >= endsAtMs || sizeOf(`${database}-wal`) >= logBytes;
    await Promise.all(workers(ledger, 8, random, label).map((worker) => worker.work(client, isOver)));
  };
  // The time limit is for a service that makes its own checkpoints, and may never let the log grow that long.
  await work("early", 1_500, LONG_LOG_BYTES / 2);
  const release = holdSnapshot(database);
  await work("middle", 1_500, LONG_LOG_BYTES);
  const failedAt = stage.now();
  stage.setFaults("sync animal-store.db EIO");
  course.board.count("disk failures");
  release();
  await work("late", effort.loadMs, Number.POSITIVE_INFINITY);
  await service.kill("SIGKILL");
  await cutAndCompare({ course, round, effort, stage, ledger, from: failedAt });
};

/**
 * A database that is opened again after a failed sync is checked with a checkpoint. Beside a reader, that one syncs
 * nothing and so finds no fault: writes are acknowledged again, although the disk still fails.
 */
export const cutAfterPartialCheck: Scene = async (course, round, effort = FULL) => {
  const { board } = course;
  const stage = new Stage({ hasDataFolder: true });
  const ledger = new Ledger(board, stage.now);
  const random = course.randomOf(round, 0);
  const database = join(stage.cwd, DATABASE);
  const secret = await issueWorkersKey(stage, ledger);
  const service = await stage.serveWithThreads();
  const client = new Client(service.origin, secret);
  let isOver = false;
  const load = Promise.all(workers(ledger, WORKERS, random).map((worker) => worker.work(client, () => isOver)));
  const failsFrom = stage.now();
  stage.setFaults("sync animal-store.db EIO *");
  while (await isReady(service.origin)) await Bun.sleep(5);
  board.count("disk failures");
  const before = board.of("acknowledged");
  // Each worker may have an answer on its way that was sent before the failure.
  const hasAccepted = (): boolean => board.of("acknowledged") > before + WORKERS;
  // If a reader was in the way of the checkpoint before the failure, too, then an attempt to recover succeeds only
  // while no other process reads: so there is one at every second attempt.
  for (let isReading = true; !hasAccepted(); isReading = !isReading) {
    const release = isReading ? holdSnapshot(database) : () => {};
    await nextAttempt(stage);
    release();
  }
  board.count("accepted again while the disk failed");
  await Bun.sleep(effort.loadMs);
  await recover(stage, ledger, service.origin);
  isOver = true;
  await load;
  await service.kill("SIGKILL");
  await cutAndCompare({ course, round, effort, stage, ledger, from: failsFrom });
};

/** Waits until the service has tried to recover, which begins with writing the log again. */
async function nextAttempt({ now }: Stage): Promise<void> {
  const before = now();
  while (now() === before) await Bun.sleep(5);
  await Bun.sleep(FIRST_RETRY_AFTER_MS / 2);
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** Holds a snapshot in another process, so that a checkpoint can only be partial, and is not synced. */
function holdSnapshot(path: string): () => void {
  const db = openDatabaseFile(path, { readonly: true });
  db.run("BEGIN");
  db.query("SELECT count(*) FROM animals").get();
  return () => db.close();
}

/** The power fails during the first start, or just after. */
export const cutFirstStart: Scene = async (course, round, effort = FULL) => {
  const stage = new Stage({ hasDataFolder: false });
  const ledger = new Ledger(course.board, stage.now);
  const service = await stage.serve({ LOG_LEVEL: "silent" });
  const startedAt = stage.now();
  const client = new Client(service.origin, readFileSync(join(stage.cwd, OPERATOR_KEY), "utf8").trim());
  let actions = 0;
  const random = course.randomOf(round, 0);
  await workers(ledger, 1, random)[0]?.work(client, () => ++actions > 30);
  await service.kill(random.chance(0.5) ? "SIGTERM" : "SIGKILL");
  const checkMore = (folder: string, at: Moment): void => checkOperatorKey(folder, at >= startedAt);
  await cutAndCompare({ course, round, effort, stage, ledger, checkMore });
};

/** Checks that the operator has the secret of the issued key, which the service promises once it reports its start. */
function checkOperatorKey(folder: string, isPromised: boolean): void {
  const [database, file] = [join(folder, DATABASE), join(folder, OPERATOR_KEY)];
  const digests = existsSync(database) ? digestsIn(database) : [];
  if (isPromised && digests.length === 0) throw new Error("the operator key is not in the database");
  if (digests.length === 0) return;
  const secret = existsSync(file) ? readFileSync(file, "utf8").trim() : undefined;
  if (secret === undefined) throw new Error("the operator key was issued, but its file is gone");
  if (!digests.includes(digestOf(secret))) throw new Error("the operator key's file has the secret of no key");
}

function digestsIn(path: string): string[] {
  const db = openDatabaseFile(path, { readonly: true });
  try {
    if (db.query("SELECT 1 FROM sqlite_schema WHERE name = 'secrets'").get() === null) return [];
    return (db.query("SELECT digest FROM secrets").all() as { digest: string }[]).map(({ digest }) => digest);
  } finally {
    db.close();
  }
}

const COPY = "copy.db";
const BACKUP_FAILURES = [
  "write copy EIO 1 2",
  "write copy ENOSPC * 3",
  "sync copy EIO",
  "sync . EIO *",
  "rename copy.db EIO",
] as const;

/** The power fails during a backup, or just after. Sometimes the disk fails, too. */
export const cutBackup: Scene = async (course, round, effort = FULL) => {
  const { board } = course;
  const stage = new Stage({ hasDataFolder: true });
  const ledger = new Ledger(board, stage.now);
  const random = course.randomOf(round, 0);
  let [beganAt, madeAt] = [0, Number.POSITIVE_INFINITY];
  await loadService(stage, ledger, {
    forMs: effort.loadMs,
    random,
    beside: async () => {
      await Bun.sleep(effort.loadMs / 2);
      if (random.chance(0.4)) stage.setFaults(random.pick(BACKUP_FAILURES));
      beganAt = stage.now();
      const { exitCode } = await stage.run("backup", COPY);
      if (exitCode === 0) madeAt = stage.now();
      board.count(exitCode === 0 ? "backups" : "backups that failed");
      board.check(
        existsSync(join(stage.cwd, COPY)) === (exitCode === 0),
        () => `a backup that exited with ${exitCode} has ${exitCode === 0 ? "left no file" : "left its file"}`,
      );
    },
  });
  await cutPower(stage, {
    ...{ ...effort, board, random: course.randomOf(round, 1), from: beganAt, isOver: course.isOver },
    check: ({ folder, at, where }) => {
      const copy = join(folder, COPY);
      if (!existsSync(copy)) {
        if (at >= madeAt) throw new Error("the backup is gone");
        return;
      }
      checkIntegrity(copy);
      ledger.check(copy, beganAt, `backup, ${where}`, at);
    },
  });
};

/** The number of records per millisecond of load, enough for a few batches. */
const RECORDS_PER_MS = 4;

/** The power fails during an import beside a load, or just after. */
export const cutImport: Scene = async (course, round, effort = FULL) => {
  const { board } = course;
  const stage = new Stage({ hasDataFolder: true });
  const ledger = new Ledger(board, stage.now);
  const random = course.randomOf(round, 0);
  const count = effort.loadMs * RECORDS_PER_MS;
  const file = writeImportFile(temporaryFolder(), "file", count, random);
  let [beganAt, doneAt] = [0, Number.POSITIVE_INFINITY];
  await loadService(stage, ledger, {
    forMs: effort.loadMs,
    random,
    beside: async () => {
      beganAt = stage.now();
      const { exitCode, err } = await stage.run("animals", "import", file.path, "--skip-invalid");
      if (board.check(exitCode === 0, () => `an import failed: ${err}`)) doneAt = stage.now();
    },
  });
  await cutPower(stage, {
    ...{ ...effort, board, random: course.randomOf(round, 1), from: beganAt, isOver: course.isOver },
    check: ({ folder, at, where }) => {
      const database = join(folder, DATABASE);
      checkIntegrity(database);
      const contents = readSqlite(database);
      const { imported, others } = split(contents, file);
      ledger.check({ ...contents, animals: others }, at, where);
      const recordsDone = newestImportIn(database)?.recordsDone ?? 0;
      if (recordsDone > 0 && recordsDone < count) board.count("imports cut half-way");
      if (at >= doneAt && recordsDone < count) throw new Error(`only ${recordsDone} records of an import are left`);
      const [mistake] = mistakesIn(file, imported, recordsDone);
      if (mistake !== undefined) throw new Error(mistake);
    },
  });
};

const SCENES: readonly Scene[] = [
  cutUnderLoad,
  cutAfterFailures,
  cutFirstStart,
  cutBackup,
  cutAfterFailedCheckpoint,
  cutAfterPartialCheck,
  cutImport,
];

export const run: Attack = async (options) => {
  const course = begin(options);
  for (const round of course.rounds()) {
    await SCENES[round % SCENES.length]?.(course, round);
    course.log(
      `round ${round}: ${course.board.of("disk states")} states, ${course.board.violations.length} violations`,
    );
  }
  return course.board;
};
