import { readContents } from "../fleet/contents.ts";
import { Ledger } from "../ledger/ledger.ts";
import { Client, type Outcome, type Request } from "../workload/client.ts";
import { type Mix, OF_ALL, OF_ORDERS, workers } from "../workload/load.ts";
import type { Instances } from "./instances.ts";
import { FIGURES, type Scene } from "./row.ts";

/** The pause of a client after a 503. */
const RETRY_AFTER_503_MS = 10;
const AFTER_SILENCE_MS = 20;

export const IDEMPOTENT: Mix = {
  ...OF_ORDERS,
  ...{ creations: 0.45, reads: 0.05, repeats: 0.25, updates: 0.1, deletions: 0.05, categories: 0.05, named: 1 },
};
export const TRANSITIONS: Mix = { ...OF_ORDERS, creations: 0.1, reads: 0.05 };
export const CREATIONS: Mix = { ...OF_ORDERS, creations: 0.9, mistakes: 0.02, reads: 0.08 };
export const ANIMALS: Mix = {
  ...OF_ORDERS,
  ...{ creations: 0.25, mistakes: 0.03, reads: 0.05, repeats: 0.05, races: 0.02 },
  ...{ updates: 0.4, deletions: 0.1, categories: 0.05, named: 0.5 },
};

/** A client that uses each instance in turn, and records the times of 503 responses. */
export class Watch extends Client {
  #backAtMs: number | undefined;

  constructor(
    private readonly instances: Instances,
    private readonly scene: Scene,
  ) {
    super("", instances.secret);
  }

  /** A part fails: from now on, 503 is right. */
  down(): void {
    this.#backAtMs = undefined;
  }

  /** The part is back: 503 should soon be over. */
  back(): void {
    this.#backAtMs = performance.now();
  }

  override async send(request: Request): Promise<Outcome> {
    const { board, effort } = this.scene;
    const fromMs = performance.now();
    const outcome = await new Client(this.instances.nextOrigin(), this.secret).send(request);
    const nowMs = performance.now();
    board.count(FIGURES.requests);
    board.highest(FIGURES.slowest, nowMs - fromMs);
    const what = (): string => `${request.method} ${request.target} took ${Math.round(nowMs - fromMs)} ms`;
    board.check(nowMs - fromMs < effort.slowestAnswerMs, what);
    if (outcome.kind === "silence" || outcome.status !== 503) return outcome;
    board.count("503");
    if (this.#backAtMs !== undefined) board.highest(FIGURES.lastFailure, nowMs - this.#backAtMs);
    board.check(outcome.headers.has("retry-after"), "a 503 without Retry-After");
    await Bun.sleep(RETRY_AFTER_503_MS);
    return outcome;
  }
}

export interface Load {
  readonly instances: Instances;
  readonly mix?: Mix;
  /** The database's own address for the final comparison. A function, because a failover may change it. */
  readonly database: () => string;
  /** The number of outages that each instance meets. */
  readonly exposures: number;
}

/** Causes an outage under load. At the end, each row is compared with what was acknowledged. */
export async function underLoad(scene: Scene, load: Load, happen: (watch: Watch) => Promise<void>): Promise<void> {
  const { board, random, effort } = scene;
  const { instances, mix = OF_ALL } = load;
  const ledger = new Ledger(board, () => performance.now());
  const watch = new Watch(instances, scene);
  const team = workers(ledger, effort.workers, random, "worker", mix);
  let isOver = false;
  const work = Promise.all(
    team.map(async (worker) => {
      for (; !isOver; await Bun.sleep(AFTER_SILENCE_MS)) await worker.work(watch, () => isOver);
    }),
  );
  await happen(watch);
  await instances.recover();
  await Bun.sleep(200);
  isOver = true;
  await work;
  for (const worker of team) await worker.retryUnanswered(watch);
  await instances.end();
  const before = board.violations.length;
  ledger.check(await readContents(load.database()), ledger.now(), "afterwards");
  const ended = board.of(FIGURES.ended);
  const lostOrDoubled = board.violations.slice(before).filter((text) => / (lost|doubled), /.test(text)).length;
  board.count(FIGURES.wrong, board.violations.length - ended - lostOrDoubled);
  const lastMs = Math.round(board.of(FIGURES.lastFailure));
  board.check(lastMs < effort.lastFailureMs, `a request was still refused ${lastMs} ms after everything was back`);
  board.count(FIGURES.exposed, instances.count * load.exposures);
  board.check(board.of(FIGURES.acknowledged) > 0, "nothing was acknowledged, so nothing was shown");
}
