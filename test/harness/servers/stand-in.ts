import { createServer, type Server, type Socket } from "node:net";
import { atEnd } from "../cleanup.ts";
import { freePort } from "./port.ts";

/** A misbehaving instance: it answers any path, closes without a response on /silent, and never answers /hang. */
export class StandIn {
  /** The received request lines. */
  readonly received: string[] = [];
  /** Hangs on every path. */
  isHung = false;
  /** Closes without a response on every path. */
  isSilent = false;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;

  private constructor(readonly port: number) {}

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  static async start(): Promise<StandIn> {
    const standIn = new StandIn(await freePort());
    await standIn.start();
    atEnd(() => standIn.stop());
    return standIn;
  }

  start(): Promise<void> {
    return new Promise((resolve) => {
      this.#server = createServer((socket) => this.#serve(socket)).listen(this.port, "127.0.0.1", resolve);
    });
  }

  /** Refuses connections, as if its process was killed. */
  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => (this.#server ? this.#server.close(() => resolve()) : resolve()));
    this.#server = undefined;
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    let received = "";
    socket.on("error", () => {});
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("data", (data) => {
      received += data.toString("latin1");
      const end = received.indexOf("\r\n\r\n");
      const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0);
      if (end === -1 || received.length < end + 4 + length) return;
      const line = received.slice(0, received.indexOf(" HTTP/"));
      received = "";
      this.received.push(line);
      if (this.isSilent || line.endsWith("/silent")) socket.destroy();
      else if (!this.isHung && !line.endsWith("/hang"))
        socket.write("HTTP/1.1 200 OK\r\nX-Request-Id: x\r\nContent-Length: 2\r\n\r\n{}");
    });
  }
}
