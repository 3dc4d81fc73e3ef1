import type { Redis } from "ioredis";
import { systemClock } from "../../base/time/clock.ts";
import {
  type Check,
  type Checkup,
  check,
  type Finding,
  neededCheck,
  ok,
  okUnless,
  problem,
} from "../../domain/checkup/checkup.ts";
import { compareClocks } from "../../domain/checkup/clock-check.ts";
import { displayRedisUrl, type RedisUrl } from "../redis-url.ts";
import { COMMAND_TIMEOUT_MS, connectRedis, nodesOf, type RedisClient, whenReady } from "./servers/client.ts";
import { dryRun, examine } from "./servers/examine.ts";
import { failureOf } from "./servers/failures.ts";
import { type Servers, serversOf } from "./servers/servers.ts";

/** Checks Redis, or all nodes of its cluster. It only asks for information. */
export function checkRedis(url: RedisUrl, connectTimeoutMs?: number): Checkup {
  const client = connectRedis(url, COMMAND_TIMEOUT_MS);
  const servers = serversOf(client, url);
  return {
    checks: [
      neededCheck("Redis can be reached", async () => {
        await whenReady(client, connectTimeoutMs);
        const isConnected = servers.isConnected();
        const error = isConnected && url.kind !== "single" ? undefined : await examine(url);
        if (error !== undefined || !isConnected) return finding(displayRedisUrl(url), error);
        return ok(`version ${(await valuesOf(client, "server", "redis_version")).join(", ")}`);
      }),
      canCount(client, servers),
      evictsNothing(client),
      savesToDisk(client),
      sameClock(client),
    ],
    close: () => client.disconnect(),
  };
}

/** Until the remedy has been applied, instances either refuse to start or count by themselves. */
function finding(server: string, error: unknown): Finding {
  const { reason, remedy, isPermanent } = failureOf(error);
  const until = isPermanent ? "no instance starts" : "each instance counts by itself";
  return problem(`${server} ${reason}`, `${remedy}; until then, ${until}`);
}

const sameClock = (client: RedisClient): Check =>
  check("clock agrees with Redis's", async () => {
    const [server] = nodesOf(client);
    const askedMs = systemClock.nowMs();
    const time = await server?.time().catch(unlessForbidden);
    if (time === undefined) return ok("not compared: the user of Redis may not ask for the time");
    const [seconds, microseconds] = time;
    return compareClocks("Redis", Number(seconds) * 1_000 + Number(microseconds) / 1_000, askedMs, systemClock.nowMs());
  });

/** The service itself needs no right to TIME. */
function unlessForbidden(error: Error): undefined {
  if (!error.message.startsWith("NOPERM")) throw error;
}

const canCount = (client: RedisClient, servers: Servers): Check =>
  neededCheck("Redis can count", async () => {
    for (const server of servers.names()) {
      const subject = servers.probeSubject(server);
      try {
        await dryRun(client as Redis, subject);
      } catch (error) {
        return finding(server, servers.connectionError(server) ?? error);
      }
    }
    return ok(`all instances together, on ${servers.names().join(", ")}`);
  });

const evictsNothing = (client: RedisClient): Check =>
  check("Redis forgets no counter", async () => {
    const policies = await valuesOf(client, "memory", "maxmemory_policy");
    const limits = await valuesOf(client, "memory", "maxmemory");
    const evicting = policies.filter((policy, i) => policy !== "noeviction" && limits[i] !== "0");
    return okUnless(
      evicting[0] && `when its memory is full it evicts counters and bans (${evicting[0]})`,
      "it evicts nothing",
      "set maxmemory-policy to noeviction, and use this Redis for nothing else",
    );
  });

const savesToDisk = (client: RedisClient): Check =>
  check("Redis saves to disk", async () => {
    const statuses = [
      ...(await valuesOf(client, "persistence", "rdb_last_bgsave_status")),
      ...(await valuesOf(client, "persistence", "aof_last_write_status")),
    ];
    if (statuses.some((status) => status !== "ok"))
      return problem(
        "its last attempt failed",
        "see the log of Redis: its disk may be full, and it may refuse to count",
      );
    const isOn = (await valuesOf(client, "persistence", "aof_enabled")).every((enabled) => enabled === "1");
    return ok(
      isOn ? "with an append-only file" : "by snapshots, if at all: a restart of Redis may forget counters and bans",
    );
  });

/** Reads one value of INFO from every server. */
async function valuesOf(client: RedisClient, section: string, name: string): Promise<string[]> {
  const texts = await Promise.all(nodesOf(client).map((server) => server.info(section)));
  return texts.flatMap((text) => new RegExp(`^${name}:(.*?)\\r?$`, "m").exec(text)?.[1] ?? []);
}
