import { describe, expect, test } from "bun:test";
import { sharePort } from "./share-port.ts";

const listen = (reusePort: boolean, port = 0, hostname = "127.0.0.1") =>
  Bun.serve({ port, hostname, reusePort, development: false, fetch: () => new Response("ok") });

describe.if(process.platform === "linux")("a port", () => {
  for (const hostname of ["127.0.0.1", "::1"])
    test(`on ${hostname} that one socket listens on can be shared from then on`, async () => {
      const first = listen(false, 0, hostname);
      const port = first.port as number;
      expect(() => listen(true, port, hostname)).toThrow();
      expect(sharePort(port)).toBe(true);
      const second = listen(true, port, hostname);
      // Only sockets that ask for sharing get the port.
      expect(() => listen(false, port, hostname)).toThrow();
      await Promise.all([first.stop(true), second.stop(true)]);
    });

  test("that nobody listens on cannot, not even if a connection of this process has that number", async () => {
    const server = listen(false);
    const socket = await Bun.connect({
      hostname: "127.0.0.1",
      port: server.port as number,
      socket: { data() {} },
    });
    expect(sharePort(socket.localPort)).toBe(false);
    socket.end();
    await server.stop(true);
    expect(sharePort(server.port ?? 1)).toBe(false);
  });
});
