import { OperatorError } from "../../domain/operator-error.ts";
import { TALLY_NUMBER_NAMES, type Tally } from "../../domain/tally.ts";
import type { RedisUrl } from "../redis-url.ts";
import { connectRedis, whenReady } from "./client.ts";
import { failureOf } from "./failures.ts";
import { keyOf, tallyOf } from "./script.ts";
import { serversOf } from "./servers.ts";

const COMMAND_TIMEOUT_MS = 1_000;

/** What is counted for a key right now. Fails with an OperatorError if Redis does not answer. */
export async function readTally(url: RedisUrl, keyId: string, connectTimeoutMs?: number): Promise<Tally> {
  const client = connectRedis(url, { commandTimeout: COMMAND_TIMEOUT_MS });
  const servers = serversOf(client, url);
  try {
    await whenReady(client, connectTimeoutMs);
    if (!servers.isConnected(servers.of(keyId))) throw new Error("there is no connection");
    return tallyOf(await client.hmget(keyOf(keyId), ...TALLY_NUMBER_NAMES));
  } catch (error) {
    const server = servers.of(keyId);
    const { reason, remedy } = failureOf(servers.connectionError(server) ?? error);
    throw new OperatorError(`Redis ${server} ${reason}: ${remedy}`);
  } finally {
    client.disconnect();
  }
}
