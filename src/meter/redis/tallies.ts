import { spentAtMs, stricterTally, TALLY_NUMBER_NAMES, type Tally, tallyNumbers } from "../../domain/limits/tally.ts";
import type { RedisUrl } from "../redis-url.ts";
import { EXPIRY_MARGIN_MS, FIELDS, keyOf, tallyOf } from "./commands/script.ts";
import { connectRedis, type RedisClient, whenReady } from "./servers/client.ts";
import { failureOf, operatorErrorOf } from "./servers/failures.ts";
import { serversOf } from "./servers/servers.ts";

// Tallies of many subjects, over a connection of its own. Fails with an OperatorError if Redis does not answer.

/** The answers to one batch arrive within its timeout. */
const BATCH_SIZE = 500;
/** Longer than for the one command of a request: a command of the operator is not in such a hurry. */
const BATCH_TIMEOUT_MS = 5_000;

/** Reads the current tallies of these keys. */
export async function readTallies(
  url: RedisUrl,
  keyIds: readonly string[],
  connectTimeoutMs?: number,
): Promise<ReadonlyMap<string, Tally>> {
  const read = async (client: RedisClient, [keyId]: readonly [string]) =>
    [keyId, tallyOf(await client.hmget(keyOf(keyId), ...TALLY_NUMBER_NAMES))] as const;
  const subjects = keyIds.map((keyId) => [keyId] as const);
  return new Map(await inBatches(url, subjects, read, connectTimeoutMs));
}

type Entry = readonly [subject: string, tally: Tally];

/** Raises the tally of each subject to at least this value, and never lowers one, so it can be repeated. */
export async function raiseTallies(url: RedisUrl, tallies: readonly Entry[], connectTimeoutMs?: number): Promise<void> {
  const raise = async (client: RedisClient, [subject, tally]: Entry): Promise<void> => {
    while (!(await tryToRaise(client, subject, tally)));
  };
  await inBatches(url, tallies, raise, connectTimeoutMs);
}

/**
 * Replaces a tally unless it has changed since it was read, so that the rule need not exist here, too.
 * ARGV: the old value of each field; the new ones; when the key expires.
 */
const REPLACE_UNCHANGED = `
${FIELDS}
local values = {}
for i, value in ipairs(redis.call('HMGET', KEYS[1], unpack(FIELDS))) do
  if (value or '') ~= ARGV[i] then return 0 end
  values[#values + 1] = FIELDS[i]
  values[#values + 1] = ARGV[#FIELDS + i]
end
redis.call('HSET', KEYS[1], unpack(values))
redis.call('PEXPIREAT', KEYS[1], ARGV[#ARGV])
return 1`;

/** Returns false if an instance has counted meanwhile. */
async function tryToRaise(client: RedisClient, subject: string, tally: Tally): Promise<boolean> {
  const key = keyOf(subject);
  const found = await client.hmget(key, ...TALLY_NUMBER_NAMES);
  const raised = stricterTally(tallyOf(found), tally, Date.now());
  const expiresAtMs = spentAtMs(raised) + EXPIRY_MARGIN_MS;
  const before = found.map((value) => value ?? "");
  return (await client.eval(REPLACE_UNCHANGED, 1, key, ...before, ...tallyNumbers(raised), expiresAtMs)) === 1;
}

/** Runs work in batches: commands of one turn are sent together, to each node of a cluster its own. */
async function inBatches<Entry extends readonly [subject: string, ...unknown[]], Result>(
  url: RedisUrl,
  entries: readonly Entry[],
  work: (client: RedisClient, entry: Entry) => Promise<Result>,
  connectTimeoutMs?: number,
): Promise<Result[]> {
  if (entries.length === 0) return [];
  const client = connectRedis(url, BATCH_TIMEOUT_MS);
  const servers = serversOf(client, url);
  const run = async (entry: Entry): Promise<Result> => {
    try {
      if (!servers.isConnected()) throw new Error("there is no connection");
      return await work(client, entry);
    } catch (error) {
      const server = servers.of(entry[0]);
      throw operatorErrorOf(server, failureOf(servers.connectionError(server) ?? error));
    }
  };
  try {
    await whenReady(client, connectTimeoutMs);
    const results: Result[] = [];
    for (let from = 0; from < entries.length; from += BATCH_SIZE)
      results.push(...(await Promise.all(entries.slice(from, from + BATCH_SIZE).map(run))));
    return results;
  } finally {
    client.disconnect();
  }
}
