import { readFileSync } from "node:fs";
import { Cluster, Redis } from "ioredis";
import { OperatorError } from "../../../base/operator-error.ts";
import { withTimeout } from "../../../base/time/timeout.ts";
import type { RedisUrl, TlsFiles } from "../../redis-url.ts";
import { gatherCommands } from "../commands/gather-commands.ts";
import { JUDGE_SCRIPT } from "../commands/script.ts";
import { failureOf, isOfReplica } from "./failures.ts";

/** A connection to one server, or connections to all nodes of a cluster. */
export type RedisClient = (Redis | Cluster) & {
  judge(key: string, ...args: (string | number)[]): Promise<number[]>;
};

const CONNECT_TIMEOUT_MS = 1_000;
/** A closed connection may just have been idle: the first attempt to reconnect follows at once. */
const FIRST_RECONNECT_DELAY_MS = 5;
/** Shorter than the wait for an answer: a call between two attempts is still answered if the next one succeeds. */
const RECONNECT_DELAY_MS = 50;
/** The limit where nothing else bounds the wait for an answer. */
export const COMMAND_TIMEOUT_MS = 1_000;
/** A dead connection does not end by itself. */
const DISCONNECT_TIMEOUT_MS = 100;

/**
 * Connects in the background, and reconnects for ever. A command waits for a connection until an attempt has failed,
 * and for its answer without a limit unless one is given.
 */
export function connectRedis(url: RedisUrl, commandTimeout?: number): RedisClient {
  const options = { ...connectionOptions(url), ...(commandTimeout === undefined ? {} : { commandTimeout }) };
  const client = url.kind === "cluster" ? connectCluster(url, options) : new Redis({ ...options, ...targetOf(url) });
  client.defineCommand("judge", { lua: JUDGE_SCRIPT, numberOfKeys: 1 });
  gatherCommands(client);
  // Without a listener ioredis prints every error; the meter reports an outage once.
  client.on("error", () => {});
  return client as RedisClient;
}

/** The options of all connections to servers. */
export function connectionOptions({ credentials, tls }: Pick<RedisUrl, "credentials" | "tls">) {
  return {
    ...credentials,
    ...(tls ? { tls: readTlsFiles(tls) } : {}),
    connectTimeout: CONNECT_TIMEOUT_MS,
    disconnectTimeout: DISCONNECT_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    reconnectOnError: isOfReplica,
  };
}

function targetOf({ kind, addresses, masterName = "", database, sentinelCredentials, tls }: RedisUrl) {
  const retry = (attempt: number) => (attempt === 1 ? FIRST_RECONNECT_DELAY_MS : RECONNECT_DELAY_MS);
  if (kind === "single") return { ...addresses[0], db: database, retryStrategy: retry };
  const { username, password } = sentinelCredentials;
  return {
    sentinels: addresses.map((address) => ({ ...address })),
    name: masterName,
    db: database,
    ...(username ? { sentinelUsername: username } : {}),
    ...(password ? { sentinelPassword: password } : {}),
    ...(tls ? { sentinelTLS: readTlsFiles(tls), enableTLSForSentinelMode: true } : {}),
    sentinelCommandTimeout: CONNECT_TIMEOUT_MS,
    sentinelRetryStrategy: () => RECONNECT_DELAY_MS,
    retryStrategy: retry,
  };
}

function connectCluster({ addresses, tls }: RedisUrl, redisOptions: ReturnType<typeof connectionOptions>): Cluster {
  return new Cluster(
    addresses.map((address) => ({ ...address })),
    {
      clusterRetryStrategy: () => RECONNECT_DELAY_MS,
      slotsRefreshTimeout: CONNECT_TIMEOUT_MS,
      // The meter deals with a failing node, at once.
      retryDelayOnFailover: 0,
      retryDelayOnClusterDown: 0,
      redisOptions,
      // A certificate is checked against the name that was given, not against the address that it resolves to.
      ...(tls
        ? { dnsLookup: (host: string, callback: (error: null, address: string) => void) => callback(null, host) }
        : {}),
    },
  );
}

/** The files are read when Redis is connected to for the first time; a renewed certificate needs a restart. */
function readTlsFiles(files: TlsFiles): Record<string, string> {
  const read = ([name, path]: [string, string]) => {
    try {
      return [name, readFileSync(path, "utf8")];
    } catch (error) {
      throw new OperatorError(`cannot read the file that tls_${name} in REDIS_URL names: ${(error as Error).message}`);
    }
  };
  return Object.fromEntries(Object.entries(files).map(read));
}

/** The servers of all connections that count. */
export const nodesOf = (client: RedisClient): Redis[] =>
  client instanceof Cluster ? client.nodes("master") : [client as Redis];

const FIRST_CONNECT_TIMEOUT_MS = 1_500;
const READY_CHECK_INTERVAL_MS = 5;

/**
 * Waits until every server is connected and has the script, so that the first requests find both in place. It gives up
 * after a moment, because the service can start without Redis; and returns an error at once if waiting is no use.
 */
export async function whenReady(client: RedisClient, timeoutMs = FIRST_CONNECT_TIMEOUT_MS): Promise<Error | undefined> {
  const deadlineMs = performance.now() + timeoutMs;
  let hopeless: Error | undefined;
  const listen = (error: Error) => {
    if (failureOf(error).isPermanent) hopeless ??= error;
  };
  client.on("error", listen);
  const isReady = async (server: { readonly status: string }): Promise<boolean> => {
    while (server.status !== "ready" && performance.now() < deadlineMs && !hopeless)
      await Bun.sleep(READY_CHECK_INTERVAL_MS);
    return server.status === "ready";
  };
  if (await isReady(client))
    for (const server of nodesOf(client)) {
      if (server.status === "wait") server.connect().catch(() => {});
      if (!(await isReady(server))) continue;
      const loaded = server.script("LOAD", JUDGE_SCRIPT).catch(() => {});
      await withTimeout(loaded, deadlineMs - performance.now());
    }
  client.off("error", listen);
  return hopeless;
}
