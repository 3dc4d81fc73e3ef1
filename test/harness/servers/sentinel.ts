import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Redis } from "ioredis";
import { atEnd } from "../cleanup.ts";
import { temporaryFolder } from "../folder.ts";
import { freePort } from "./port.ts";
import { TestRedis } from "./redis.ts";

const NAME = "counters";

/** A master and a replica, watched by three sentinels, which notice within a second that one of them is gone. */
export interface WatchedRedis {
  readonly url: string;
  readonly servers: readonly TestRedis[];
  /** The master's port according to the sentinels. */
  readonly masterPort: () => Promise<number>;
}

export async function startWatchedRedis(): Promise<WatchedRedis> {
  const master = await TestRedis.start();
  const replica = await TestRedis.start("--replicaof", "127.0.0.1", String(master.port));
  while (!(await replica.ask((client) => client.info("replication"))).includes("master_link_status:up"))
    await Bun.sleep(20);
  const ports = await Promise.all([1, 2, 3].map(() => startSentinel(master.port)));
  const masterPort = (): Promise<number> =>
    ask(ports[0] as number, async (client) => {
      const [, port] = (await client.call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME)) as string[];
      return Number(port);
    });
  for (const port of ports) while (!(await ask(port, knowsAll))) await Bun.sleep(50);
  const url = `redis+sentinel://${ports.map((port) => `127.0.0.1:${port}`).join(",")}/${NAME}`;
  return { url, servers: [master, replica], masterPort };
}

async function startSentinel(masterPort: number): Promise<number> {
  const port = await freePort();
  const folder = temporaryFolder();
  const file = join(folder, "sentinel.conf");
  const lines = [
    `port ${port}`,
    "bind 127.0.0.1",
    `dir ${folder}`,
    `sentinel monitor ${NAME} 127.0.0.1 ${masterPort} 2`,
    `sentinel down-after-milliseconds ${NAME} 1000`,
    `sentinel failover-timeout ${NAME} 5000`,
  ];
  writeFileSync(file, `${lines.join("\n")}\n`);
  const child = Bun.spawn(["redis-server", file, "--sentinel"], { stdout: "ignore", stderr: "ignore" });
  atEnd(async () => {
    child.kill("SIGKILL");
    await child.exited;
  });
  return port;
}

/** Before that, there would be no replica to fail over to, and no majority to decide it. */
async function knowsAll(client: Redis): Promise<boolean> {
  const master = (await client.call("SENTINEL", "MASTER", NAME)) as string[];
  const valueIn = (field: string): string | undefined => master[master.indexOf(field) + 1];
  return valueIn("num-slaves") === "1" && valueIn("num-other-sentinels") === "2";
}

async function ask<T>(port: number, question: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(port, "127.0.0.1", { retryStrategy: () => 20, maxRetriesPerRequest: 200 });
  client.on("error", () => {});
  try {
    return await question(client);
  } finally {
    client.disconnect();
  }
}
