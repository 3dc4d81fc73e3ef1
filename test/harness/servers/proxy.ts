import { connect, createServer, type Socket } from "node:net";
import { atEnd } from "../cleanup.ts";

/** The fate of new connections: forwarded to the server, refused, or accepted without any response. */
type NewConnections = "carried" | "closed" | "swallowed";

/** A transaction whose answers take longer together is slow: most of the 1.8 s for which an instance waits. */
const SLOW_MS = 1_000;
const TURN_MS = 50;
/** This process forwards the answers of a transaction in about six turns, each of which may come late. */
const LATE_MS = SLOW_MS / 6;

/** A TCP proxy that can be slow, break, lead elsewhere, or fall silent like a host that loses power. */
export class TestProxy {
  /** The delay in each direction. */
  delayMs = 0;
  /** The target of new connections; open ones stay where they are. */
  targetPort: number;
  newConnections: NewConnections = "carried";
  /** The number of connections that were ever opened. */
  accepted = 0;
  /** Called for each chunk from the server: this many bytes arrive, then the connection breaks. */
  cutAnswer: ((piece: Buffer) => number | undefined) | undefined;
  readonly #pairs = new Set<[Socket, Socket]>();
  /** When clients sent what the server has not begun to answer. */
  readonly #askedAtMs = new Map<[Socket, Socket], number>();
  /** The time for which clients have waited for answers within their transactions. */
  readonly #waitedMs = new WeakMap<[Socket, Socket], number>();
  #lastSlowAtMs = Number.NEGATIVE_INFINITY;
  #lastTurnAtMs = performance.now();
  readonly #turns = setInterval(() => this.#noteTurn(), TURN_MS);
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
        clearInterval(proxy.#turns);
        proxy.cut();
        server.close();
      });
    });
  }

  #accept(client: Socket): void {
    this.accepted++;
    client.on("error", () => {});
    if (this.newConnections === "closed") return void client.destroy();
    const upstream = connect(this.targetPort, "127.0.0.1");
    const pair: [Socket, Socket] = [client, upstream];
    this.#pairs.add(pair);
    client.on("data", this.#carrier(upstream));
    upstream.on("data", this.#carrier(client, pair));
    client.on("data", () => {
      if (!this.#askedAtMs.has(pair)) this.#askedAtMs.set(pair, performance.now());
    });
    upstream.on("data", (data: Buffer) => this.#answered(pair, data));
    for (const [socket, other] of [pair, [upstream, client]] as const) {
      socket.on("error", () => {});
      socket.on("close", () => {
        this.#answered(pair);
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

  /** Notes an answer, or that the connection was closed in its place. */
  #answered(pair: [Socket, Socket], answer?: Buffer): void {
    const nowMs = performance.now();
    const waitedMs = (this.#waitedMs.get(pair) ?? 0) + nowMs - (this.#askedAtMs.get(pair) ?? nowMs);
    this.#askedAtMs.delete(pair);
    if (waitedMs > SLOW_MS) this.#lastSlowAtMs = nowMs;
    this.#waitedMs.set(pair, answer && isIdle(answer) ? 0 : waitedMs);
  }

  /** Called every TURN_MS, unless other work of this process, or of the machine, comes first. */
  #noteTurn(): void {
    const nowMs = performance.now();
    if (nowMs - this.#lastTurnAtMs > TURN_MS + LATE_MS) this.#lastSlowAtMs = nowMs;
    this.#lastTurnAtMs = nowMs;
  }

  /** Returns whether a client has waited long for the server since then, as on a busy machine, or still does. */
  wasSlowSince(ms: number): boolean {
    this.#noteTurn();
    const nowMs = performance.now();
    return this.#lastSlowAtMs > ms || [...this.#askedAtMs.values()].some((askedAtMs) => nowMs - askedAtMs > SLOW_MS);
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

/** PostgreSQL's ReadyForQuery, outside of a transaction. */
const IDLE = Buffer.from("Z\0\0\0\x05I", "latin1");
const isIdle = (answer: Buffer): boolean => answer.subarray(-IDLE.length).equals(IDLE);

/** Silences a connection, even if the server ends. */
function silence([client, upstream]: readonly [Socket, Socket]): void {
  for (const socket of [client, upstream]) {
    socket.removeAllListeners("data");
    socket.resume();
  }
  upstream.removeAllListeners("close");
}
