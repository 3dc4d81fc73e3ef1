import { connect, createServer, type Socket } from "node:net";
import { atEnd } from "../cleanup.ts";

/** What becomes of new connections: they reach the server, are refused, or accepted by a host that does nothing. */
type NewConnections = "carried" | "closed" | "swallowed";

/** A wire to a server that can be slow, break, lead elsewhere, or go dead as when a host loses power. */
export class TestProxy {
  /** How long whatever is sent now takes, each way. */
  delayMs = 0;
  /** Where new connections lead; those that there are stay where they are. */
  targetPort: number;
  newConnections: NewConnections = "carried";
  /** Asked about each piece that the server sends: so many bytes of it arrive, then the connection breaks. */
  cutAnswer: ((piece: Buffer) => number | undefined) | undefined;
  readonly #pairs = new Set<[Socket, Socket]>();
  #held: Promise<void> | undefined;

  private constructor(
    readonly port: number,
    targetPort: number,
  ) {
    this.targetPort = targetPort;
  }

  static start(targetPort: number): Promise<TestProxy> {
    return new Promise((resolve) => {
      const server = createServer((client) => proxy.#accept(client));
      let proxy: TestProxy;
      server.listen(0, "127.0.0.1", () => {
        proxy = new TestProxy((server.address() as { port: number }).port, targetPort);
        resolve(proxy);
      });
      atEnd(() => {
        proxy.cut();
        server.close();
      });
    });
  }

  #accept(client: Socket): void {
    client.on("error", () => {});
    if (this.newConnections === "closed") return void client.destroy();
    const upstream = connect(this.targetPort, "127.0.0.1");
    const pair: [Socket, Socket] = [client, upstream];
    this.#pairs.add(pair);
    client.on("data", this.#carrier(upstream));
    upstream.on("data", this.#carrier(client, pair));
    for (const [socket, other] of [pair, [upstream, client]] as const) {
      socket.on("error", () => {});
      socket.on("close", () => {
        this.#pairs.delete(pair);
        other.destroy();
      });
    }
    if (this.newConnections === "swallowed") silence(pair);
  }

  /** Delays keep the order. */
  #carrier(to: Socket, answered?: [Socket, Socket]): (data: Buffer) => void {
    let earlier = Promise.resolve();
    return (data) => {
      const arrived = this.#held ?? (this.delayMs === 0 ? undefined : Bun.sleep(this.delayMs));
      const arriving = answered && this.cutAnswer?.(data);
      earlier = earlier.then(() => arrived).then(() => void to.write(data.subarray(0, arriving)));
      if (arriving === undefined) return;
      silence(answered as [Socket, Socket]);
      void earlier.then(() => setTimeout(() => to.destroy(), 1));
    };
  }

  /** From now on nothing arrives, until the function that this returns is called. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held = promise;
    return () => {
      this.#held = undefined;
      resolve();
    };
  }

  /** How many connections there are. */
  get connections(): number {
    return this.#pairs.size;
  }

  /** The connections that there are go dead; new ones work. */
  silence(): void {
    for (const pair of this.#pairs) silence(pair);
  }

  /** The connections that there are break. */
  cut(): void {
    for (const [client, upstream] of this.#pairs) {
      client.destroy();
      upstream.destroy();
    }
  }
}

/** Nothing comes back, and nothing says so, even if the server ends. */
function silence([client, upstream]: readonly [Socket, Socket]): void {
  for (const socket of [client, upstream]) {
    socket.removeAllListeners("data");
    socket.resume();
  }
  upstream.removeAllListeners("close");
}
