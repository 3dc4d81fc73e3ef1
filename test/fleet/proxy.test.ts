import { describe, expect, test } from "bun:test";
import { OUTCOME_UNKNOWN, UNAVAILABLE } from "../../src/http/faults/faults.ts";
import { hasNginx, type NginxOptions, TestNginx } from "../harness/servers/nginx.ts";
import { StandIn } from "../harness/servers/stand-in.ts";

const WRITES = ["POST", "PATCH", "PUT", "DELETE"];

type Three = [StandIn, StandIn, StandIn];

async function startFleet(options?: NginxOptions): Promise<{ fleet: Three; nginx: TestNginx }> {
  const fleet = (await Promise.all([1, 2, 3].map(() => StandIn.start()))) as Three;
  return {
    fleet,
    nginx: await TestNginx.start(
      fleet.map(({ origin }) => origin),
      options,
    ),
  };
}

const receivedBy = (fleet: Three): string[] => fleet.flatMap(({ received }) => received);

async function statuses(origin: string, count: number): Promise<number[]> {
  const answers = await Promise.all(Array.from({ length: count }, () => fetch(`${origin}/ok`)));
  return [...new Set(answers.map(({ status }) => status))];
}

async function expectUnavailable(response: Response, { message }: { message: string }): Promise<void> {
  expect([response.status, await response.json()]).toEqual([
    503,
    { code: "service_unavailable", message, status: 503 },
  ]);
  expect(response.headers.get("retry-after")).toBe("2");
}

// Stand-ins, because a real instance cannot reliably be made to close without a response.
describe.skipIf(!hasNginx)("the nginx of deploy/ and instances that fail", () => {
  test("a request that every instance closes upon takes none of them out, however often it is sent", async () => {
    const { fleet, nginx } = await startFleet();
    for (let i = 0; i < 20; i++) {
      await expectUnavailable(await fetch(`${nginx.origin}/silent`), UNAVAILABLE);
      expect(await statuses(nginx.origin, 6)).toEqual([200]);
    }
    for (const { received } of fleet) expect(received.filter((line) => line === "GET /silent")).toHaveLength(20);
  });

  test("a write without an Idempotency-Key that an instance has received is never sent to another one, and the Error says that it may have been made", async () => {
    const { fleet, nginx } = await startFleet();
    for (const method of WRITES) {
      await expectUnavailable(await fetch(`${nginx.origin}/silent`, { method, body: "{}" }), OUTCOME_UNKNOWN);
      expect(receivedBy(fleet).filter((line) => line === `${method} /silent`)).toHaveLength(1);
    }
  });

  test("a write with an Idempotency-Key is sent to one instance after another until one answers; no other write is", async () => {
    const { fleet, nginx } = await startFleet();
    for (const method of WRITES)
      for (const [key, times] of [
        ["a", 3],
        ["", 1],
      ] as const) {
        for (const { received } of fleet) received.length = 0;
        const body = method === "DELETE" ? {} : { body: "{}" };
        const answer = await fetch(`${nginx.origin}/silent`, { method, headers: { "Idempotency-Key": key }, ...body });
        await expectUnavailable(answer, OUTCOME_UNKNOWN);
        expect([method, key, receivedBy(fleet)]).toEqual([method, key, Array(times).fill(`${method} /silent`)]);
      }
    const [first, second, third] = fleet;
    for (const { received } of fleet) received.length = 0;
    first.isSilent = second.isSilent = true;
    const sent = Array.from({ length: 12 }, (_, i) => WRITES[i % WRITES.length] as string);
    for (const [i, method] of sent.entries()) {
      const headers = { "Idempotency-Key": `key ${i}` };
      expect((await fetch(`${nginx.origin}/ok`, { method, headers, body: "{}" })).status).toBe(200);
    }
    expect(third.received).toEqual(sent.map((method) => `${method} /ok`));
    expect(first.received.length + second.received.length).toBeGreaterThan(0);
  });

  test("a PUT or DELETE without an Idempotency-Key is tried once: if that instance is down, the Error says that nothing was changed", async () => {
    const { fleet, nginx } = await startFleet();
    const [first, second, third] = fleet;
    await Promise.all([first.stop(), second.stop()]);
    let served = 0;
    for (const method of Array.from({ length: 12 }, (_, i) => (i % 2 ? "PUT" : "DELETE"))) {
      const answer = await fetch(`${nginx.origin}/ok`, { method });
      if (answer.status === 200) served++;
      else await expectUnavailable(answer, UNAVAILABLE);
    }
    expect(third.received).toHaveLength(served);
    expect(served).toBeLessThan(12);
  });

  test("instances that are down cost nothing, and one that is back is used at once", async () => {
    const { fleet, nginx } = await startFleet();
    const [first, second, third] = fleet;
    await Promise.all([first.stop(), second.stop()]);
    for (let i = 0; i < 30; i++)
      expect((await fetch(`${nginx.origin}/ok`, i % 2 ? {} : { method: "POST", body: "{}" })).status).toBe(200);
    expect(third.received).toHaveLength(30);
    await third.stop();
    const refused = await fetch(`${nginx.origin}/ok`, { method: "POST", body: "{}" });
    await expectUnavailable(refused, UNAVAILABLE);
    await first.start();
    expect(await statuses(nginx.origin, 6)).toEqual([200]);
  });

  test("an instance that hangs holds few requests, and a GET that it does not answer is answered by another one", async () => {
    const { fleet, nginx } = await startFleet({ replace: { "proxy_read_timeout 7s": "proxy_read_timeout 500ms" } });
    fleet[0].isHung = true;
    let left = 400;
    const clients = Array.from({ length: 8 }, async () => {
      while (left-- > 0) expect((await fetch(`${nginx.origin}/ok`)).status).toBe(200);
    });
    await Promise.all(clients);
    expect(fleet[0].received.length).toBeGreaterThan(0);
    expect(fleet[0].received.length).toBeLessThan(40);
  });

  test("an address with too many requests in progress gets 429 as an Error", async () => {
    const { nginx } = await startFleet({ replace: { "animal_store_addresses 256": "animal_store_addresses 8" } });
    const aborts = new AbortController();
    const held = Array.from({ length: 9 }, () => fetch(`${nginx.origin}/hang`, { signal: aborts.signal }));
    const response = await Promise.race(held);
    expect([response.status, await response.json()]).toEqual([
      429,
      { code: "rate_limit_exceeded", message: expect.any(String), status: 429 },
    ]);
    expect(response.headers.get("retry-after")).toBe("1");
    aborts.abort();
    await Promise.allSettled(held);
  });
});
