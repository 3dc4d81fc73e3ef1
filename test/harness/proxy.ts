import { connect, createServer, type Socket } from "node:net";
import { atEnd } from "./cleanup.ts";

/** A wire to a server that can be slow, or go dead as when a host loses power: nothing comes back, and nothing says so. */
export class TestProxy {
  /** How long whatever is sent now takes, each way. */
  delayMs = 0;
  readonly #pairs = new Set<[Socket, Socket]>();

  private constructor(readonly port: number) {}

  static start(targetPort: number): Promise<TestProxy> {
    return new Promise((resolve) => {
      const server = createServer((client) => {
        const upstream = connect(targetPort, "127.0.0.1");
        const pair: [Socket, Socket] = [client, upstream];
        proxy.#pairs.add(pair);
        client.on("data", proxy.#carrier(upstream));
        upstream.on("data", proxy.#carrier(client));
        for (const [socket, other] of [pair, [upstream, client]] as const) {
          socket.on("error", () => {});
          socket.on("close", () => {
            proxy.#pairs.delete(pair);
            other.destroy();
          });
        }
      });
      let proxy: TestProxy;
      server.listen(0, "127.0.0.1", () => {
        proxy = new TestProxy((server.address() as { port: number }).port);
        resolve(proxy);
      });
      atEnd(() => server.close());
    });
  }

  /** Delays keep the order. */
  #carrier(to: Socket): (data: Buffer) => void {
    let earlier = Promise.resolve();
    return (data) => {
      const arrived = this.delayMs === 0 ? undefined : Bun.sleep(this.delayMs);
      earlier = earlier.then(() => arrived).then(() => void to.write(data));
    };
  }

  /** The connections that there are go dead; new ones work. */
  silence(): void {
    for (const [client, upstream] of this.#pairs) {
      client.removeAllListeners("data");
      upstream.removeAllListeners("data");
      client.resume();
      upstream.resume();
    }
  }
}
