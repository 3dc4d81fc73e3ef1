import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";

/** Below the ephemeral ports, so that no one else takes a port between its choice and its use. */
const PORTS = { from: 12_000, count: 20_000 };

/** A port that nothing listens on now. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.from + Math.floor(Math.random() * PORTS.count);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, () => server.close(() => resolve(true)));
  });
}

/** True if something accepts connections on the port. */
export const isListening = (port: number): Promise<boolean> =>
  Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } }).then(
    (socket) => {
      socket.end();
      return true;
    },
    () => false,
  );

/** The number of sockets that listen on the port of an origin, one for each thread. Known on Linux only. */
export function listenersOn(origin: string): number {
  const port = Number(new URL(origin).port).toString(16).toUpperCase().padStart(4, "0");
  const isListening = new RegExp(`^ *\\d+: [0-9A-F]+:${port} [0-9A-F:]+ 0A `);
  return ["/proc/net/tcp", "/proc/net/tcp6"]
    .filter((file) => existsSync(file))
    .flatMap((file) => readFileSync(file, "utf8").split("\n"))
    .filter((line) => isListening.test(line)).length;
}
