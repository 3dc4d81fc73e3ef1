import { expect, test } from "bun:test";
import { renameSync } from "node:fs";
import { editKey } from "../../../src/keys/edit.ts";
import { resumeKey, suspendKey } from "../../../src/keys/suspend.ts";
import type { Store } from "../../../src/store/ports/store.ts";
import { setUp } from "../../harness/cleanup.ts";
import { KeptConnections } from "../../harness/requests/kept-connections.ts";
import type { Answer } from "../../harness/requests/send.ts";
import { SIGNED } from "../../harness/rows/author.ts";
import { startService, type TestService } from "../../harness/service/service.ts";
import { FakeClock } from "../../harness/time/clock.ts";

// All threads see the writes of each thread and of commands.

const REX = { name: "Rex", categoryId: 7 };

const clock = new FakeClock();
const logged: string[] = [];
let service: TestService;
let connections: KeptConnections;
setUp(async () => {
  service = await startService({ clock, logged, env: { THREADS: "4", ANONYMOUS_PER_MINUTE: "1000000" } });
  connections = await KeptConnections.open(service);
});

test("what was written over one connection is read over every other, at once", async () => {
  const { json: pet } = await connections.call(0, "POST /pets", { body: REX });
  const read = () => connections.callAll(`GET /pets?id=${pet.id}`);
  for (let i = 0; i < 3 * connections.count; i++) {
    const name = `Rex ${i}`;
    expect((await connections.call(i, `PATCH /pets/${pet.id}`, { body: { name } })).status).toBe(200);
    const names = (await read()).map(({ json }) => json[0].name);
    expect(new Set(names)).toEqual(new Set([name]));
  }
});

test("while all threads write, each creation is in the pages of all of them", async () => {
  const page = "GET /pets?sort=-id&limit=100";
  const idsIn = ({ json }: Answer): number[] => json.map(({ id }: { id: number }) => id);
  const made = new Set<number>();
  for (let round = 0; round < 5; round++)
    await Promise.all(
      Array.from({ length: connections.count }, async (_, i) => {
        const { json } = await connections.call(i, "POST /pets", { body: REX });
        made.add(json.id);
        expect(idsIn(await connections.call(i + 1, page))).toContain(json.id);
      }),
    );
  expect(made.size).toBe(5 * connections.count);
});

test("copies of a write that reach all threads at once are carried out once", async () => {
  for (const [line, body] of [
    ["POST /pets", { name: "Once", categoryId: 12 }],
    ["POST /pets", { name: "Once more", categoryId: 12 }],
  ] as const) {
    const headers = { "Idempotency-Key": body.name.replace(" ", "-") };
    const answers = await connections.callAll(line, { body, headers });
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(201);
    expect(answers.filter((answer) => !answer.headers.has("idempotency-replayed"))).toHaveLength(1);
  }
  expect((await connections.call(0, "GET /pets?categoryId=12")).json).toHaveLength(2);
  const [pet] = (await connections.call(0, "GET /pets?categoryId=12")).json;
  const orders = await connections.callAll("POST /store/orders", { body: { petId: pet.id } });
  expect(orders.filter(({ status }) => status === 201)).toHaveLength(1);
});

test("each change to a key is felt by every thread", async () => {
  const { id, secret } = await service.issueKey({ plan: "enterprise" });
  const change = async (work: (store: Store) => Promise<unknown>, isFelt: (answer: Answer) => boolean) => {
    await service.withStore(work);
    const feel = async (number: number) => {
      while (!isFelt(await connections.call(number, "GET /pets", { secret }))) await Bun.sleep(20);
    };
    await Promise.all(Array.from({ length: connections.count }, (_, i) => feel(i)));
    // Threads whose answers were right by chance must see it too.
    const answers = await connections.callAll("GET /pets", { secret });
    expect(answers.every(isFelt)).toBe(true);
  };
  const isStatus =
    (status: number) =>
    (answer: Answer): boolean =>
      answer.status === status;
  await change(async () => {}, isStatus(200));
  await change(({ keys }) => suspendKey({ keys, clock, author: SIGNED }, id), isStatus(401));
  await change(({ keys }) => resumeKey({ keys, clock, author: SIGNED }, id), isStatus(200));
  await change(
    ({ keys }) => editKey({ keys, clock, author: SIGNED }, { idOrName: id, perMinute: 500_000 }),
    ({ headers }) => headers.get("x-ratelimit-limit") === "500000",
  );
  await change(({ keys }) => keys.revoke({ ...SIGNED, keyId: id, atMs: clock.nowMs() }), isStatus(401));
});

test("a database file that is taken away is noticed by all threads, and so is its return", async () => {
  await connections.callAll("POST /pets", { body: REX });
  const isReady = async () => (await fetch(`${service.origin}/readyz`, { headers: { Connection: "close" } })).ok;
  renameSync(service.path, `${service.path}.away`);
  const refused = await connections.callAll("POST /pets", { body: REX });
  expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]));
  expect(await Promise.all(Array.from({ length: 40 }, isReady))).toEqual(Array(40).fill(false));
  renameSync(`${service.path}.away`, service.path);
  const accepted = await connections.callAll("POST /pets", { body: REX });
  expect(new Set(accepted.map(({ status }) => status))).toEqual(new Set([201]));
  expect(await Promise.all(Array.from({ length: 40 }, isReady))).toEqual(Array(40).fill(true));
  const said = logged.map((line) => JSON.parse(line).msg).filter((msg) => /ready/.test(msg));
  expect(said).toSatisfy((lines) => lines.length <= 2);
});
