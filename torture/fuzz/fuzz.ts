import { type AttackOptions, begin } from "../common/attack.ts";
import type { Scoreboard } from "../common/scoreboard.ts";
import { readAnswers, textOf } from "../wire/answers.ts";
import { Connection } from "../wire/connection.ts";
import { memoryMb, settled } from "../wire/readings.ts";
import { requestBytes, startTarget, type Target } from "../wire/target.ts";
import { attack, FuzzTotals } from "./attack.ts";
import { FUZZ_SECRET, IDS_ABOVE } from "./values.ts";

/** Connections per round of the short form. */
const CONNECTIONS_PER_ROUND = 1_500;
/** After this many, the code is compiled and the caches are filled. */
const WARM_CONNECTIONS = 500;
const MEMORY_EVERY = 50;
/** The memory that a run may add after warm-up; a leak exceeds it within minutes. */
const MEMORY_GROWTH_MAX_MB = 150;
const GOOD_REQUEST_INTERVAL_MS = 25;
const GOOD_DEADLINE_MS = 15_000;

/** Sends generated, mutated and random requests over raw sockets. Without minutes, a round has a fixed length. */
export async function run(options: AttackOptions): Promise<Scoreboard> {
  const { board, log, seed, isOver } = begin(options);
  // The log of a run that takes hours would not fit into memory.
  const logRequests: Record<string, string> = options.minutes === undefined ? { LOG_REQUESTS: "on" } : {};
  const target = await startTarget({ env: { ANONYMOUS_PER_MINUTE: "1000000000", ...logRequests } });
  const secret = await target.issueKey({ plan: "enterprise", secret: FUZZ_SECRET });
  const totals = new FuzzTotals();
  const connections = (options.rounds ?? 1) * CONNECTIONS_PER_ROUND;
  const isDone = options.minutes === undefined ? (scripts: number) => scripts >= connections : isOver;
  const good = await goodClient(target, secret, board);
  const startedAtMs = performance.now();
  let warmMb = 0;
  await attack({
    origin: target.origin,
    seed,
    isOver: isDone,
    withStalled: options.minutes !== undefined,
    onPlayed(played) {
      totals.add(played);
      if (totals.connections % MEMORY_EVERY !== 0) return;
      board.highest("memory at most, MB", memoryMb(target.pid));
      if (totals.connections === WARM_CONNECTIONS) warmMb = memoryMb(target.pid);
    },
  });
  const seconds = (performance.now() - startedAtMs) / 1000;
  await good.stop();
  const endMb = await settled(() => memoryMb(target.pid), 1, 5_000);
  report(board, totals, seconds);
  log(`statuses: ${totals.distribution()}`);
  board.check(
    endMb - warmMb <= MEMORY_GROWTH_MAX_MB,
    () =>
      `memory: ${Math.round(warmMb)} MB grew to ${Math.round(endMb)} MB, which is more than ${MEMORY_GROWTH_MAX_MB} MB`,
  );
  const animals = target.lastId("animals") - IDS_ABOVE;
  // One more animal belongs to the good client.
  const deleted = animals - (target.count("animals") - 1);
  checkRows(board, "animals made", animals, totals.animals, totals.unansweredCreations);
  checkRows(board, "animals deleted", deleted, totals.deletions, totals.uncertainDeletions);
  checkCategories(board, target.count("categories"), totals);
  checkRows(board, "orders made", target.count("orders"), totals.orders, totals.unansweredCreations);
  board.check((await target.kill("SIGTERM")) === 0, "the service did not stop with exit code 0");
  board.check(!decoded(target.logged()).includes(FUZZ_SECRET), "a secret is in the log");
  const failures = target.logged().match(/^.*"level":"error".*$/gm) ?? [];
  for (const line of failures.slice(0, 3)) board.violation(`the service logged an error: ${line.slice(0, 300)}`);
  return board;
}

/** Percent-decodes leniently. */
const decoded = (text: string): string =>
  text.replaceAll(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));

function report(board: Scoreboard, totals: FuzzTotals, seconds: number): void {
  board.count("connections", totals.connections);
  board.count("requests", totals.requests);
  board.highest("requests per second at most", totals.requests / seconds);
  for (const [status, count] of [...totals.statuses].sort()) board.count(`answered ${status}`, count);
  board.highest("slowest connection, ms", totals.slowestMs);
  for (const mistake of totals.mistakes) board.violation(mistake);
}

/** Checks that every change was either confirmed by a response, or requested without one. */
function checkRows(board: Scoreboard, what: string, done: number, acknowledged: number, unanswered: number): void {
  board.count(`${what}, acknowledged`, acknowledged);
  board.count(`${what}, without an answer`, done - acknowledged);
  board.check(done >= acknowledged, () => `${what}: ${done}, but ${acknowledged} were acknowledged`);
  board.check(
    done <= acknowledged + unanswered,
    () => `${what}: ${done}, but only ${acknowledged} were acknowledged, and ${unanswered} requests not answered`,
  );
}

/** Unanswered deletions may have been of animals or of categories. */
function checkCategories(board: Scoreboard, rows: number, totals: FuzzTotals): void {
  const { categories, categoryDeletions, uncertainDeletions, unansweredNamings } = totals;
  board.count("categories named, acknowledged", categories);
  board.count("categories deleted, acknowledged", categoryDeletions);
  const left = categories - categoryDeletions;
  const isPossible = rows >= left - uncertainDeletions && rows <= left + unansweredNamings;
  board.check(isPossible, () => `there are ${rows} categories, and by what was acknowledged ${left}`);
}

/** No fuzzed request refers to this id. */
const GOOD_ID = 424_242_424_242;

/** Reads one animal all the time, and must always get it. */
async function goodClient(target: Target, secret: string, board: Scoreboard): Promise<{ stop(): Promise<void> }> {
  const { origin } = target;
  let isStopped = false;
  const ask = async (bytes: Uint8Array): Promise<string> => {
    const connection = await Connection.open(origin);
    connection.send(bytes);
    const answered = () => readAnswers(connection.received, () => false).answers;
    await connection.until(() => answered().length > 0, GOOD_DEADLINE_MS);
    connection.cut();
    const [answer] = answered();
    return answer ? textOf(answer) : "nothing";
  };
  target.setLastId("animals", GOOD_ID - 1);
  const added = await ask(
    requestBytes("POST /v1/pets", { secret, body: '{"name":"Good","categoryId":1,"status":"sold"}' }),
  );
  target.setLastId("animals", IDS_ABOVE);
  const work = async (): Promise<void> => {
    const request = requestBytes(`GET /v1/pets?id=${JSON.parse(added).id}`, { secret });
    while (!isStopped) {
      const sentAtMs = performance.now();
      const got = await ask(request).catch((error: Error) => error.message);
      board.count("good requests");
      board.highest("slowest good request, ms", performance.now() - sentAtMs);
      board.check(got === `[${added}]`, () => `a good request was answered with ${got.slice(0, 200)}`);
      await Bun.sleep(GOOD_REQUEST_INTERVAL_MS);
    }
  };
  const working = work();
  return {
    stop() {
      isStopped = true;
      return working;
    },
  };
}
