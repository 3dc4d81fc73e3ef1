import type { Socket } from "bun";

/** What every response begins with, and no body of ours contains. */
const ANSWER = "HTTP/1.1 ";

/** A bare connection that is cheap enough to have thousands of, for what no HTTP client would send. */
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

  /** `keep: false` only counts the responses that it receives. Fails when nobody accepts it. */
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

  /** How many responses have begun to arrive. */
  get answersBegun(): number {
    return this.#answersBegun;
  }

  /** All that has come so far, one character per byte. */
  get received(): string {
    if (this.#received.length > 1) this.#received = [Buffer.concat(this.#received)];
    return this.#received[0]?.toString("latin1") ?? "";
  }

  /** Forgets what has come, and returns it. */
  takeReceived(): string {
    const { received } = this;
    this.#received = [];
    return received;
  }

  send(bytes: Uint8Array): void {
    this.#unsent.push(bytes);
    this.#flush();
  }

  /** Whether the peer has stopped taking what is sent. */
  get isStuck(): boolean {
    return this.#unsent.length > 0;
  }

  pauseReading(): void {
    this.#socket?.pause();
  }

  /** Says that nothing more will be sent; answers can still come. */
  shutdown(): void {
    this.#socket?.shutdown(true);
  }

  /** Cuts the connection, without a goodbye. */
  cut(): void {
    this.#socket?.terminate();
    this.#close();
  }

  /** Whether the condition came to hold, or the peer closed, within this time. */
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
