import { connect, type Socket } from "node:net";

/** A server that is alive says something to every statement within its own time-out, so this is the end. */
const SILENT_MAX_MS = 3_000;
const LOOK_EVERY_MS = 500;

interface Watched {
  bytesRead: number;
  /** How much was sent when something last came back. */
  bytesWritten: number;
  silentSinceMs: number | undefined;
}

/**
 * The sockets of a pool. One that was written to and never answers again, because its other end has
 * lost power or an address has moved, is destroyed, so that the pool makes a new one.
 */
export class Sockets {
  readonly #watched = new Map<Socket, Watched>();
  #timer: Timer | undefined;

  /** For the client's `socket` option: it waits for the connection by itself. */
  readonly open = ({ host, port, path }: { host: string[]; port: number[]; path?: string }): Socket => {
    const socket = path ? connect(path) : connect(port[0] as number, host[0] as string);
    socket.setKeepAlive(true, 10_000);
    this.#watched.set(socket, { bytesRead: 0, bytesWritten: 0, silentSinceMs: undefined });
    socket.once("close", () => this.#watched.delete(socket));
    return socket;
  };

  watch(): void {
    this.#timer = setInterval(() => {
      for (const [socket, seen] of this.#watched) look(socket, seen, performance.now());
    }, LOOK_EVERY_MS);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

function look(socket: Socket, seen: Watched, nowMs: number): void {
  if (socket.bytesRead !== seen.bytesRead) {
    seen.bytesRead = socket.bytesRead;
    seen.bytesWritten = socket.bytesWritten;
    seen.silentSinceMs = undefined;
  } else if (socket.bytesWritten > seen.bytesWritten) {
    seen.silentSinceMs ??= nowMs;
    if (nowMs - seen.silentSinceMs > SILENT_MAX_MS) socket.destroy();
  }
}
