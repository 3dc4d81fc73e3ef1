import { join } from "node:path";
import type { Subprocess } from "bun";
import { Redis } from "ioredis";
import { atEnd } from "../cleanup.ts";
import { temporaryFolder } from "../folder.ts";
import type { Certificate } from "./certificates.ts";
import { freePort, isListening } from "./port.ts";

/** No npm package ships Redis, so its tests are skipped by name where it is not installed. */
export const hasRedis = Bun.which("redis-server") !== null;

/** A real Redis server, which can be stopped, paused and restarted. */
export class TestRedis {
  #server: Subprocess | undefined;

  private constructor(
    readonly port: number,
    private readonly options: readonly string[],
    private readonly folder: string,
  ) {}

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  static async start(...options: string[]): Promise<TestRedis> {
    const server = new TestRedis(await freePort(), options, temporaryFolder());
    await server.start();
    atEnd(() => server.stop());
    return server;
  }

  /** Starts a server that also listens with TLS. Returns the TLS port. */
  static async startWithTls(certificate: Certificate, ...options: string[]): Promise<number> {
    const tlsPort = await freePort();
    const { authorityFile, certificateFile, keyFile } = certificate;
    const files = ["--tls-cert-file", certificateFile, "--tls-key-file", keyFile, "--tls-ca-cert-file", authorityFile];
    await TestRedis.start("--tls-port", String(tlsPort), ...files, ...options);
    return tlsPort;
  }

  async start(): Promise<void> {
    this.#server = Bun.spawn(
      [
        "redis-server",
        "--port",
        String(this.port),
        "--bind",
        "127.0.0.1",
        "--save",
        "",
        "--dir",
        this.folder,
        ...this.options,
      ],
      { stdout: "ignore", stderr: "ignore" },
    );
    await this.ask((client) => client.ping());
  }

  async stop(): Promise<void> {
    this.resume();
    this.#server?.kill("SIGKILL");
    await this.#server?.exited;
    this.#server = undefined;
  }

  pause(): void {
    this.#server?.kill("SIGSTOP");
  }

  resume(): void {
    this.#server?.kill("SIGCONT");
  }

  /** Runs commands, as soon as the server answers. */
  async ask<T>(question: (client: Redis) => Promise<T>): Promise<T> {
    const client = new Redis(this.url, { retryStrategy: () => 20, maxRetriesPerRequest: 200 });
    client.on("error", () => {});
    try {
      return await question(client);
    } finally {
      client.disconnect();
    }
  }

  /** The number of calls of a command since the statistics were last reset. */
  async calls(command: string): Promise<number> {
    const info = await this.ask((client) => client.info("commandstats"));
    return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(info)?.[1] ?? 0);
  }
}

/** Each service of a test run has its own logical database, so that their counters do not mix. */
const SHARED_SERVER_OPTIONS = ["--databases", "2000"];
const LAST_DATABASE_KEY = "last-database";

/** A server for a whole test run, see redisDatabaseMaker(). */
export const startSharedRedis = (): Promise<TestRedis> => TestRedis.start(...SHARED_SERVER_OPTIONS);

/**
 * Returns a function that gives the address of another empty logical database each time: on the server at
 * TEST_REDIS_URL if set, otherwise on one started here. Call it outside of tests. Without Redis there is none to give,
 * and the tests that would ask for one are skipped.
 */
export async function redisDatabaseMaker(): Promise<() => Promise<string>> {
  if (!hasRedis) return () => Promise.reject(new Error("redis-server is not installed"));
  const url = process.env.TEST_REDIS_URL ?? (await startSharedRedis()).url;
  return async () => {
    const client = new Redis(url);
    // Counted in Redis itself, because several processes share the server.
    const database = await client.incr(LAST_DATABASE_KEY);
    client.disconnect();
    return `${url}/${database}`;
  };
}

const SLOTS = 16_384;

/** Three servers that form a cluster. */
export async function startRedisCluster(...options: string[]): Promise<TestRedis[]> {
  const { servers, ready } = await formRedisCluster(...options);
  await ready;
  return servers;
}

/** Forms a cluster without waiting until it works, which takes Redis at least two seconds. */
export async function formRedisCluster(
  ...options: string[]
): Promise<{ servers: TestRedis[]; nodes: ClusterNode[]; ready: Promise<void> }> {
  const nodes = await Promise.all([1, 2, 3].map(() => startClusterNode(options)));
  const [first] = nodes as [ClusterNode, ...ClusterNode[]];
  const slot = (index: number) => Math.floor((index * SLOTS) / nodes.length);
  for (const [i, { server }] of nodes.entries())
    await server.ask(async (client) => {
      await client.call("CLUSTER", "SET-CONFIG-EPOCH", i + 1);
      await client.call("CLUSTER", "ADDSLOTSRANGE", slot(i), slot(i + 1) - 1);
      if (i > 0) await client.call("CLUSTER", "MEET", "127.0.0.1", first.server.port, first.busPort);
    });
  const servers = nodes.map(({ server }) => server);
  return { servers, nodes, ready: whenClusterWorks(servers) };
}

/** Adds a replica to a working cluster, which takes over when the first node is gone. */
export async function addReplica(nodes: readonly ClusterNode[], ...options: string[]): Promise<TestRedis> {
  const [master] = nodes as [ClusterNode, ...ClusterNode[]];
  await sendCopiesAtOnce(master.server);
  const id = String(await master.server.ask((client) => client.call("CLUSTER", "MYID")));
  const { server } = await startClusterNode(options);
  await server.ask(async (client) => {
    for (const node of nodes) await client.call("CLUSTER", "MEET", "127.0.0.1", node.server.port, node.busPort);
    while (!(await client.call("CLUSTER", "REPLICATE", id).catch(() => false))) await Bun.sleep(20);
    while (!(await client.info("replication")).includes("master_link_status:up")) await Bun.sleep(20);
  });
  for (const node of nodes)
    while (!String(await node.server.ask((client) => client.call("CLUSTER", "NODES"))).includes(`slave ${id}`))
      await Bun.sleep(20);
  return server;
}

/** A node may consider its cluster complete before it knows all others, so each must know the owners of all slots. */
async function whenClusterWorks(servers: readonly TestRedis[]): Promise<void> {
  const isComplete = (info: string): boolean =>
    info.includes("cluster_state:ok") && info.includes(`cluster_slots_ok:${SLOTS}`);
  for (const server of servers)
    while (!isComplete(await server.ask((client) => client.cluster("INFO")))) await Bun.sleep(20);
}

export interface ClusterNode {
  readonly server: TestRedis;
  readonly busPort: number;
}

/** The default port of the cluster bus is 10000 above the server's, which may be too high for a port. */
async function startClusterNode(special: readonly string[]): Promise<ClusterNode> {
  const busPort = await freePort();
  const options = ["--cluster-enabled", "yes", "--cluster-port", String(busPort), "--cluster-node-timeout", "2000"];
  return { server: await TestRedis.start(...options, ...special), busPort };
}

/** Sends copies at once; by default, Redis waits five seconds for more replicas. */
const sendCopiesAtOnce = (master: TestRedis): Promise<unknown> =>
  master.ask((client) => client.config("SET", "repl-diskless-sync-delay", "0"));

/** Starts a read-only replica. */
export async function startReplica(master: TestRedis, ...options: string[]): Promise<TestRedis> {
  await sendCopiesAtOnce(master);
  const replica = await TestRedis.start("--replicaof", `127.0.0.1 ${master.port}`, ...options);
  while (!(await replica.ask((client) => client.info("replication"))).includes("master_link_status:up"))
    await Bun.sleep(20);
  return replica;
}

/** Starts a sentinel that decides alone, after half a second, that a master is gone. Returns its port. */
export async function startSentinel(master: TestRedis, name: string, ...lines: string[]): Promise<number> {
  const port = await freePort();
  const file = join(temporaryFolder(), "sentinel.conf");
  const settings = [
    `port ${port}`,
    "bind 127.0.0.1",
    `sentinel monitor ${name} 127.0.0.1 ${master.port} 1`,
    `sentinel down-after-milliseconds ${name} 500`,
    `sentinel failover-timeout ${name} 3000`,
    ...lines,
  ];
  await Bun.write(file, settings.join("\n"));
  const sentinel = Bun.spawn(["redis-server", file, "--sentinel"], { stdout: "ignore", stderr: "ignore" });
  atEnd(async () => {
    sentinel.kill("SIGKILL");
    await sentinel.exited;
  });
  while (!(await isListening(port))) await Bun.sleep(20);
  return port;
}
