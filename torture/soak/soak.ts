import { QUOTA_MAX } from "../../src/domain/keys/plan.ts";
import { type AttackOptions, begin } from "../common/attack.ts";
import type { Scoreboard } from "../common/scoreboard.ts";
import { runGoodClient } from "../hostile/processes.ts";
import { readAnswers } from "../wire/answers.ts";
import { Connection } from "../wire/connection.ts";
import { memoryMb, openDescriptors, settled } from "../wire/readings.ts";
import { requestBytes, startTarget, type Target } from "../wire/target.ts";
import { load, type SoakOptions, SoakTotals } from "./load.ts";
import { Watch } from "./watch.ts";

/** The number of requests in a round, if no minutes are given. */
const REQUESTS_PER_ROUND = 4_000;
/** Garbage collection is uneven, so some growth means nothing; a leak exceeds this within minutes. */
const GROWTH_MAX_MB = 60;
const LOG_MAX_MB = 64;
const DESCRIPTORS_LEFT_MAX = 5;
const LOOP_DELAY_P99_MAX_MS = 250;

/** Opens and closes connections under a mixed load: nothing may leak, and all counts must be right. */
export async function run(options: AttackOptions): Promise<Scoreboard> {
  const { board, randomOf, isOver } = begin(options);
  const target = await startTarget({ env: { ANONYMOUS_PER_MINUTE: String(QUOTA_MAX) } });
  const secret = await target.issueKey({ plan: "enterprise" });
  const goodSecret = await target.issueKey({ plan: "enterprise" });
  const totals = new SoakTotals();
  const idleDescriptors = openDescriptors(target.pid);
  const limit = (options.rounds ?? 1) * REQUESTS_PER_ROUND;
  const isDone = options.minutes === undefined ? () => totals.requests >= limit : isOver;
  const soak: SoakOptions = { origin: target.origin, secret, totals, randomOf, isOver: isDone };

  // Warm-up: until the code is compiled and the caches are filled, memory only rises.
  await load({ ...soak, isOver: () => totals.requests >= REQUESTS_PER_ROUND / 2 });
  const warmMb = await settled(() => memoryMb(target.pid), 1, 2_000);
  const watch = new Watch(target);
  const startedAtMs = performance.now();
  const good = runGoodClient({
    origin: target.origin,
    secret: goodSecret,
    seconds: (options.minutes ?? 0.02) * 60,
    deadlineMs: 15_000,
  });
  await load(soak);
  const seconds = (performance.now() - startedAtMs) / 1000;
  const day = await good;
  watch.stop();
  const endMb = await settled(() => memoryMb(target.pid), 1, 5_000);
  const descriptors = await settled(() => openDescriptors(target.pid), 0, 5_000);

  board.count("connections", totals.connections);
  board.count("connections abandoned", totals.abandoned);
  board.count("requests", totals.requests);
  board.highest("requests per second at most", totals.requests / seconds);
  board.count("animals added", totals.animals);
  board.count("animals updated", totals.updates);
  board.count("animals deleted", totals.deletions);
  board.count("orders placed", totals.orders);
  board.count("answered 304", totals.unchanged);
  board.highest("memory after warming up, MB", warmMb);
  board.highest("memory at the end, MB", endMb);
  board.highest("memory at most, MB", watch.highest("memoryMb"));
  board.highest("descriptors at most", watch.highest("descriptors"));
  board.highest("write-ahead log at most, MB", watch.highest("logMb"));
  board.highest("another client's p99, ms", day.p99);
  board.highest("another client's slowest, ms", day.max);

  for (const mistake of totals.mistakes) board.violation(mistake);
  const growthMb = options.minutes === undefined ? endMb - warmMb : watch.growthMb();
  board.check(
    growthMb <= GROWTH_MAX_MB,
    () => `memory rose by ${Math.round(growthMb)} MB; at most ${GROWTH_MAX_MB} MB are right`,
  );
  board.check(
    descriptors - idleDescriptors <= DESCRIPTORS_LEFT_MAX,
    () => `${descriptors - idleDescriptors} descriptors are open although nobody is connected`,
  );
  board.check(watch.highest("logMb") <= LOG_MAX_MB, () => `the write-ahead log grew to ${watch.highest("logMb")} MB`);
  board.check(day.unanswered === 0, () => `${day.unanswered} requests of another client were not answered`);
  if (options.minutes !== undefined)
    board.check(day.p99 <= LOOP_DELAY_P99_MAX_MS, () => `another client's p99 was ${Math.round(day.p99)} ms`);
  await checkCounts(board, target, secret, totals);
  board.check((await target.kill("SIGTERM")) === 0, "the service did not stop with exit code 0");
  return board;
}

/** Checks the counts: requests in the key's daily quota, animals and orders in their tables. */
async function checkCounts(board: Scoreboard, target: Target, secret: string, totals: SoakTotals): Promise<void> {
  const connection = await Connection.open(target.origin);
  connection.send(requestBytes("GET /v1/pets?limit=1", { secret }));
  const answers = () => readAnswers(connection.received, () => false).answers;
  await connection.until(() => answers().length > 0, 5_000);
  connection.cut();
  const limits = answers()[0]?.headers.get("ratelimit") ?? "";
  const left = Number(/"day";r=(\d+)/.exec(limits)?.[1]);
  const counted = QUOTA_MAX - left - 1;
  board.check(
    counted === totals.requests,
    () => `${totals.requests} requests were made, and ${counted} counted: ${limits}`,
  );
  for (const [what, count, acknowledged] of [
    ["animals added", target.lastId("animals"), totals.animals],
    ["animals left", target.count("animals"), totals.animals - totals.deletions],
    ["orders placed", target.count("orders"), totals.orders],
  ] as const)
    board.check(count === acknowledged, () => `${what}: ${count}, but ${acknowledged} were acknowledged`);
}
