import { type Clock, systemClock } from "../../../src/base/time/clock.ts";
import type { AnswerOutcome, ServerChange } from "../../../src/meter/meter.ts";
import { RedisMeter } from "../../../src/meter/redis/meter.ts";
import { connectRedis, whenReady } from "../../../src/meter/redis/servers/client.ts";
import { serversOf } from "../../../src/meter/redis/servers/servers.ts";
import type { Scheduler } from "../../../src/meter/redis/timeouts/scheduler.ts";
import { parseRedisUrl, type RedisUrl } from "../../../src/meter/redis-url.ts";
import { atEnd } from "../cleanup.ts";
import { newTallyTable } from "./memory.ts";

export interface TestMeterOptions {
  readonly clock?: Clock;
  readonly scriptClock?: Clock | undefined;
  readonly scheduler?: Scheduler;
  readonly answerTimeoutMs?: number | undefined;
}

/** A meter on a real Redis, with what it says about the servers. */
export async function openTestMeter(address: string, options: TestMeterOptions = {}) {
  const { clock = systemClock } = options;
  const url = parseRedisUrl(address) as RedisUrl;
  const client = connectRedis(url);
  const servers = serversOf(client, url);
  const changes: ServerChange[] = [];
  const answers: AnswerOutcome[] = [];
  const meter = new RedisMeter({
    ...options,
    client,
    servers,
    clock,
    table: newTallyTable(clock),
    onServerChange: (change) => changes.push(change),
    onAnswer: (outcome) => answers.push(outcome),
  });
  atEnd(() => meter.close());
  await whenReady(client);
  /** Its reports on servers that were lost and found: "127.0.0.1:6379 away". */
  const outages = () =>
    changes.flatMap(({ server, state }) => (state === "known" || state === "gone" ? [] : [`${server} ${state}`]));
  /** Why servers are away. */
  const reasons = () => changes.flatMap((change) => (change.state === "away" ? [change.reason] : []));
  return Object.assign(meter, { client, servers, changes, outages, reasons, answers });
}

export type TestMeter = Awaited<ReturnType<typeof openTestMeter>>;

/** Waits for something that happens by itself. */
export async function until(condition: () => unknown): Promise<void> {
  while (!(await condition())) await Bun.sleep(1);
}
