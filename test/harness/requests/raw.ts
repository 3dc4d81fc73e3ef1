import { connect, type Socket } from "node:net";

/** A raw connection, for bytes that no HTTP client would send. */
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

  /** The address to connect from, such as 127.0.0.2, is up to the system by default. */
  static open(origin: string, localAddress?: string): Promise<RawConnection> {
    const { hostname: host, port } = new URL(origin);
    return new Promise((resolve, reject) => {
      const options = { host, port: Number(port), ...(localAddress === undefined ? {} : { localAddress }) };
      const socket = connect(options, () => resolve(new RawConnection(socket)));
      socket.once("error", reject);
    });
  }

  /** True if the peer has closed it. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  send(text: string | Uint8Array): void {
    this.socket.write(text);
  }

  /** Half-closes: the peer can still respond. */
  end(): void {
    this.socket.end();
  }

  /** Closes the connection abruptly. */
  destroy(): void {
    this.socket.destroy();
  }

  /** Resolves to everything received once the predicate holds, or the peer has closed. */
  async until(predicate: (received: string) => boolean): Promise<string> {
    while (!predicate(this.#received) && !this.#isClosed)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    return this.#received;
  }

  /** Clears what was received. */
  forget(): void {
    this.#received = "";
  }

  /** Resolves to one complete response with a Content-Length. */
  answer(): Promise<string> {
    return this.until((received) => {
      const end = received.indexOf("\r\n\r\n");
      if (end === -1) return false;
      const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0);
      return received.length >= end + 4 + length;
    });
  }
}
