import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "../../test/harness/folder.ts";
import { EXECUTABLE, serve } from "../../test/harness/program/program.ts";
import { type Attack, begin, type Course } from "../common/attack.ts";
import { whyNoDiskLayer } from "../disk/layer.ts";
import { Ledger } from "../ledger/ledger.ts";
import { checkIntegrity } from "../power/cut.ts";
import { issueWorkersKey } from "../power/load.ts";
import { DATABASE, Stage } from "../power/stage.ts";
import { Client } from "../workload/client.ts";
import { workers } from "../workload/load.ts";
import { World } from "./world.ts";

// Kills: many clients use the service while it is killed at random times, again and again. After each start, everything
// that was ever acknowledged must exist exactly once, and nothing that was refused.

/** The extent of a scene: small in `npm test`. */
export interface Effort {
  readonly kills: number;
  readonly longestMs: number;
}

const FULL: Effort = { kills: 10, longestMs: 2_500 };
export const BRIEF: Effort = { kills: 3, longestMs: 300 };

type Scene = (course: Course, round: number, effort?: Effort) => Promise<void>;

export const killUnderLoad: Scene = async ({ board, randomOf, isOver }, round, { kills, longestMs } = FULL) => {
  const random = randomOf(round);
  const world = new World(board, random);
  await world.prepare();
  for (let kill = 0; kill < kills && !isOver(); kill++) {
    await world.start();
    await world.loadAndKill(random.int(0, longestMs), random.chance(0.9) ? "SIGKILL" : "SIGTERM");
  }
  await world.start();
  await world.checkAll();
};

/** A first start that is killed at any time leaves a folder that the next start accepts. */
export const killFirstStart: Scene = async ({ board, randomOf }, round, { kills } = FULL) => {
  const random = randomOf(round);
  const cwd = temporaryFolder();
  for (let kill = 0; kill < kills; kill++) {
    const child = Bun.spawn([EXECUTABLE, "serve"], {
      cwd,
      env: { PATH: process.env.PATH ?? "", PORT: "0" },
      stdio: ["ignore", "ignore", "ignore"],
    });
    await Bun.sleep(random.int(0, 150));
    child.kill("SIGKILL");
    await child.exited;
    board.count("first starts killed");
  }
  const service = await serve({ cwd, env: { LOG_LEVEL: "silent" } });
  const file = join(cwd, "data/animal-store.operator-key");
  const secret = existsSync(file) ? readFileSync(file, "utf8").trim() : "";
  const outcome = await new Client(service.origin, secret).send({ method: "GET", target: "/pets" });
  const isFine = outcome.kind === "answered" && outcome.status === 200;
  board.check(isFine, () => `after killed first starts, the operator key does not work: ${JSON.stringify(outcome)}`);
  await service.kill("SIGTERM");
  checkIntegrity(join(cwd, "data/animal-store.db"));
};

/** A backup that is killed at any time leaves either no file of the requested name or a complete one. */
export const killBackup: Scene = async ({ board, randomOf }, round, { kills, longestMs } = FULL) => {
  const random = randomOf(round);
  const world = new World(board, random);
  await world.prepare();
  await world.start();
  await world.loadAndKill(longestMs, "SIGTERM");
  await world.start();
  const backUp = async (): Promise<void> => {
    for (let kill = 0; kill < kills; kill++) {
      const copies = join(world.cwd, `copies-${kill}`);
      mkdirSync(copies);
      const copy = join(copies, "copy.db");
      const beganAt = world.ledger.now();
      const exitCode = await runUntilWriting(["backup", copy], copies, random.int(0, 8));
      board.count(exitCode === 0 ? "backups" : "backups killed");
      board.check(exitCode !== 0 || existsSync(copy), "a backup that was made is not there");
      if (!existsSync(copy)) continue;
      checkIntegrity(copy);
      world.ledger.check(copy, beganAt, "in a backup", world.ledger.now());
    }
  };
  await world.loadAndKill(longestMs, "SIGKILL", backUp);
  await world.start();
  await world.checkAll();
};

/** Runs the program, and kills it this long after its first write to a folder. Returns its exit code. */
async function runUntilWriting(args: readonly string[], folder: string, delayMs: number): Promise<number> {
  const child = Bun.spawn([EXECUTABLE, ...args], { cwd: dirname(folder), stdio: ["ignore", "ignore", "ignore"] });
  while (child.exitCode === null && readdirSync(folder).length === 0) await Bun.sleep(1);
  await Promise.race([Bun.sleep(delayMs), child.exited]);
  child.kill("SIGKILL");
  return child.exited;
}

/** A service with a failing disk tells whether a write may have been made. It is killed at once, and must be right. */
export const killAfterFailures: Scene = async ({ board, randomOf }, round, { kills } = FULL) => {
  const random = randomOf(round);
  const stage = new Stage({ hasDataFolder: true });
  const ledger = new Ledger(board, stage.now);
  const database = join(stage.cwd, DATABASE);
  const secret = await issueWorkersKey(stage, ledger);
  const [worker] = workers(ledger, 1, random);
  const act = async (client: Client, times: number): Promise<void> => {
    let done = 0;
    await worker?.work(client, () => done++ >= times);
  };
  for (let kill = 0; kill < kills; kill++) {
    const service = await stage.serve({ LOG_LEVEL: "silent" });
    ledger.check(database, stage.now(), "after a failed disk and a kill");
    ledger.settle(database);
    const client = new Client(service.origin, secret);
    await act(client, 5);
    stage.setFaults("sync animal-store.db-wal EIO *");
    await act(client, random.int(1, 3));
    await service.kill("SIGKILL");
    board.count("kills");
    stage.setFaults();
  }
  checkIntegrity(database);
  ledger.check(database, stage.now(), "after a failed disk and a kill");
};

const SCENES: readonly Scene[] = [
  killUnderLoad,
  killFirstStart,
  killBackup,
  ...(whyNoDiskLayer() ? [] : [killAfterFailures]),
];

export const run: Attack = async (options) => {
  const course = begin(options);
  const missing = whyNoDiskLayer();
  if (missing) course.log(`without failing disks: ${missing}`);
  for (const round of course.rounds()) {
    await SCENES[round % SCENES.length]?.(course, round);
    course.log(`round ${round}: ${course.board.of("kills")} kills, ${course.board.violations.length} violations`);
  }
  return course.board;
};
