import { temporaryFolder } from "../../test/harness/folder.ts";
import { EXECUTABLE, issueBoundlessKey, type RunningService, run, serve } from "../../test/harness/program/program.ts";
import type { Random } from "../common/random.ts";
import type { Scoreboard } from "../common/scoreboard.ts";
import type { Contents } from "../ledger/contents.ts";
import { Ledger } from "../ledger/ledger.ts";
import { idIn, petText } from "../workload/animals.ts";
import { Client, type Outcome, type Request, sendPatiently } from "../workload/client.ts";
import { OF_ALL, type Worker, workers } from "../workload/load.ts";
import { pagesOf } from "../workload/pages.ts";
import { type ImportFile, split } from "./file.ts";
import { type Place, postgresPlace, sqlitePlace } from "./place.ts";

const WORKERS = 2;
const PAUSE_MS = 4;
const LIST = "/pets?limit=100";
/** The server that tests share would lose data in a crash, so this needs its own. */
const ABOUT_SERVER = "acknowledged writes survive a crash";

/** Pauses before each request, so that an import makes progress beside it. */
class UnhurriedClient extends Client {
  override async send(request: Request): Promise<Outcome> {
    await Bun.sleep(PAUSE_MS);
    return super.send(request);
  }
}

/** A store with a running service and clients, beside which animals are imported. */
export class Shop {
  readonly ledger: Ledger;
  /** Handles of imported animals that survived the undo of their import, because they were ordered. */
  readonly kept = new Set<string>();
  readonly #workers: readonly Worker[];
  #orders = 0;

  private constructor(
    readonly board: Scoreboard,
    readonly cwd: string,
    readonly place: Place,
    readonly service: RunningService,
    readonly secret: string,
    random: Random,
  ) {
    let moment = 0;
    this.ledger = new Ledger(board, () => ++moment);
    this.#workers = workers(this.ledger, WORKERS, random, "client", { ...OF_ALL, creations: 0.5, categories: 0 });
  }

  /** Uses its own SQLite file, or an empty PostgreSQL database. */
  static async open(board: Scoreboard, random: Random, databaseUrl?: string): Promise<Shop> {
    const cwd = temporaryFolder();
    const env: Record<string, string> = databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl };
    const secret = await issueBoundlessKey({ cwd, env, program: [EXECUTABLE] });
    const service = await serve({ cwd, env: { ...env, LOG_LEVEL: "silent" }, threads: 2 });
    const place = databaseUrl === undefined ? sqlitePlace(cwd) : postgresPlace(databaseUrl);
    return new Shop(board, cwd, place, service, secret, random);
  }

  command(...args: readonly string[]) {
    return run(args, { cwd: this.cwd, env: { ...this.place.env }, program: [EXECUTABLE] });
  }

  /** Runs the clients, and `beside` with them, while some work goes on. */
  async whileOpen<T>(work: () => Promise<T>, beside?: (isOver: () => boolean) => Promise<void>): Promise<T> {
    let isClosed = false;
    const isOver = () => isClosed;
    const client = new UnhurriedClient(this.service.origin, this.secret);
    const clients = Promise.all([
      ...this.#workers.map((worker) => worker.work(client, isOver)),
      this.#list(client, isOver),
      beside?.(isOver),
    ]);
    try {
      return await work();
    } finally {
      isClosed = true;
      await clients;
    }
  }

  /** Fills the reply cache, so that a stale page would be noticed. */
  async #list(client: Client, isOver: () => boolean): Promise<void> {
    while (!isOver())
      for await (const { target, status } of pagesOf(client, LIST)) {
        this.board.count("pages listed beside it");
        this.board.check(status === 200, () => `${target} was answered with ${status}`);
        if (isOver()) return;
      }
  }

  /** Orders an animal, under an idempotency key, so that a 503 leaves no doubt. Returns true if the order was placed. */
  async order(id: bigint): Promise<boolean> {
    const idempotencyKey = `order ${++this.#orders}`;
    const body = `{"petId":${id}}`;
    const outcome = await this.#send({ method: "POST", target: "/store/orders", body, idempotencyKey });
    const isRight = outcome.status === 201 || [400, 409].includes(outcome.status);
    this.board.check(isRight, () => `an order of ${id} was answered with ${outcome.status} ${outcome.body}`);
    if (outcome.status === 201) this.board.check(idIn(outcome.body) > 0n, () => `an order has no id: ${outcome.body}`);
    return outcome.status === 201;
  }

  async #send(request: Request): Promise<{ readonly status: number; readonly body: string }> {
    const outcome = await sendPatiently(new Client(this.service.origin, this.secret), request);
    return outcome.kind === "answered" ? outcome : { status: 0, body: "nothing" };
  }

  /**
   * While no client is active: checks that the database has what clients were told, and otherwise only animals of the
   * file, and that the service lists exactly that. Returns the animals of the file.
   */
  async check(file: ImportFile, where: string): Promise<Contents["animals"]> {
    const contents = await this.place.contents();
    const { imported, others } = split(contents, file);
    for (const handle of this.kept)
      this.board.check(contents.animals.get(handle)?.length === 1, () => `${where}: ${handle} was kept, and is gone`);
    for (const handle of this.kept) others.delete(handle);
    this.ledger.check({ ...contents, animals: others }, this.ledger.now(), where);
    this.board.check(this.board.of("not answered") === 0, "a client beside an import was not answered");
    await this.#checkLists(contents, where);
    return imported;
  }

  async #checkLists({ animals }: Contents, where: string): Promise<void> {
    const all = [...animals.values()].flat().sort((a, b) => Number(a.id - b.id));
    const texts = all.map((found) => petText(found.id, { ...found, orders: [] }));
    let at = 0;
    for await (const { target, body } of pagesOf(new Client(this.service.origin, this.secret), LIST)) {
      const expected = `[${texts.slice(at, at + 100)}]`;
      this.board.check(body === expected, () => `${where}: ${target} differs from the database`);
      this.board.count("pages compared");
      at += 100;
    }
    this.board.check(at >= texts.length, () => `${where}: the lists end after ${at} animals of ${texts.length}`);
  }

  async close(): Promise<void> {
    // A database that is too slow for a moment is a 503, but an import must not hold up the clients beside it.
    const refused = this.board.of("503, nothing changed") + this.board.of("503, in doubt");
    const acknowledged = this.board.of("acknowledged");
    this.board.check(
      refused * 10 < acknowledged,
      () => `beside imports, ${refused} of ${acknowledged} writes were 503`,
    );
    await this.service.kill("SIGTERM");
    const { out, err } = await this.command("doctor", "--json");
    const findings = JSON.parse(out || "[]") as { check: string; result: string; detail: string }[];
    this.board.check(findings.length > 0, () => `doctor failed: ${err}`);
    for (const { check, result, detail } of findings)
      this.board.check(result === "ok" || check === ABOUT_SERVER, () => `doctor, ${check}: ${detail}`);
  }
}
