import { OperatorError } from "../../domain/operator-error.ts";
import { TALLY_NUMBER_NAMES, type Tally } from "../../domain/tally.ts";
import { connectRedis, trackConnectionError, whenReady } from "./client.ts";
import { keyOf, tallyOf } from "./script.ts";

/** What is counted for a key right now. Fails with an OperatorError if Redis does not answer. */
export async function readTally(
  redisUrls: readonly string[],
  keyId: string,
  connectTimeoutMs?: number,
): Promise<Tally> {
  const client = connectRedis(redisUrls);
  const connectionError = trackConnectionError(client);
  try {
    await whenReady(client, connectTimeoutMs);
    return tallyOf(await client.hmget(keyOf(keyId), ...TALLY_NUMBER_NAMES));
  } catch (error) {
    const { message } = connectionError() ?? (error as Error);
    throw new OperatorError(`Redis is not responding: ${message}. Check REDIS_URL`);
  } finally {
    client.disconnect();
  }
}
