import { OperatorError } from "../../base/operator-error.ts";
import type { RedisUrl } from "../redis-url.ts";
import { connectRedis, type RedisClient, whenReady } from "./servers/client.ts";
import { failureOf } from "./servers/failures.ts";
import { serversOf } from "./servers/servers.ts";

const COMMAND_TIMEOUT_MS = 1_000;
/** The answers to one batch arrive within the timeout of a command. */
const BATCH_SIZE = 500;

/**
 * Runs work for each subject over a connection of its own, in batches: commands of one turn are sent together, to each
 * node of a cluster its own. Fails with an OperatorError if Redis does not answer.
 */
export async function inBatches<Entry, Result>(
  url: RedisUrl,
  entries: readonly Entry[],
  subjectOf: (entry: Entry) => string,
  work: (client: RedisClient, entry: Entry) => Promise<Result>,
  connectTimeoutMs?: number,
): Promise<Result[]> {
  if (entries.length === 0) return [];
  const client = connectRedis(url, { commandTimeout: COMMAND_TIMEOUT_MS });
  const servers = serversOf(client, url);
  const run = async (entry: Entry): Promise<Result> => {
    try {
      if (!servers.isConnected(servers.of(subjectOf(entry)))) throw new Error("there is no connection");
      return await work(client, entry);
    } catch (error) {
      const server = servers.of(subjectOf(entry));
      const { reason, remedy } = failureOf(servers.connectionError(server) ?? error);
      throw new OperatorError(`Redis ${server} ${reason}: ${remedy}`);
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
