import { Cluster, type Redis } from "ioredis";
import { type Check, type Checkup, ok, problem } from "../../domain/checkup.ts";
import { connectRedis, type RedisClient, trackConnectionError, whenReady } from "./client.ts";

/** What there is to find out about Redis, or all nodes of its cluster. It only asks for information. */
export function checkRedis(urls: readonly string[], connectTimeoutMs?: number): Checkup {
  const client = connectRedis(urls);
  const connectionError = trackConnectionError(client);
  return {
    checks: [
      {
        name: "Redis can be reached",
        isNeeded: true,
        async run() {
          await whenReady(client, connectTimeoutMs);
          try {
            const versions = await valuesOf(client, "server", "redis_version");
            return ok(`version ${versions.join(", ")}`);
          } catch (error) {
            const { message } = connectionError() ?? (error as Error);
            return problem(
              message,
              "check REDIS_URL, and whether Redis is running; until then each instance counts by itself",
            );
          }
        },
      },
      evictsNothing(client),
      savesToDisk(client),
    ],
    close: () => client.disconnect(),
  };
}

const evictsNothing = (client: RedisClient): Check => ({
  name: "Redis forgets no counter",
  async run() {
    const policies = await valuesOf(client, "memory", "maxmemory_policy");
    const limits = await valuesOf(client, "memory", "maxmemory");
    const evicting = policies.filter((policy, i) => policy !== "noeviction" && limits[i] !== "0");
    return evicting.length === 0
      ? ok("it evicts nothing")
      : problem(
          `when its memory is full it evicts counters and bans (${evicting[0]})`,
          "set maxmemory-policy to noeviction, and use this Redis for nothing else",
        );
  },
});

const savesToDisk = (client: RedisClient): Check => ({
  name: "Redis saves to disk",
  async run() {
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
  },
});

/** One value of INFO, from every server. */
async function valuesOf(client: RedisClient, section: string, name: string): Promise<string[]> {
  const servers: Redis[] = client instanceof Cluster ? client.nodes("master") : [client as Redis];
  const texts = await Promise.all(servers.map((server) => server.info(section)));
  return texts.flatMap((text) => new RegExp(`^${name}:(.*?)\\r?$`, "m").exec(text)?.[1] ?? []);
}
