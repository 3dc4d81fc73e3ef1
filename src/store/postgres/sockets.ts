import { connect, type Socket } from "node:net";

/** Longer than the statement timeout, within which a server that is alive responds to every statement. */
const SILENCE_TIMEOUT_MS = 3_000;
const CHECK_INTERVAL_MS = 500;

interface Watched {
  bytesRead: number;
  /** As of when something was last received. */
  bytesWritten: number;
  silentSinceMs: number | undefined;
}

/**
 * The sockets of a pool. One that was written to and stays silent, because its other end has lost power
 * or its address has moved, is destroyed, so that the pool opens a new one.
 */
export class Sockets {
  readonly #watched = new Map<Socket, Watched>();
  #timer: Timer | undefined;

  /** For the driver's `socket` option. The driver waits for the connection. */
  readonly open = ({ host, port, path }: { host: string[]; port: number[]; path?: string }): Socket => {
    const socket = path ? connect(path) : connect(port[0] as number, host[0] as string);
    socket.setKeepAlive(true, 10_000);
    this.#watched.set(socket, { bytesRead: 0, bytesWritten: 0, silentSinceMs: undefined });
    socket.once("close", () => this.#watched.delete(socket));
    return socket;
  };

  watch(): void {
    this.#timer = setInterval(() => {
      for (const [socket, seen] of this.#watched) check(socket, seen, performance.now());
    }, CHECK_INTERVAL_MS);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

function check(socket: Socket, seen: Watched, nowMs: number): void {
  if (socket.bytesRead !== seen.bytesRead) {
    seen.bytesRead = socket.bytesRead;
    seen.bytesWritten = socket.bytesWritten;
    seen.silentSinceMs = undefined;
  } else if (socket.bytesWritten > seen.bytesWritten) {
    seen.silentSinceMs ??= nowMs;
    if (nowMs - seen.silentSinceMs > SILENCE_TIMEOUT_MS) socket.destroy();
  }
}
