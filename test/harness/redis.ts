import type { Subprocess } from "bun";
import { Redis } from "ioredis";
import { atEnd } from "./cleanup.ts";
import { freePort } from "./postgres.ts";
import { temporaryFolder } from "./service.ts";

/** No npm package ships Redis, so its tests are skipped by name where it is not installed. */
export const hasRedis = Bun.which("redis-server") !== null;

/** A real Redis of our own that can be stopped, paused and started again. */
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

  /** Asks it something, as soon as it answers. */
  async ask<T>(question: (client: Redis) => Promise<T>): Promise<T> {
    const client = new Redis(this.url, { retryStrategy: () => 20, maxRetriesPerRequest: 200 });
    client.on("error", () => {});
    try {
      return await question(client);
    } finally {
      client.disconnect();
    }
  }

  /** How often a command was called since the last reset of the statistics. */
  async calls(command: string): Promise<number> {
    const info = await this.ask((client) => client.info("commandstats"));
    return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(info)?.[1] ?? 0);
  }
}

/** Three servers that are one cluster. */
export async function startRedisCluster(): Promise<TestRedis[]> {
  const nodes = await Promise.all(
    [1, 2, 3].map(() => TestRedis.start("--cluster-enabled", "yes", "--cluster-node-timeout", "2000")),
  );
  const addresses = nodes.map((node) => `127.0.0.1:${node.port}`);
  const made = Bun.spawnSync(["redis-cli", "--cluster", "create", ...addresses, "--cluster-yes"], {
    stderr: "pipe",
    stdout: "pipe",
  });
  if (!made.success) throw new Error(made.stdout.toString() + made.stderr.toString());
  for (const node of nodes)
    while (!(await node.ask((client) => client.cluster("INFO"))).includes("cluster_state:ok")) await Bun.sleep(20);
  return nodes;
}
