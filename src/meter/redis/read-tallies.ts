import { TALLY_NUMBER_NAMES, type Tally } from "../../domain/limits/tally.ts";
import type { RedisUrl } from "../redis-url.ts";
import { inBatches } from "./batches.ts";
import { keyOf, tallyOf } from "./commands/script.ts";

/** Reads the current tallies of these keys. Fails with an OperatorError if Redis does not answer. */
export const readTallies = async (
  url: RedisUrl,
  keyIds: readonly string[],
  connectTimeoutMs?: number,
): Promise<ReadonlyMap<string, Tally>> =>
  new Map(
    await inBatches(
      url,
      keyIds,
      (keyId) => keyId,
      async (client, keyId) => [keyId, tallyOf(await client.hmget(keyOf(keyId), ...TALLY_NUMBER_NAMES))] as const,
      connectTimeoutMs,
    ),
  );
