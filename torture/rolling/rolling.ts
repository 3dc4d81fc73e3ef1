import { TestBalancer } from "../../test/harness/servers/balancer.ts";
import { type Attack, type AttackOptions, begin, type Course } from "../common/attack.ts";
import type { Random } from "../common/random.ts";
import type { Scoreboard } from "../common/scoreboard.ts";
import { clear, readContents } from "../fleet/contents.ts";
import { FleetStage } from "../fleet/stage.ts";
import { Ledger } from "../ledger/ledger.ts";
import { workers } from "../workload/load.ts";
import { KeepAliveClient, type Weather } from "./client.ts";
import { EVENTS, type Event } from "./events.ts";

// Restarts and kills instances under clients that keep their connections open. Reads, and writes with an
// Idempotency-Key, must not fail, and no connection may be closed on a request.

/** The extent of a round: small in `npm test`. */
export interface Effort {
  readonly workers: number;
  /** The number of clients with mostly idle connections, which send a request now and then. */
  readonly visitors: number;
  /** The time between restarts of two instances. */
  readonly apartMs: number;
  /** The number of instances to restart behind a balancer, one after another. */
  readonly restarts: number;
  /** The time that the load runs before and after an event. */
  readonly calmMs: number;
  /** The time in which clients must be served again; on a machine with other work, it is only a figure. */
  readonly backWithinMs: number;
}

const FULL: Effort = { workers: 12, visitors: 24, apartMs: 1_500, restarts: 3, calmMs: 500, backWithinMs: 1_000 };
export const BRIEF: Effort = {
  workers: 6,
  visitors: 12,
  apartMs: 700,
  restarts: 1,
  calmMs: 100,
  backWithinMs: Number.POSITIVE_INFINITY,
};

/** Shorter than the shortest drain, so that an open connection gets its last response in time. */
const LONGEST_PAUSE_MS = 400;

async function lookAround(client: KeepAliveClient, random: Random, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    await client.send({ method: "GET", target: "/pets?limit=1" });
    await Bun.sleep(random.int(0, LONGEST_PAUSE_MS));
  }
}

/** Restarts all instances with the event's settings, and lets the balancer know. */
async function prepare({ stage, balancer }: Site, { drainSeconds }: Event): Promise<void> {
  const setting = String(drainSeconds);
  await Promise.all(
    stage.instances
      .filter(({ env }) => env.DRAIN_SECONDS !== setting)
      .map(async (instance) => {
        await instance.service.kill("SIGKILL");
        instance.env.DRAIN_SECONDS = setting;
        await stage.restart(instance);
      }),
  );
  do await balancer.probe();
  while (!stage.instances.every(({ service }) => balancer.uses(service.origin)));
}

async function playRound(site: Site, event: Event, round: number, course: Course, effort: Effort): Promise<void> {
  const { stage, balancer } = site;
  const { board } = course;
  await prepare(site, event);
  const weather: Weather = { isViolent: false, isAllAway: false, isOneAway: false };
  const ledger = new Ledger(board, () => performance.now());
  const { origin } = event.entry === "nginx" ? stage.nginx : balancer;
  const clients: KeepAliveClient[] = [];
  const client = (): KeepAliveClient => {
    clients.push(new KeepAliveClient(board, weather, stage.wire, origin, stage.secret));
    return clients.at(-1) as KeepAliveClient;
  };
  const team = workers(ledger, effort.workers, course.randomOf(round, 0), `round ${round} worker`);
  let isOver = false;
  const load = Promise.all([
    ...team.map((worker) => worker.work(client(), () => isOver)),
    ...Array.from({ length: effort.visitors }, (_, i) =>
      lookAround(client(), course.randomOf(round, 1, i), () => isOver),
    ),
  ]);
  await Bun.sleep(effort.calmMs);
  const random = course.randomOf(round, 2);
  const { apartMs, restarts, backWithinMs } = effort;
  await event.happen({ stage, balancer, board, weather, random, apartMs, restarts, backWithinMs });
  board.count(event.name);
  await Bun.sleep(effort.calmMs);
  isOver = true;
  await load;
  for (const worker of team) await worker.retryUnanswered(client());
  ledger.check(await readContents(stage.database), ledger.now(), `round ${round} (${event.name})`);
  for (const each of clients) each.close();
  await clear(stage.database);
}

interface Site {
  readonly stage: FleetStage;
  readonly balancer: TestBalancer;
}

export async function attackRolling(options: AttackOptions, effort: Effort): Promise<Scoreboard> {
  const course = begin(options);
  const stage = await FleetStage.start();
  const balancer = await TestBalancer.start(stage.instances.map(({ service }) => service.origin));
  for (const round of course.rounds()) {
    const event = EVENTS[round % EVENTS.length] as Event;
    await playRound({ stage, balancer }, event, round, course, effort);
    const { board } = course;
    course.log(
      `round ${round}: ${event.name}; ${board.of("requests")} requests, ${board.violations.length} violations`,
    );
  }
  return course.board;
}

export const run: Attack = (options) => attackRolling(options, FULL);
