import { describe, expect, test } from "bun:test";
import { temporaryFolder } from "../harness/folder.ts";
import { serve } from "../harness/program/program.ts";
import { getRequest } from "../harness/requests/load.ts";
import { RawConnection } from "../harness/requests/raw.ts";
import { startService } from "../harness/service/service.ts";

// The time between the signal to stop and the stop, while load balancers still send requests.

const isLast = ({ headers }: Response): boolean => headers.get("connection") === "close";

describe("for DRAIN_SECONDS after a stop has begun", () => {
  test("/readyz says 503 at once, everything else works, and every response is the last of its connection", async () => {
    const service = await startService({ env: { DRAIN_SECONDS: "300" } });
    const { origin, boundless } = service;
    const kept = await RawConnection.open(origin);
    kept.send(getRequest("/healthz"));
    await kept.answer();

    let hasStopped = false;
    const stopped = service.stop().then(() => {
      hasStopped = true;
    });
    const ready = await fetch(`${origin}/readyz`);
    expect([ready.status, isLast(ready)]).toEqual([503, true]);
    const headers = { Authorization: `Bearer ${boundless}`, "Content-Type": "application/json" };
    const created = await fetch(`${origin}/v1/pets`, { method: "POST", headers, body: '{"name":"A","categoryId":1}' });
    expect([created.status, isLast(created)]).toEqual([201, true]);
    for (const [path, status] of Object.entries({
      "/v1/pets": 200,
      "/healthz": 200,
      "/docs": 200,
      "/v1/nothing": 404,
    })) {
      const answer = await fetch(`${origin}${path}`, { headers });
      expect([path, answer.status, isLast(answer)]).toEqual([path, status, true]);
    }
    kept.send(getRequest("/v1/pets", headers));
    const all = await kept.until(() => false);
    expect(all).toContain('[{"id":1,"name":"A"');
    expect(all.toLowerCase().match(/connection: close/g)).toHaveLength(1);
    expect(hasStopped).toBe(false);

    const stoppedAtOnce = service.stop({ atOnce: true });
    await Promise.all([stopped, stoppedAtOnce]);
    await expect(RawConnection.open(origin)).rejects.toThrow();
  });

  test("SIGTERM drains, a second one changes nothing, and SIGINT stops at once: exit code 0", async () => {
    const service = await serve({ cwd: temporaryFolder(), env: { DRAIN_SECONDS: "300" } });
    const statusOf = async (path: string) => (await fetch(`${service.origin}${path}`)).status;
    for (let i = 0; i < 2; i++) {
      service.child.kill("SIGTERM");
      while ((await statusOf("/readyz")) !== 503) await Bun.sleep(1);
      expect(await statusOf("/healthz")).toBe(200);
    }
    expect(await service.kill("SIGINT")).toBe(0);
    expect(service.logged()).toContain('"msg":"stopped"');
  });

  test("SIGINT alone does not drain; SIGTERM does for as long as it is set to, and then exits", async () => {
    for (const [signal, seconds, shortestMs] of [
      ["SIGINT", "300", 0],
      ["SIGTERM", "1", 1_000],
    ] as const) {
      const service = await serve({ cwd: temporaryFolder(), env: { DRAIN_SECONDS: seconds } });
      const fromMs = performance.now();
      expect([signal, await service.kill(signal)]).toEqual([signal, 0]);
      expect(performance.now() - fromMs).toBeGreaterThanOrEqual(shortestMs);
    }
  });
});

test("until a service stops, its responses keep connections open, and a stop without DRAIN_SECONDS does not wait", async () => {
  const service = await startService();
  expect(isLast(await fetch(`${service.origin}/readyz`))).toBe(false);
  await service.stop();
  await expect(RawConnection.open(service.origin)).rejects.toThrow();
});
