import { type Attack, type AttackOptions, begin, type Course } from "../common/attack.ts";
import type { Scoreboard } from "../common/scoreboard.ts";
import { Ledger } from "../ledger/ledger.ts";
import { Client, type Outcome, type Request } from "../workload/client.ts";
import { workers } from "../workload/load.ts";
import { clear, readContents } from "./contents.ts";
import { sendHostileRequests } from "./hostile.ts";
import { checkLimits } from "./limits.ts";
import { type Outage, pairs } from "./outages.ts";
import { FleetStage } from "./stage.ts";

// A fleet behind the nginx of deploy/, under a mixed load and hostile requests, while instances, Redis and PostgreSQL
// fail. After each round, everything must have recovered, and PostgreSQL is compared with what was acknowledged.

/** The extent of a round: small in `npm test`. */
export interface Effort {
  readonly workers: number;
  /** The duration of outages, from the shortest that has an effect (0) to the longest (1). */
  readonly longest: number;
  /** The time that the load runs before and after the outages. */
  readonly calmMs: number;
}

const FULL: Effort = { workers: 12, longest: 1, calmMs: 500 };
export const BRIEF: Effort = { workers: 6, longest: 0, calmMs: 100 };

const SLOWEST_ANSWER_MS = 15_000;

/** Sends requests to nginx, which never fails: each must be answered in time. */
class TimedClient extends Client {
  constructor(
    private readonly board: Scoreboard,
    origin: string,
    secret: string,
  ) {
    super(origin, secret);
  }

  override async send(request: Request): Promise<Outcome> {
    const fromMs = performance.now();
    const outcome = await super.send(request);
    const ms = performance.now() - fromMs;
    const what = `${request.method} ${request.target}`;
    this.board.count("requests");
    this.board.highest("slowest answer, ms", ms);
    this.board.check(ms < SLOWEST_ANSWER_MS, () => `${what} took ${Math.round(ms)} ms`);
    this.board.check(outcome.kind === "answered", () => `${what} was not answered by nginx`);
    const isTooEarly = outcome.kind === "answered" && outcome.body.includes("is starting");
    this.board.check(!isTooEarly, () => `${what} reached an instance that was not ready for requests`);
    return outcome;
  }
}

async function strike(stage: FleetStage, outages: readonly Outage[], round: number, course: Course, effort: Effort) {
  const { board } = course;
  const instance = course.randomOf(round, 2).pick(stage.instances);
  await Promise.all(
    outages.map(async ({ name, happen }, i) => {
      const random = course.randomOf(round, 3, i);
      const lasting = (shortestMs: number, longestMs: number): Promise<void> =>
        Bun.sleep(shortestMs + random.float() * effort.longest * (longestMs - shortestMs));
      await Bun.sleep(random.int(0, 200));
      await happen({ stage, instance, board, lasting });
      board.count(name);
    }),
  );
}

async function playRound(stage: FleetStage, outages: readonly Outage[], round: number, course: Course, effort: Effort) {
  const { board } = course;
  const where = `round ${round} (${outages.map(({ name }) => name).join(", ")})`;
  const ledger = new Ledger(board, () => performance.now());
  const client = new TimedClient(board, stage.nginx.origin, stage.secret);
  const team = workers(ledger, effort.workers, course.randomOf(round, 0), `round ${round} worker`);
  let isOver = false;
  const load = Promise.all([
    ...team.map((worker) => worker.work(client, () => isOver)),
    sendHostileRequests(stage.nginx.origin, course.randomOf(round, 1), board, () => isOver),
  ]);
  await Bun.sleep(effort.calmMs);
  await strike(stage, outages, round, course, effort);
  const overAtMs = performance.now();
  const missing = await stage.recover();
  board.highest("slowest recovery, ms", performance.now() - overAtMs);
  board.check(missing === undefined, `${where}: ${missing}`);
  await Bun.sleep(effort.calmMs);
  isOver = true;
  await load;
  for (const worker of team) await worker.retryUnanswered(client);
  ledger.check(await readContents(stage.database), ledger.now(), where);
  if (missing === undefined) await checkLimits(stage, board);
  await clear(stage.database);
}

export async function attackFleet(options: AttackOptions, effort: Effort): Promise<Scoreboard> {
  const course = begin(options);
  const stage = await FleetStage.start();
  const outages = pairs(course.randomOf(0));
  for (const round of course.rounds()) {
    const now = outages.next().value as readonly Outage[];
    await playRound(stage, now, round, course, effort);
    const { board } = course;
    course.log(
      `round ${round}: ${now.map(({ name }) => name).join(", ")}; ${board.of("acknowledged")} writes, ${board.violations.length} violations`,
    );
  }
  return course.board;
}

export const run: Attack = (options) => attackFleet(options, FULL);
