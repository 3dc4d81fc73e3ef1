import { describe, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { temporaryFolder } from "../harness/folder.ts";
import { EXECUTABLE, issueBoundlessKey, run, serve } from "../harness/program/program.ts";
import { clientOf } from "../harness/requests/client.ts";
import { getRequest, KeepAliveLoad } from "../harness/requests/load.ts";
import { freePort } from "../harness/servers/port.ts";

describe("a stop under load", () => {
  /** More of them show what is rare. */
  const STOPS = Number(process.env.STOPS ?? 2);
  const CONNECTIONS = 32;

  for (const [clients, reconnects] of [
    ["that keep their connections", false],
    ["that open another connection when one is closed", true],
  ] as const)
    test(`loses no request of clients ${clients}, and tells each that its connection is closed`, async () => {
      const cwd = temporaryFolder();
      const secret = await issueBoundlessKey({ cwd });
      const request = getRequest("/v1/pets", { Authorization: `Bearer ${secret}` });
      for (let stop = 0; stop < STOPS; stop++) {
        const service = await serve({ cwd, threads: 4 });
        const load = new KeepAliveLoad({ origin: service.origin, request, connections: CONNECTIONS, reconnects });
        while (load.answered < 10 * CONNECTIONS) await Bun.sleep(1);
        load.markStop();
        expect(await service.kill("SIGTERM")).toBe(0);
        await load.end();
        expect(load.lost).toBe(0);
        // On a machine that is too busy, a connection may be opened just before the port is closed, and lost with it.
        expect(load.lostLater).toBeLessThan(CONNECTIONS);
        expect(load.closed).toBeGreaterThanOrEqual(CONNECTIONS);
      }
    });
});

describe.if(process.platform === "linux")("the limit of open files", () => {
  const LIMIT = 256;
  const CONNECTIONS = 400;

  for (const [what, setting, end] of [
    ["that have sent a request", "PORT", "\r\n"],
    ["that never finish one", "PORT", ""],
    ["that go on sending them, on the console's port,", "CONSOLE_PORT", "\r\n"],
  ] as const)
    test(`is no obstacle: connections ${what} are closed, others are served, and it ends by itself`, async () => {
      const [metricsPort, consolePort] = [await freePort(), await freePort()];
      const cwd = temporaryFolder();
      const secret = await issueBoundlessKey({ cwd });
      const sent = `GET /v1/pets HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${secret}\r\n${end}`;
      const service = await serve({
        cwd,
        env: { METRICS_PORT: String(metricsPort), CONSOLE_PORT: String(consolePort) },
        // A thread that starts at the limit would end the service.
        threads: 2,
        wrap: ["sh", "-c", `ulimit -n ${LIMIT}; exec "$@"`, "sh"],
      });
      // The thread that writes needs files of its own, and is there after the first write.
      await clientOf(service, secret).pets.create({ name: "Rex", categoryId: 1 });
      // At the limit, a connection may be closed before it is served: whoever comes again is.
      const get = async (url: string): Promise<string> => {
        for (;;)
          try {
            return await (await fetch(url, { headers: { Connection: "close" } })).text();
          } catch {
            await Bun.sleep(20);
          }
      };
      const isLimited = async () =>
        /^animal_store_connections_limited 1$/m.test(await get(`http://127.0.0.1:${metricsPort}/metrics`));
      const until = async (condition: () => boolean | Promise<boolean>) => {
        while (!(await condition())) await Bun.sleep(20);
      };

      const { hostname, port } = new URL(service.origin);
      const besetPort = setting === "PORT" ? Number(port) : consolePort;
      const beset = async () => {
        let closed = 0;
        const sockets = Array.from({ length: CONNECTIONS }, (): Socket => {
          const socket = connect(besetPort, hostname, () => socket.write(sent));
          socket.on("error", () => {});
          socket.on("close", () => closed++);
          return socket.resume();
        });
        // The console's port closes idle connections by itself after a minute.
        const again = setInterval(() => {
          if (setting === "CONSOLE_PORT") for (const socket of sockets) socket.write(sent);
        }, 1_000);
        await until(() => closed > CONNECTIONS - LIMIT);
        clearInterval(again);
        expect(await get(`${service.origin}/healthz`)).toBe('{"status":"ok"}');
        const wasLimited = await isLimited();
        for (const socket of sockets) socket.destroy();
        await until(async () => !(await isLimited()));
        return wasLimited;
      };
      // On a busy machine, it may be over before the metrics are read.
      let times = 1;
      while (!(await beset())) times++;
      const lines = [...service.logged().matchAll(/the limit of open files is [a-z ]+/g)].map(([line]) => line);
      const pair = ["the limit of open files is near", "the limit of open files is no longer near"];
      expect(lines).toEqual(Array.from({ length: times }, () => pair).flat());
      expect(await service.kill("SIGTERM")).toBe(0);
    });

  test("that is too low for the console ends nothing: the console gets 503, and the log says why", async () => {
    const wrap = ["sh", "-c", 'ulimit -n 46; exec "$@"', "sh"];
    const service = await serve({ cwd: temporaryFolder(), threads: 4, wrap });
    for (const [path, status] of [
      ["/console/", 503],
      ["/healthz", 200],
      ["/console/", 503],
    ] as const)
      expect([path, (await fetch(`${service.origin}${path}`)).status]).toEqual([path, status]);
    expect(await service.kill("SIGTERM")).toBe(0);
    expect(service.logged()).toContain("too few files can be opened for the console: raise their limit (ulimit -n)");
  });
});

test.if(process.platform === "linux")(
  "a limit of the address space that is too low is named at the start",
  async () => {
    const program = ["sh", "-c", 'ulimit -v 2000000; exec "$@"', "sh", EXECUTABLE];
    const { exitCode, err } = await run(["serve"], { cwd: temporaryFolder(), program });
    expect([exitCode, err]).toEqual([
      1,
      expect.stringMatching(/^animal-store: cannot call .* set no limit .*ulimit -v/),
    ]);
  },
);
