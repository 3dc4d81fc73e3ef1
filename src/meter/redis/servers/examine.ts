import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { Redis } from "ioredis";
import { withTimeout } from "../../../base/time/timeout.ts";
import { type Address, displayAddress, type RedisUrl } from "../../redis-url.ts";
import { keyOf } from "../commands/script.ts";
import { connectionOptions } from "./client.ts";
import { isReply } from "./failures.ts";

const TIMEOUT_MS = 1_000;

/**
 * A script that does nothing. Because its first line does not promise so, Redis 7 refuses it whenever it would refuse
 * one that counts: as a replica, without memory, while loading, without permission. Redis 6 cannot compile it.
 */
const DRY_RUN = "#!lua\nreturn 1";

export async function dryRun(server: Redis, subject: string): Promise<void> {
  await server.eval(DRY_RUN, 1, keyOf(subject)).catch((error: Error) => {
    if (!/compiling script/.test(error.message)) throw error;
  });
}

/** Throws for a node of a larger cluster: it redirects a client that knows it alone for most keys. */
export async function refuseClusterNode(server: Redis): Promise<void> {
  if (!/^redis_mode:cluster/m.test(await server.info("server"))) return;
  const nodes = Number(/^cluster_size:(\d+)/m.exec(String(await server.cluster("INFO")))?.[1] ?? 0);
  if (nodes > 1) throw new Error("it is a node of a cluster");
}

/** Finds out, over connections of its own, why Redis does not work. Undefined: nothing is wrong. */
export async function examine(url: RedisUrl): Promise<unknown> {
  let found: unknown;
  for (const address of url.addresses) {
    const examined = url.kind === "sentinel" ? examineSentinel(address, url) : examineServer(address, url);
    found = await examined.catch((error: unknown) => error);
    if (found === undefined || isReply(found)) return found;
  }
  return found;
}

async function examineServer(address: Address, url: RedisUrl): Promise<void> {
  const server = new Redis({ ...connectionOptions(url), ...QUICK, ...address, db: url.database });
  await withConnection(server, address, url, async () => {
    if (url.kind === "cluster") return void (await server.cluster("SLOTS"));
    await refuseClusterNode(server);
    await dryRun(server, "probe");
  });
}

async function examineSentinel(address: Address, url: RedisUrl): Promise<void> {
  const { sentinelCredentials: credentials } = url;
  const sentinel = new Redis({ ...connectionOptions({ ...url, credentials }), ...QUICK, ...address });
  const master = await withConnection(sentinel, address, url, () =>
    sentinel.call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", url.masterName ?? ""),
  );
  if (!Array.isArray(master)) throw new Error("it watches no master of that name");
  await examineServer({ host: String(master[0]), port: Number(master[1]) }, url);
}

const QUICK = {
  lazyConnect: true,
  enableReadyCheck: false,
  retryStrategy: () => null,
  connectTimeout: TIMEOUT_MS,
  commandTimeout: TIMEOUT_MS,
} as const;

/** Runs work with a connection. If it fails because only one side uses TLS, the error says that. */
async function withConnection<T>(
  server: Redis,
  address: Address,
  { tls }: RedisUrl,
  work: () => Promise<T>,
): Promise<T> {
  let first: Error | undefined;
  server.on("error", (error: Error) => {
    first ??= error;
  });
  try {
    await server.connect();
    if (first) throw first;
    return await work();
  } catch (error) {
    const cause = first ?? error;
    if (isReply(cause)) throw cause;
    throw (await tlsMismatch(address, tls !== undefined)) ?? cause;
  } finally {
    server.disconnect();
  }
}

/** Tries to connect without TLS instead of with it, or the reverse. No secret is sent. */
async function tlsMismatch({ host, port }: Address, usesTls: boolean): Promise<Error | undefined> {
  const socket: Socket = usesTls
    ? connectTcp({ host, port }, () => socket.write("PING\r\n"))
    : connectTls({ host, port, rejectUnauthorized: false });
  const isUnderstood = new Promise<boolean>((resolve) => {
    socket.once(usesTls ? "data" : "secureConnect", () => resolve(true));
    socket.on("error", () => resolve(false));
    socket.on("close", () => resolve(false));
  });
  const understood = await withTimeout(isUnderstood, TIMEOUT_MS / 2);
  socket.destroy();
  if (!understood?.value) return undefined;
  return new Error(`${displayAddress({ host, port })} ${usesTls ? "does not use TLS" : "requires TLS"}`);
}
