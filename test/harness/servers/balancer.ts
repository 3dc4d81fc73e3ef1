import { connect, createServer, type Server, type Socket } from "node:net";
import { atEnd } from "../cleanup.ts";

/** The interval of /readyz probes, longer than a stop without DRAIN_SECONDS takes. */
const PROBE_INTERVAL_MS = 800;

/**
 * A TCP load balancer like that of Kubernetes: it assigns new connections in turn to instances whose /readyz returns
 * 200. Open connections stay where they are, whatever /readyz says.
 */
export class TestBalancer {
  readonly #ready = new Set<string>();
  readonly #sockets = new Set<Socket>();
  #turn = 0;

  private constructor(
    private readonly server: Server,
    private readonly instances: readonly string[],
  ) {}

  static start(instances: readonly string[]): Promise<TestBalancer> {
    return new Promise((resolve) => {
      const server = createServer((client) => balancer.#handOn(client));
      const balancer = new TestBalancer(server, instances);
      server.listen(0, "127.0.0.1", async () => {
        await balancer.probe();
        // Sequential, so that a late response cannot override a newer one.
        let timer = setTimeout(probeAgain, PROBE_INTERVAL_MS);
        let isOver = false;
        async function probeAgain(): Promise<void> {
          await balancer.probe();
          if (!isOver) timer = setTimeout(probeAgain, PROBE_INTERVAL_MS);
        }
        atEnd(() => {
          isOver = true;
          clearTimeout(timer);
          server.close();
          for (const socket of balancer.#sockets) socket.destroy();
        });
        resolve(balancer);
      });
    });
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as { port: number }).port}`;
  }

  /** True if an instance gets new connections. */
  uses(instance: string): boolean {
    return this.#ready.has(instance);
  }

  /** Probes all instances now. */
  async probe(): Promise<void> {
    await Promise.all(
      this.instances.map(async (instance) => {
        const headers = { Connection: "close" };
        const isReady = await fetch(`${instance}/readyz`, { headers }).then(
          ({ ok }) => ok,
          () => false,
        );
        if (isReady) this.#ready.add(instance);
        else this.#ready.delete(instance);
      }),
    );
  }

  #handOn(client: Socket): void {
    const ready = this.instances.filter((instance) => this.#ready.has(instance));
    const instance = ready[this.#turn++ % ready.length];
    if (instance === undefined) return void client.destroy();
    const upstream = connect(Number(new URL(instance).port), "127.0.0.1");
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.#sockets.add(from);
      from.setNoDelay(true);
      from.on("data", (data) => void to.write(data));
      from.on("end", () => to.end());
      from.on("error", () => to.resetAndDestroy());
      from.on("close", () => this.#sockets.delete(from));
    }
  }
}
