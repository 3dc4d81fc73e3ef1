import { clientOf, statusOf } from "../../test/harness/requests/client.ts";
import type { TestBalancer } from "../../test/harness/servers/balancer.ts";
import type { Random } from "../common/random.ts";
import type { Scoreboard } from "../common/scoreboard.ts";
import type { FleetStage, Instance } from "../fleet/stage.ts";
import { UNREPEATABLE_FAILED, type Weather } from "./client.ts";

/** The parts that an event works with. */
export interface Scene {
  readonly stage: FleetStage;
  readonly balancer: TestBalancer;
  readonly board: Scoreboard;
  readonly weather: Weather;
  readonly random: Random;
  /** The time between restarts of two instances. */
  readonly apartMs: number;
  /** The number of instances to restart behind a balancer. */
  readonly restarts: number;
  /** The time in which clients must be served again once the first instance is ready. */
  readonly backWithinMs: number;
}

export interface Event {
  readonly name: string;
  /** The entry point that clients use. */
  readonly entry: "nginx" | "balancer";
  /** DRAIN_SECONDS of all instances. */
  readonly drainSeconds: number;
  /** Resolves when the event is over, and all instances are up again. */
  readonly happen: (scene: Scene) => Promise<void>;
}

export const EVENTS: readonly Event[] = [
  { name: "rolling restarts", entry: "nginx", drainSeconds: 0, happen: restartInTurn },
  { name: "kills of one of three", entry: "nginx", drainSeconds: 0, happen: killOne },
  { name: "restarts of all at once", entry: "nginx", drainSeconds: 0, happen: restartAllAtOnce },
  { name: "rolling restarts with a drain", entry: "nginx", drainSeconds: 1, happen: restartInTurn },
  {
    name: "rolling restarts with a drain, behind a balancer",
    entry: "balancer",
    drainSeconds: 2,
    happen: replaceInTurn,
  },
];

/** nginx does not check readiness, so a stopping instance may close a connection that was just opened. */
async function restartInTurn({ stage, board, weather, apartMs }: Scene): Promise<void> {
  weather.isViolent = true;
  const before = board.of(UNREPEATABLE_FAILED);
  const restarts: Promise<void>[] = [];
  for (const instance of stage.instances) {
    // At most two are away at once, however slow the machine is.
    await restarts.at(-2);
    restarts.push(stop(instance, board).then(() => stage.restart(instance)));
    await Bun.sleep(apartMs);
  }
  await Promise.all(restarts);
  const failed = board.of(UNREPEATABLE_FAILED) - before;
  board.count("writes in doubt after a stop", failed);
  board.check(failed <= stage.instances.length, () => `${failed} writes failed during one rolling restart`);
  weather.isViolent = false;
}

/** Restarts instances like Kubernetes: the next one when the last one is in use again. */
async function replaceInTurn({ stage, board, balancer, restarts }: Scene): Promise<void> {
  for (const instance of stage.instances.slice(0, restarts)) {
    await stop(instance, board);
    await stage.restart(instance);
    while (!balancer.uses(instance.service.origin)) await Bun.sleep(20);
  }
}

async function killOne({ stage, weather, random, board }: Scene): Promise<void> {
  const instance = random.pick(stage.instances);
  weather.isViolent = true;
  await instance.service.kill("SIGKILL");
  board.count("kills");
  await Bun.sleep(random.int(0, 1_000));
  await stage.restart(instance);
  weather.isViolent = false;
}

async function restartAllAtOnce(scene: Scene): Promise<void> {
  const { stage, board, weather, backWithinMs } = scene;
  weather.isAllAway = true;
  await Promise.all(stage.instances.map((instance) => stop(instance, board)));
  const ready = stage.instances.map((instance) => stage.restart(instance));
  await Promise.race(ready);
  const readyAtMs = performance.now();
  while (!(await isServed(stage))) await Bun.sleep(5);
  const backMs = performance.now() - readyAtMs;
  board.highest("served again after the first instance is ready, ms", backMs);
  board.check(backMs < backWithinMs, () => `served again only ${backMs} ms after an instance was ready`);
  weather.isOneAway = true;
  weather.isAllAway = false;
  await Promise.all(ready);
  weather.isOneAway = false;
}

const isServed = async ({ nginx, secret }: FleetStage): Promise<boolean> =>
  (await statusOf(clientOf(nginx, secret).pets.list({ limit: 1 }))) === 200;

async function stop(instance: Instance, board: Scoreboard): Promise<void> {
  const exitCode = await instance.service.kill("SIGTERM");
  board.count("stops");
  board.check(exitCode === 0, `${instance.name} was stopped by SIGTERM, and ended with ${exitCode}`);
}
