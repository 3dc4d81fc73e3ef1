import { type Command, InvalidArgumentError } from "commander";
import { systemClock } from "../../base/time/clock.ts";
import { withTimeout } from "../../base/time/timeout.ts";
import type { Key } from "../../domain/keys/key.ts";
import { type KeptRequest, leastIdAt, parseStatusRange, type StatusRange } from "../../domain/usage/kept-request.ts";
import { findKey } from "../../keys/queries/find.ts";
import { coverageOf } from "../../keys/queries/requests.ts";
import type { KeptRequestQuery, Store } from "../../store/ports/store.ts";
import { withStore } from "../arguments/context.ts";
import { type JsonOption, parseSince, SINCE_HELP } from "../arguments/options.ts";
import { valueFor } from "../keys/refusals.ts";
import { interruptible } from "../terminal/interrupt.ts";
import { note, print, terminalWidth } from "../terminal/print.ts";
import { coverageText, jsonOfRequest, lineOfRequest, type NamedRequest, tableOfRequests } from "./request-views.ts";

interface RequestsOptions extends JsonOption {
  readonly status?: StatusRange;
  readonly code?: string;
  readonly since?: number;
  readonly until?: number;
  readonly limit: number;
  readonly follow?: true;
}

const LIMIT_DEFAULT = 50;
const LIMIT_MAX = 5_000;

export function addRequests(program: Command): void {
  const parseMoment = (text: string): number => parseSince(text, systemClock.nowMs());
  program
    .command("requests [key]")
    .description(
      "Show the latest requests of a key, or of all keys, the newest first, with what was wrong with them.\n" +
        "Of each key and hour, up to 100 errors and refusals and 10 successes are kept, without query, body and address.",
    )
    .option("--status <status>", "only this status, such as 400, or class, such as 4xx", parseStatus)
    .option("--code <code>", "only this error code, such as invalid_value")
    .option("--since <when>", `only since: ${SINCE_HELP}`, parseMoment)
    .option("--until <when>", "only before: likewise", parseMoment)
    .option("--limit <number>", "at most so many", parseLimit, LIMIT_DEFAULT)
    .option("-f, --follow", "go on with new requests as they are stored, the newest last, until Ctrl+C")
    .action(showRequests);
}

const STATUS_CHOICES = ["2xx", "4xx", "5xx", "400", "403", "404", "409", "429"];

/** Completion offers the statuses that people look for most. */
const parseStatus = Object.assign(
  (text: string): StatusRange => {
    const range = parseStatusRange(text);
    if (range) return range;
    throw new InvalidArgumentError("Give a status such as 400, or a class such as 4xx.");
  },
  { choices: STATUS_CHOICES },
);

function parseLimit(text: string): number {
  if (/^[1-9][0-9]{0,3}$/.test(text) && Number(text) <= LIMIT_MAX) return Number(text);
  throw new InvalidArgumentError(`Give a number from 1 to ${LIMIT_MAX}.`);
}

async function showRequests(idOrName: string | undefined, options: RequestsOptions, command: Command): Promise<void> {
  const { status, code, since: sinceMs, until: untilMs, limit: size, follow, json } = options;
  if (sinceMs !== undefined && untilMs !== undefined && untilMs <= sinceMs)
    command.error("error: --until must be later than --since");
  if (follow && untilMs !== undefined) command.error("error: --follow has no end: leave --until out");
  await withStore(async (store) => {
    const key = idOrName === undefined ? undefined : await keyOf(store, idOrName);
    const names = await namesOf(store, key);
    const query: KeptRequestQuery = { keyId: key?.id, status, code, sinceMs, untilMs, size };
    const { rows } = await store.usage.keptRequests(query);
    const named = (requests: readonly KeptRequest[]): NamedRequest[] =>
      requests.map((request) => ({ ...request, keyName: names.get(request.keyId) }));
    if (follow) {
      const tell = (requests: readonly KeptRequest[]): void => printLines(named(requests), key, json);
      tell(rows.toReversed());
      await followFrom(store, query, rows, tell);
      return;
    }
    if (json) return printAsJson(named(rows));
    if (rows.length > 0) print(tableOfRequests(named(rows), key === undefined, terminalWidth()));
    else note("No such requests are kept.");
    if (key) note(coverageText(await coverageOf({ usage: store.usage, clock: systemClock }, key.id)));
  });
}

const keyOf = async ({ keys }: Store, idOrName: string): Promise<Key> =>
  valueFor(idOrName, await findKey(keys, idOrName));

async function namesOf({ keys }: Store, key: Key | undefined): Promise<ReadonlyMap<string, string>> {
  const known = key ? [key] : await keys.list();
  return new Map(known.map(({ id, name }) => [id, name]));
}

/** One array, with a request a line. */
function printAsJson(requests: readonly NamedRequest[]): void {
  const lines = requests.map((request) => `  ${JSON.stringify(jsonOfRequest(request))}`);
  print(lines.length > 0 ? `[\n${lines.join(",\n")}\n]` : "[]");
}

function printLines(requests: readonly NamedRequest[], key: Key | undefined, json: true | undefined): void {
  if (requests.length === 0) return;
  const lineOf = (request: NamedRequest): string =>
    json ? JSON.stringify(jsonOfRequest(request)) : lineOfRequest(request, key === undefined);
  print(requests.map(lineOf).join("\n"));
}

const POLL_MS = 1_000;
const PAGE_SIZE = 500;
/** Threads and instances store their requests every five seconds, each on its own: older ones may come after newer ones. */
const LATE_MS = 30_000;

/** Tells of requests as they are stored, until it is interrupted. */
async function followFrom(
  { usage }: Store,
  query: KeptRequestQuery,
  shown: readonly KeptRequest[],
  tell: (requests: readonly KeptRequest[]) => void,
): Promise<void> {
  const beganAtMs = systemClock.nowMs();
  const newest = shown[0]?.id ?? 0n;
  let seen: ReadonlySet<bigint> | undefined;
  const { promise: never } = Promise.withResolvers<never>();
  await interruptible("", async (signal) => {
    while (!signal.aborted) {
      const fromMs = Math.max(beganAtMs, systemClock.nowMs()) - LATE_MS;
      const recent: KeptRequest[] = [];
      for (let afterId = leastIdAt(fromMs), more = true; more && !signal.aborted; ) {
        const page = await usage.keptRequests({ ...query, sort: "id", afterId, size: PAGE_SIZE });
        recent.push(...page.rows);
        afterId = page.rows.at(-1)?.id ?? afterId;
        more = page.more;
      }
      const isNew = ({ id }: KeptRequest): boolean => (seen ? !seen.has(id) : id > newest);
      tell(recent.filter(isNew));
      seen = new Set(recent.map(({ id }) => id));
      await withTimeout(never, POLL_MS, signal);
    }
  });
}
