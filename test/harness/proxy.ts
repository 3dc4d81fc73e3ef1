import { connect, createServer, type Socket } from "node:net";
import { atEnd } from "./cleanup.ts";

/** A wire to a server that can go dead, as when a host loses power: nothing comes back, and nothing says so. */
export class TestProxy {
  readonly #pairs = new Set<[Socket, Socket]>();

  private constructor(readonly port: number) {}

  static start(targetPort: number): Promise<TestProxy> {
    return new Promise((resolve) => {
      const server = createServer((client) => {
        const upstream = connect(targetPort, "127.0.0.1");
        const pair: [Socket, Socket] = [client, upstream];
        proxy.#pairs.add(pair);
        client.on("data", (data) => upstream.write(data));
        upstream.on("data", (data) => client.write(data));
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
