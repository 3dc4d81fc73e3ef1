import { spentAtMs, stricterTally, TALLY_NUMBER_NAMES, type Tally, tallyNumbers } from "../../domain/limits/tally.ts";
import type { RedisUrl } from "../redis-url.ts";
import { inBatches } from "./batches.ts";
import { EXPIRY_MARGIN_MS, keyOf, tallyOf } from "./commands/script.ts";
import type { RedisClient } from "./servers/client.ts";

/**
 * Replaces a tally unless it has changed since it was read, so that the rule need not exist here, too.
 * ARGV: the old value of each field; the new ones; when the key expires.
 */
const REPLACE_UNCHANGED = `
local FIELDS = { ${TALLY_NUMBER_NAMES.map((name) => `'${name}'`).join(", ")} }
local values = {}
for i, value in ipairs(redis.call('HMGET', KEYS[1], unpack(FIELDS))) do
  if (value or '') ~= ARGV[i] then return 0 end
  values[#values + 1] = FIELDS[i]
  values[#values + 1] = ARGV[#FIELDS + i]
end
redis.call('HSET', KEYS[1], unpack(values))
redis.call('PEXPIREAT', KEYS[1], ARGV[#ARGV])
return 1`;

type Entry = readonly [subject: string, tally: Tally];

/**
 * Raises the tally of each subject to at least this value, and never lowers one, so it can be repeated. Fails with an
 * OperatorError if Redis does not answer.
 */
export async function raiseTallies(url: RedisUrl, tallies: readonly Entry[], connectTimeoutMs?: number): Promise<void> {
  const raise = async (client: RedisClient, [subject, tally]: Entry): Promise<void> => {
    while (!(await tryToRaise(client, subject, tally)));
  };
  await inBatches(url, tallies, ([subject]) => subject, raise, connectTimeoutMs);
}

/** Returns false if an instance has counted meanwhile. */
async function tryToRaise(client: RedisClient, subject: string, tally: Tally): Promise<boolean> {
  const key = keyOf(subject);
  const found = await client.hmget(key, ...TALLY_NUMBER_NAMES);
  const raised = stricterTally(tallyOf(found), tally, Date.now());
  const expiresAtMs = spentAtMs(raised) + EXPIRY_MARGIN_MS;
  const before = found.map((value) => value ?? "");
  return (await client.eval(REPLACE_UNCHANGED, 1, key, ...before, ...tallyNumbers(raised), expiresAtMs)) === 1;
}
