import { OperatorError } from "../../base/operator-error.ts";
import { TALLY_NUMBER_NAMES, type Tally } from "../../domain/limits/tally.ts";
import type { RedisUrl } from "../redis-url.ts";
import { keyOf, tallyOf } from "./commands/script.ts";
import { connectRedis, whenReady } from "./servers/client.ts";
import { failureOf } from "./servers/failures.ts";
import { serversOf } from "./servers/servers.ts";

const COMMAND_TIMEOUT_MS = 1_000;
/** Keys that are read at a time: the answers to all of them arrive within the timeout of a command. */
const BATCH_SIZE = 500;

/** Reads the current tallies of these keys. Fails with an OperatorError if Redis does not answer. */
export async function readTallies(
  url: RedisUrl,
  keyIds: readonly string[],
  connectTimeoutMs?: number,
): Promise<ReadonlyMap<string, Tally>> {
  if (keyIds.length === 0) return new Map();
  const client = connectRedis(url, { commandTimeout: COMMAND_TIMEOUT_MS });
  const servers = serversOf(client, url);
  const read = async (keyId: string): Promise<readonly [string, Tally]> => {
    try {
      if (!servers.isConnected(servers.of(keyId))) throw new Error("there is no connection");
      // Commands of one turn are sent together, to each node of a cluster its own.
      return [keyId, tallyOf(await client.hmget(keyOf(keyId), ...TALLY_NUMBER_NAMES))];
    } catch (error) {
      const server = servers.of(keyId);
      const { reason, remedy } = failureOf(servers.connectionError(server) ?? error);
      throw new OperatorError(`Redis ${server} ${reason}: ${remedy}`);
    }
  };
  try {
    await whenReady(client, connectTimeoutMs);
    const tallies = new Map<string, Tally>();
    for (let from = 0; from < keyIds.length; from += BATCH_SIZE)
      for (const [keyId, tally] of await Promise.all(keyIds.slice(from, from + BATCH_SIZE).map(read)))
        tallies.set(keyId, tally);
    return tallies;
  } finally {
    client.disconnect();
  }
}
