import { expect, test } from "bun:test";
import { KeptConnections } from "../../harness/requests/kept-connections.ts";
import { getRequest } from "../../harness/requests/load.ts";
import { RawConnection } from "../../harness/requests/raw.ts";
import { startService } from "../../harness/service/service.ts";
import { querySqlite } from "../../harness/service/stores.ts";

// A stop of four threads is one stop.

const env = { THREADS: "4", DRAIN_SECONDS: "300" };
const CONNECTIONS = 48;

test("while the service drains, every thread says that it is not ready, and ends its connections with their next response", async () => {
  const service = await startService({ env, quietMs: 50 });
  const { origin, boundless } = service;
  const connections = await KeptConnections.open(service);
  for (const { headers } of await connections.callAll("GET /pets")) expect(headers.get("connection")).not.toBe("close");
  const body = '{"name":"Last","categoryId":1}';
  const fields = {
    Authorization: `Bearer ${boundless}`,
    "Content-Type": "application/json",
    "Content-Length": String(body.length),
  };
  const uploads = await Promise.all(Array.from({ length: CONNECTIONS }, () => RawConnection.open(origin)));
  for (const upload of uploads) upload.send(getRequest("/v1/pets", fields).replace("GET", "POST"));

  const stopped = service.stop();
  const ready = () => fetch(`${origin}/readyz`, { headers: { Connection: "close" } });
  const statuses = async () => (await Promise.all(Array.from({ length: 40 }, ready))).map(({ status }) => status);
  while ((await statuses()).includes(200)) await Bun.sleep(1);
  const last = await connections.callAll("GET /pets");
  expect(new Set(last.map(({ status, headers }) => `${status} ${headers.get("connection")}`))).toEqual(
    new Set(["200 close"]),
  );
  // A connection that is accepted while the service drains.
  expect((await service.call("POST /pets", { body })).status).toBe(201);

  const stoppedAtOnce = service.stop({ atOnce: true });
  for (const upload of uploads) upload.send(body);
  const created = await Promise.all(uploads.map((upload) => upload.until(() => false)));
  for (const answer of created) expect(answer).toStartWith("HTTP/1.1 201 ");
  await Promise.all([stopped, stoppedAtOnce]);
  await expect(RawConnection.open(origin)).rejects.toThrow();
  expect(querySqlite(service.path, "SELECT id FROM animals")).toHaveLength(CONNECTIONS + 1);
});

test("a service that is stopped before its threads have started stops all the same", async () => {
  for (const waitMs of [0, 90, 110, 150]) {
    const service = await startService({ env, isComplete: false, secret: "none" });
    await Bun.sleep(waitMs);
    await service.stop({ atOnce: true });
    await expect(RawConnection.open(service.origin)).rejects.toThrow();
  }
});
