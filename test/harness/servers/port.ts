import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";

/** A port that nothing listens on now. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

/** Whether something accepts connections there. */
export const isListening = (port: number): Promise<boolean> =>
  Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } }).then(
    (socket) => {
      socket.end();
      return true;
    },
    () => false,
  );

/** How many sockets listen on the port of an origin: one for each thread that answers. Known on Linux only. */
export function listenersOn(origin: string): number {
  const port = Number(new URL(origin).port).toString(16).toUpperCase().padStart(4, "0");
  const isListening = new RegExp(`^ *\\d+: [0-9A-F]+:${port} [0-9A-F:]+ 0A `);
  return ["/proc/net/tcp", "/proc/net/tcp6"]
    .filter((file) => existsSync(file))
    .flatMap((file) => readFileSync(file, "utf8").split("\n"))
    .filter((line) => isListening.test(line)).length;
}
