import { connect, type Socket } from "node:net";

/** A bare connection, for what no HTTP client would send. */
export class RawConnection {
  #received = "";
  #isClosed = false;
  #wake: () => void = () => {};

  private constructor(private readonly socket: Socket) {
    socket.on("data", (chunk) => {
      this.#received += chunk.toString("latin1");
      this.#wake();
    });
    socket.on("close", () => {
      this.#isClosed = true;
      this.#wake();
    });
    socket.on("error", () => {});
  }

  static open(origin: string): Promise<RawConnection> {
    const { hostname, port } = new URL(origin);
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => resolve(new RawConnection(socket)));
      socket.once("error", reject);
    });
  }

  /** Whether the peer has closed it. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  send(text: string | Uint8Array): void {
    this.socket.write(text);
  }

  /** Shuts down this side; the peer can still answer. */
  end(): void {
    this.socket.end();
  }

  /** Cuts the connection, without a goodbye. */
  destroy(): void {
    this.socket.destroy();
  }

  /** All that has come once the predicate holds, or the peer has closed. */
  async until(predicate: (received: string) => boolean): Promise<string> {
    while (!predicate(this.#received) && !this.#isClosed)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    return this.#received;
  }

  /** Begins to collect anew. */
  forget(): void {
    this.#received = "";
  }

  /** One whole answer with a Content-Length. */
  answer(): Promise<string> {
    return this.until((received) => {
      const end = received.indexOf("\r\n\r\n");
      if (end === -1) return false;
      const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0);
      return received.length >= end + 4 + length;
    });
  }
}
