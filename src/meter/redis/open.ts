import { Cluster, type Redis } from "ioredis";
import { Mistake } from "../../base/mistake.ts";
import { withTimeout } from "../../base/time/timeout.ts";
import type { RedisSettings } from "../meter.ts";
import { parseRedisUrl, type RedisUrl } from "../redis-url.ts";
import type { TallyTable } from "../tally-table.ts";
import { RedisMeter } from "./meter.ts";
import { connectRedis, type RedisClient, whenReady } from "./servers/client.ts";
import { examine, refuseClusterNode } from "./servers/examine.ts";
import { type Failure, failureOf, isReply, operatorErrorOf } from "./servers/failures.ts";
import { serversOf } from "./servers/servers.ts";

const INFORMATION_TIMEOUT_MS = 500;

/**
 * Opens a meter on Redis, connected if Redis counts now, and degraded until it does. Fails with an OperatorError if
 * Redis cannot count before a setting is changed.
 */
export async function openRedisMeter(url: RedisUrl, settings: RedisSettings, table: TallyTable): Promise<RedisMeter> {
  const client = connectRedis(url);
  const servers = serversOf(client, url);
  const hopeless = await whenReady(client, settings.connectTimeoutMs);
  const meter = new RedisMeter({ ...settings, client, servers, table });
  try {
    if (hopeless) refusePermanent(servers.names().join(), failureOf(hopeless));
    await refuseClusterAddress(client, servers.names().join());
    for (const { server, error } of await meter.check()) {
      const cause = await causeOf(error, narrowed(url, server));
      refusePermanent(server, failureOf(cause));
      meter.giveUp(server, cause);
    }
    return meter;
  } catch (error) {
    await meter.close();
    throw error;
  }
}

/** Returns the node itself, if there is more than one and it is known. */
function narrowed(url: RedisUrl, server: string): RedisUrl {
  const single = url.kind === "cluster" ? parseRedisUrl(`redis://${server}`) : undefined;
  return single === undefined || single instanceof Mistake ? url : { ...url, addresses: single.addresses };
}

/** An error reply is clear. If Redis does not answer, an examination may find out more. */
async function causeOf(error: unknown, url: RedisUrl): Promise<unknown> {
  if (isReply(error) || failureOf(error).isPermanent) return error;
  return (await examine(url)) ?? error;
}

/** A node of a cluster would count some keys and refuse most: the check of one key says nothing. */
async function refuseClusterAddress(client: RedisClient, server: string): Promise<void> {
  if (client instanceof Cluster || client.status !== "ready") return;
  try {
    await withTimeout(refuseClusterNode(client as Redis), INFORMATION_TIMEOUT_MS);
  } catch (error) {
    // A user without the right to INFO may still count.
    if (!isReply(error)) refusePermanent(server, failureOf(error));
  }
}

function refusePermanent(server: string, failure: Failure): void {
  if (failure.isPermanent) throw operatorErrorOf(server, failure);
}
