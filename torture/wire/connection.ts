import type { Socket } from "bun";

/** Every response begins with this, and no body of ours contains it. */
const ANSWER = "HTTP/1.1 ";

/** A raw connection, for bytes that no HTTP client would send, cheap enough to have thousands of. */
export class Connection {
  #socket: Socket | undefined;
  #received: Buffer[] = [];
  #receivedBytes = 0;
  #answersBegun = 0;
  #tail = "";
  #unsent: Uint8Array[] = [];
  #isClosed = false;
  #wake: () => void = () => {};

  private constructor(private readonly keep: boolean) {}

  /** `keep: false` only counts responses. Rejects if the connection is refused. */
  static async open(origin: string, { keep = true } = {}): Promise<Connection> {
    const connection = new Connection(keep);
    const { hostname, port } = new URL(origin);
    connection.#socket = await Bun.connect({
      hostname: hostname.replace(/^\[|\]$/g, ""),
      port: Number(port),
      socket: {
        data: (_, chunk) => connection.#take(chunk),
        drain: () => connection.#flush(),
        close: () => connection.#close(),
        error: () => connection.#close(),
        connectError() {},
      },
    });
    connection.#socket.setNoDelay(true);
    return connection;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get receivedBytes(): number {
    return this.#receivedBytes;
  }

  /** The number of responses that have begun to arrive. */
  get answersBegun(): number {
    return this.#answersBegun;
  }

  /** All bytes received so far, one character each. */
  get received(): string {
    if (this.#received.length > 1) this.#received = [Buffer.concat(this.#received)];
    return this.#received[0]?.toString("latin1") ?? "";
  }

  /** Returns the received bytes, and clears them. */
  takeReceived(): string {
    const { received } = this;
    this.#received = [];
    return received;
  }

  send(bytes: Uint8Array): void {
    this.#unsent.push(bytes);
    this.#flush();
  }

  /** True if the peer has stopped reading. */
  get isStuck(): boolean {
    return this.#unsent.length > 0;
  }

  pauseReading(): void {
    this.#socket?.pause();
  }

  /** Half-closes: nothing more will be sent, but responses can still arrive. */
  shutdown(): void {
    this.#socket?.shutdown(true);
  }

  /** Closes the connection abruptly. */
  cut(): void {
    this.#socket?.terminate();
    this.#close();
  }

  /** Waits until the condition holds or the peer closes. False after a timeout. */
  async until(condition: () => boolean, timeoutMs: number): Promise<boolean> {
    const deadlineMs = performance.now() + timeoutMs;
    while (!condition() && !this.#isClosed) {
      const leftMs = deadlineMs - performance.now();
      if (leftMs <= 0) return false;
      await this.#change(leftMs);
    }
    return true;
  }

  #change(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #take(chunk: Buffer): void {
    this.#receivedBytes += chunk.length;
    if (this.keep) this.#received.push(chunk);
    else this.#countAnswers(chunk);
    this.#wake();
  }

  #countAnswers(chunk: Buffer): void {
    const text = this.#tail + chunk.toString("latin1");
    for (let at = text.indexOf(ANSWER); at !== -1; at = text.indexOf(ANSWER, at + ANSWER.length)) this.#answersBegun++;
    this.#tail = text.slice(1 - ANSWER.length);
  }

  #flush(): void {
    for (let next = this.#unsent[0]; next && !this.#isClosed; next = this.#unsent[0]) {
      const sent = this.#socket?.write(next) ?? 0;
      if (sent < 0) this.#close();
      else if (sent < next.length) {
        this.#unsent[0] = next.subarray(sent);
        return;
      }
      this.#unsent.shift();
    }
  }

  #close(): void {
    this.#isClosed = true;
    this.#unsent = [];
    this.#wake();
  }
}
