import { connect, createServer, type Socket } from "node:net";
import { atEnd } from "../cleanup.ts";

/** The fate of new connections: forwarded to the server, refused, or accepted without any response. */
type NewConnections = "carried" | "closed" | "swallowed";

/** A TCP proxy that can be slow, break, lead elsewhere, or fall silent like a host that loses power. */
export class TestProxy {
  /** The delay in each direction. */
  delayMs = 0;
  /** The target of new connections; open ones stay where they are. */
  targetPort: number;
  newConnections: NewConnections = "carried";
  /** Called for each chunk from the server: this many bytes arrive, then the connection breaks. */
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

  /** Forwards data in order, even with delays. */
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

  /** Holds back all data until the returned function is called. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held = promise;
    return () => {
      this.#held = undefined;
      resolve();
    };
  }

  /** The number of open connections. */
  get connections(): number {
    return this.#pairs.size;
  }

  /** Silences the open connections; new ones work. */
  silence(): void {
    for (const pair of this.#pairs) silence(pair);
  }

  /** Breaks the open connections. */
  cut(): void {
    for (const [client, upstream] of this.#pairs) {
      client.destroy();
      upstream.destroy();
    }
  }
}

/** Silences a connection, even if the server ends. */
function silence([client, upstream]: readonly [Socket, Socket]): void {
  for (const socket of [client, upstream]) {
    socket.removeAllListeners("data");
    socket.resume();
  }
  upstream.removeAllListeners("close");
}
