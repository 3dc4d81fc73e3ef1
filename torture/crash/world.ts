import { join } from "node:path";
import { temporaryFolder } from "../../test/harness/folder.ts";
import { EXECUTABLE, type RunningService, run, serve } from "../../test/harness/program/program.ts";
import { openDatabaseFile } from "../../test/harness/rows/sqlite.ts";
import type { Random } from "../common/random.ts";
import type { Scoreboard } from "../common/scoreboard.ts";
import { Ledger } from "../ledger/ledger.ts";
import { Client } from "../workload/client.ts";
import { type Worker, workers } from "../workload/load.ts";
import { pagesOf } from "../workload/pages.ts";
import { MeterWatch } from "./meters.ts";

const WORKERS = 8;
const BOUNDLESS = ["--plan", "enterprise", "--per-minute", "1000000000", "--per-day", "1000000000"];

/** One store that is used, killed and restarted, with the ledger of all that was ever acknowledged. */
export class World {
  readonly cwd = temporaryFolder();
  readonly database = join(this.cwd, "data/animal-store.db");
  readonly ledger: Ledger;
  readonly #workers: readonly Worker[];
  readonly #meters: MeterWatch;
  readonly #secrets = new Map<string, string>();
  #service: RunningService | undefined;
  #killedAtMs: number | undefined;
  #keyCount = 0;

  constructor(
    private readonly board: Scoreboard,
    random: Random,
  ) {
    let moment = 0;
    this.ledger = new Ledger(board, () => ++moment);
    this.#workers = workers(this.ledger, WORKERS, random);
    this.#meters = new MeterWatch(board);
  }

  /** Issues the keys for the workers. */
  async prepare(): Promise<void> {
    await this.run("migrate");
    for (const name of ["workers", "counted"]) await this.#issue(name, BOUNDLESS);
    await this.#issue("banned", ["--plan", "free"]);
    if (this.#secrets.size < 3) throw new Error("the command line issues no keys");
  }

  async #issue(name: string, plan: readonly string[]): Promise<string | undefined> {
    const step = this.ledger.key(name).send("active", this.ledger.now());
    const { exitCode, out } = await this.run("keys", "create", "--name", name, ...plan, "--json");
    if (exitCode !== 0) return undefined;
    step.ackedAt = this.ledger.now();
    const { id, secret } = JSON.parse(out);
    this.#secrets.set(name, secret);
    return id;
  }

  run(...args: readonly string[]) {
    return run(args, { cwd: this.cwd, program: [EXECUTABLE] });
  }

  #client(service: RunningService, keyName: string): Client {
    return new Client(service.origin, this.#secrets.get(keyName) as string);
  }

  /** Starts the service, and compares its contents with the ledger. */
  async start(): Promise<void> {
    // Readiness is not awaited, so that threads may be killed while they start.
    const service = await serve({ cwd: this.cwd, env: { LOG_LEVEL: "silent", THREADS: "4" } });
    this.#service = service;
    this.board.count("starts");
    if (this.#killedAtMs !== undefined) {
      this.#meters.checkCounter(this.database, "counted", this.#killedAtMs);
      await this.#meters.checkBan(this.#client(service, "banned"));
    }
    for (const worker of this.#workers) await worker.retryUnanswered(this.#client(service, "workers"));
    this.ledger.check(this.database, this.ledger.now(), "after a restart");
    this.ledger.settle(this.database);
  }

  /** Runs a load for a while, with `beside` at the same time, and ends the service by a signal. */
  async loadAndKill(forMs: number, signal: NodeJS.Signals, beside?: () => Promise<void>): Promise<void> {
    const service = this.#service as RunningService;
    let isOver = false;
    const work = Promise.all([
      ...this.#workers.map((worker) => worker.work(this.#client(service, "workers"), () => isOver)),
      this.#meters.use(this.#client(service, "counted"), () => isOver),
      this.#meters.provokeBan(this.#client(service, "banned"), () => isOver),
      this.#manageKeys(() => isOver),
      beside?.(),
    ]);
    await Bun.sleep(forMs);
    // A graceful stop answers every request, so the clients must stop sending first.
    if (signal !== "SIGKILL") isOver = true;
    if (signal !== "SIGKILL") await work;
    this.#killedAtMs = Date.now();
    await service.kill(signal);
    this.board.count(signal === "SIGKILL" ? "kills" : "stops");
    isOver = true;
    await work;
  }

  /** Issues and revokes keys on the command line. */
  async #manageKeys(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const name = `client ${this.#keyCount++}`;
      const id = await this.#issue(name, ["--plan", "free"]);
      if (id === undefined) continue;
      const revoking = this.ledger.key(name).send("revoked", this.ledger.now());
      const { exitCode } = await this.run("keys", "revoke", id, "--yes");
      if (exitCode !== 0) continue;
      revoking.ackedAt = this.ledger.now();
      this.board.count("keys created and revoked");
    }
  }

  /** At the end: SQLite's integrity check passes, and the service lists exactly the contents of the file. */
  async checkAll(): Promise<void> {
    const service = this.#service as RunningService;
    const db = openDatabaseFile(this.database, { readonly: true, safeIntegers: true });
    const [integrity] = db.query("PRAGMA integrity_check").all() as { integrity_check: string }[];
    this.board.check(
      integrity?.integrity_check === "ok",
      () => `the database is damaged: ${integrity?.integrity_check}`,
    );
    type Row = { id: bigint; name: string; category_id: bigint; status: string };
    const texts = (db.query("SELECT * FROM animals ORDER BY id").all() as Row[]).map(
      ({ id, name, category_id, status }) =>
        `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${category_id},"status":"${status}"}`,
    );
    db.close();
    let at = 0;
    for await (const { target, body } of pagesOf(this.#client(service, "workers"), "/pets?limit=100")) {
      const expected = `[${texts.slice(at, at + 100)}]`;
      this.board.check(body === expected, () => `${target} differs from the file`);
      at += 100;
    }
    this.board.check(at >= texts.length, () => `the lists end after ${at} animals of ${texts.length}`);
    await service.kill("SIGTERM");
    const { exitCode, out, err } = await this.run("doctor");
    this.board.check(exitCode === 0, () => `doctor found something: ${out}${err}`);
  }
}
