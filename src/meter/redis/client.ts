import { Cluster, Redis } from "ioredis";
import { JUDGE_SCRIPT } from "./script.ts";

/** A connection to one server, or to the cluster that several addresses belong to. */
export type RedisClient = (Redis | Cluster) & {
  judge(key: string, ...args: (string | number)[]): Promise<number[]>;
};

const SILENCE_TIMEOUT_MS = 1_000;
const CONNECT_TIMEOUT_MS = 1_000;
const RECONNECT_DELAY_MS = 200;

/** Connects in the background and reconnects for ever. Until there is a connection, commands fail at once. */
export function connectRedis(urls: readonly string[]): RedisClient {
  const options = {
    // Replaces a connection that goes silent. The meter's timeout for a single answer is shorter.
    socketTimeout: SILENCE_TIMEOUT_MS,
    connectTimeout: CONNECT_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
  };
  const client =
    urls.length === 1
      ? new Redis(urls[0] as string, { ...options, enableOfflineQueue: false, retryStrategy: () => RECONNECT_DELAY_MS })
      : new Cluster([...urls], {
          enableOfflineQueue: false,
          clusterRetryStrategy: () => RECONNECT_DELAY_MS,
          slotsRefreshTimeout: CONNECT_TIMEOUT_MS,
          redisOptions: { ...options, ...credentialsOf(urls[0] as string) },
        });
  client.defineCommand("judge", { lua: JUDGE_SCRIPT, numberOfKeys: 1 });
  // Without a listener ioredis prints every error; the meter reports an outage once.
  client.on("error", () => {});
  return client as RedisClient;
}

/** Credentials and TLS as the first address has them apply to every node of the cluster. */
function credentialsOf(address: string): { username?: string; password?: string; tls?: object } {
  const { username, password, protocol } = new URL(address);
  return {
    ...(username ? { username: decodeURIComponent(username) } : {}),
    ...(password ? { password: decodeURIComponent(password) } : {}),
    ...(protocol === "rediss:" ? { tls: {} } : {}),
  };
}

/** The latest connection error of a client since it was last connected. */
export function trackConnectionError(client: RedisClient): () => Error | undefined {
  let latest: Error | undefined;
  client.on("error", (error: Error) => {
    latest = error;
  });
  client.on("ready", () => {
    latest = undefined;
  });
  return () => latest;
}

const FIRST_CONNECT_TIMEOUT_MS = 1_500;
const READY_CHECK_INTERVAL_MS = 5;

/**
 * Waits until every server is connected and has the script, so that the first requests find both in
 * place. It gives up after a moment without failing, because the service can start without Redis.
 */
export async function whenReady(client: RedisClient, timeoutMs = FIRST_CONNECT_TIMEOUT_MS): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs;
  const isReady = async (server: { readonly status: string }): Promise<boolean> => {
    while (server.status !== "ready" && performance.now() < deadlineMs) await Bun.sleep(READY_CHECK_INTERVAL_MS);
    return server.status === "ready";
  };
  if (!(await isReady(client))) return;
  for (const server of client instanceof Cluster ? client.nodes("master") : [client]) {
    if (server.status === "wait") server.connect().catch(() => {});
    if (await isReady(server)) await server.script("LOAD", JUDGE_SCRIPT).catch(() => {});
  }
}
