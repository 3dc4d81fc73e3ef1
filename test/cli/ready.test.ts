import { expect, test } from "bun:test";
import { type AddressInfo, createServer } from "node:net";
import { whyNotReady } from "../../src/cli/ready.ts";
import { temporaryFolder } from "../harness/folder.ts";
import { run, serve } from "../harness/program/program.ts";
import { freePort } from "../harness/servers/port.ts";
import { StandIn } from "../harness/servers/stand-in.ts";

const ready = (env: Record<string, string>, ...options: string[]) =>
  run(["ready", ...options], { cwd: temporaryFolder(), env });

test("ready asks the service that listens where the settings say, and not a proxy", async () => {
  const service = await serve({ cwd: temporaryFolder(), env: { HOST: "0.0.0.0" } });
  const PORT = new URL(service.origin).port;
  const isReady = { exitCode: 0, out: "ready\n", err: "" };
  expect(await ready({ PORT, HOST: "0.0.0.0" })).toEqual(isReady);
  expect(await ready({ PORT })).toEqual(isReady);
  const json = await ready({ PORT }, "--json");
  expect([json.exitCode, JSON.parse(json.out)]).toEqual([0, { ready: true, reason: null }]);
  expect(await ready({ PORT, HOST: "localhost", HTTP_PROXY: "http://127.0.0.1:1" })).toEqual(isReady);
  await service.kill("SIGTERM");
  const { exitCode, err } = await ready({ PORT });
  expect(exitCode).toBe(1);
  expect(err).toStartWith(`animal-store: no answer from http://127.0.0.1:${PORT}/readyz: `);
  expect(err.trim().split("\n")).toHaveLength(1);
});

test("an answer other than 200 is not ready, and neither is none", async () => {
  const unready = Bun.serve({ port: 0, fetch: () => new Response("{}", { status: 503 }) });
  expect(await ready({ PORT: String(unready.port) })).toEqual({
    exitCode: 1,
    out: "",
    err: `animal-store: not ready: http://127.0.0.1:${unready.port}/readyz answered 503. The service's log has the cause\n`,
  });
  const json = await ready({ PORT: String(unready.port) }, "--json");
  expect([json.exitCode, json.err, JSON.parse(json.out)]).toEqual([
    1,
    "",
    { ready: false, reason: expect.stringContaining("answered 503") },
  ]);
  await unready.stop(true);
  const hung = await StandIn.start();
  hung.isHung = true;
  expect(await whyNotReady({ HOST: "127.0.0.1", PORT: hung.port }, 20)).toContain("nothing within 0.02 s");
});

test("an answer counts, even if its connection is reset afterwards", async () => {
  const resetting = createServer((connection) => {
    connection.once("data", () => {
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n", () =>
        setTimeout(() => connection.resetAndDestroy(), 100),
      );
    });
  }).listen(0);
  const PORT = String((resetting.address() as AddressInfo).port);
  expect(await ready({ PORT })).toEqual({ exitCode: 0, out: "ready\n", err: "" });
  resetting.close();
});

test("a port that is not known cannot be asked", async () => {
  expect(await ready({ PORT: "0" })).toMatchObject({ exitCode: 1, err: expect.stringContaining("PORT is 0") });
  expect(await ready({ PORT: String(await freePort()), HOST: "::1" })).toMatchObject({
    exitCode: 1,
    err: expect.stringContaining("no answer from http://[::1]:"),
  });
});
