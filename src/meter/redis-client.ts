import { Cluster, Redis } from "ioredis";
import script from "./judge.lua" with { type: "text" };

/** One server, or the cluster that several addresses belong to. */
export type RedisClient = (Redis | Cluster) & {
  judge(key: string, ...args: (string | number)[]): Promise<number[]>;
};

const SILENT_MAX_MS = 1_000;
const CONNECT_TIMEOUT_MS = 1_000;
const RECONNECT_EVERY_MS = 200;

/** Connects in the background, again and again: whoever asks meanwhile is told at once that it is not there. */
export function connectRedis(urls: readonly string[]): RedisClient {
  const options = {
    // A connection that goes silent is made anew. A single answer is waited for less long, by the meter.
    socketTimeout: SILENT_MAX_MS,
    connectTimeout: CONNECT_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
  };
  const client =
    urls.length === 1
      ? new Redis(urls[0] as string, { ...options, enableOfflineQueue: false, retryStrategy: () => RECONNECT_EVERY_MS })
      : new Cluster([...urls], {
          enableOfflineQueue: false,
          clusterRetryStrategy: () => RECONNECT_EVERY_MS,
          slotsRefreshTimeout: CONNECT_TIMEOUT_MS,
          redisOptions: { ...options, ...credentialsOf(urls[0] as string) },
        });
  client.defineCommand("judge", { lua: script, numberOfKeys: 1 });
  client.on("error", () => {
    // Told by the meter, once, when it falls back.
  });
  return client as RedisClient;
}

/** What an address says besides the host holds for all nodes of a cluster. */
function credentialsOf(address: string): { username?: string; password?: string; tls?: object } {
  const { username, password, protocol } = new URL(address);
  return {
    ...(username ? { username: decodeURIComponent(username) } : {}),
    ...(password ? { password: decodeURIComponent(password) } : {}),
    ...(protocol === "rediss:" ? { tls: {} } : {}),
  };
}

const FIRST_CONNECT_MS = 1_500;

/**
 * Waits for the first connection to every server, and gives each the script, so that the first
 * requests find all in place. But not for long: a service starts without Redis if it must.
 */
export async function whenReady(client: RedisClient): Promise<void> {
  const deadlineMs = performance.now() + FIRST_CONNECT_MS;
  const isReady = async (server: { readonly status: string }): Promise<boolean> => {
    while (server.status !== "ready" && performance.now() < deadlineMs) await Bun.sleep(5);
    return server.status === "ready";
  };
  if (!(await isReady(client))) return;
  for (const server of client instanceof Cluster ? client.nodes("master") : [client]) {
    if (server.status === "wait") server.connect().catch(() => {});
    if (await isReady(server)) await server.script("LOAD", script).catch(() => {});
  }
}
