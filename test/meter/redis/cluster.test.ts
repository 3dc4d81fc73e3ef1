import { describe, expect, test } from "bun:test";
import { ratePolicyOfKey } from "../../../src/domain/limits/tally.ts";
import { readTallies } from "../../../src/meter/open.ts";
import { parseRedisUrl, type RedisUrl } from "../../../src/meter/redis-url.ts";
import { openTestMeter, type TestMeter, until } from "../../harness/meters/redis.ts";
import { addReplica, formRedisCluster, hasRedis, type TestRedis } from "../../harness/servers/redis.ts";

const FREE = ratePolicyOfKey({ perMinute: 60, perDay: 1000 }, undefined);
/** Without this, the loss of one node makes all others refuse to work. */
const PARTIAL = ["--cluster-require-full-coverage", "no"];

const cluster = hasRedis ? await formRedisCluster(...PARTIAL) : undefined;
await cluster?.ready;

const addressOf = (servers: readonly TestRedis[]) => servers.map(({ url }) => url).join();
const nameOf = ({ port }: TestRedis) => `127.0.0.1:${port}`;

/** Subjects that a server counts for, none of them used before. */
let used = 0;
function subjectsOf(meter: TestMeter, server: string, count: number): string[] {
  const found: string[] = [];
  if (!meter.servers.names().includes(server)) throw new Error(`${server} is not among ${meter.servers.names()}`);
  while (found.length < count) {
    const subject = `subject ${++used}`;
    if (meter.servers.of(subject) === server) found.push(subject);
  }
  return found;
}

async function passes(meters: readonly TestMeter[], subject: string, requests: number): Promise<number> {
  let passed = 0;
  for (let i = 0; i < requests; i++)
    if ((await meters[i % meters.length]?.judge(subject, FREE))?.kind === "pass") passed++;
  return passed;
}

test.skipIf(!hasRedis)(
  "what is counted can be read for many keys at once, whichever node counts for each",
  async () => {
    const { servers } = cluster as NonNullable<typeof cluster>;
    const meter = await openTestMeter(addressOf(servers));
    const subjects = servers.flatMap((server) => subjectsOf(meter, nameOf(server), 10));
    for (const [i, subject] of subjects.entries()) for (let n = 0; n <= i; n++) await meter.judge(subject, FREE);
    const tallies = await readTallies(parseRedisUrl(addressOf(servers)) as RedisUrl, subjects);
    expect([...tallies].map(([subject, { minute }]) => [subject, minute.used])).toEqual(
      subjects.map((subject, i) => [subject, i + 1]),
    );
  },
);

/** The replication offset of a server. */
const replicatedBytes = async (server: TestRedis): Promise<string | undefined> =>
  /(?:slave|master)_repl_offset:(\d+)/.exec(await server.ask((client) => client.info("replication")))?.[1];

describe.skipIf(!hasRedis)("one node of a cluster", () => {
  const { servers, nodes } = cluster ?? { servers: [], nodes: [] };
  const lost = servers[1] as TestRedis;
  const others = [servers[0], servers[2]] as TestRedis[];

  for (const [how, down, up] of [
    ["is killed", () => lost.stop(), () => lost.start()],
    ["hangs", async () => lost.pause(), async () => lost.resume()],
  ] as const)
    test(`${how}: its subjects alone are counted by each instance, at once, others exactly; one line each way`, async () => {
      const meters = [await openTestMeter(addressOf(servers)), await openTestMeter(addressOf(servers))];
      const [meter] = meters as [TestMeter, TestMeter];
      const name = nameOf(lost);
      const here = subjectsOf(meter, name, 20);
      for (const subject of here) await meter.judge(subject, FREE);
      await down();
      for (const one of meters) await one.judge(here[0] as string, FREE);
      await until(() => meters.every((one) => one.outages().length > 0));
      const asked = meter.answers.length;
      for (const subject of here) await meter.judge(subject, FREE);
      expect(meter.answers.length - asked).toBeLessThan(10);
      for (const other of others)
        for (const subject of subjectsOf(meter, nameOf(other), 2)) expect(await passes(meters, subject, 80)).toBe(60);
      expect(await passes([meter], here[1] as string, 100)).toBe(58);
      await up();
      await until(() => meters.every((one) => one.outages().at(-1) === `${name} back`));
      for (const one of meters) expect(one.outages()).toEqual([`${name} away`, `${name} back`]);
      for (const subject of subjectsOf(meter, name, 2)) expect(await passes(meters, subject, 80)).toBe(60);
    });

  test("is killed, comes back and hangs: each time the reason is that of this time", async () => {
    const meter = await openTestMeter(addressOf(servers));
    const [subject = ""] = subjectsOf(meter, nameOf(lost), 1);
    for (const [down, up] of [
      [() => lost.stop(), () => lost.start()],
      [async () => lost.pause(), async () => lost.resume()],
    ] as const) {
      const before = meter.outages().length;
      await down();
      await meter.judge(subject, FREE);
      await until(() => meter.outages().length === before + 1);
      await up();
      await until(() => meter.outages().length === before + 2);
    }
    expect(meter.reasons()).toEqual(["refuses connections", "does not answer"]);
  });

  test("is killed while it has a replica: that takes over, and nothing is away any more", async () => {
    const replica = await addReplica(nodes, ...PARTIAL);
    const [master, rest] = [servers[0] as TestRedis, servers.slice(1)];
    const meter = await openTestMeter(addressOf(rest));
    const name = nameOf(master);
    const [kept = ""] = subjectsOf(meter, name, 1);
    expect(await passes([meter], kept, 20)).toBe(20);
    // A replica gets what the master has counted a moment later.
    await until(async () => (await replicatedBytes(master)) === (await replicatedBytes(replica)));
    await master.stop();
    await meter.judge(kept, FREE);
    await until(() => meter.outages().at(-1) === `${name} replaced`);
    expect(meter.outages()).toEqual([`${name} away`, `${name} replaced`]);
    expect(meter.servers.of(kept)).toBe(nameOf(replica));
    expect(meter.servers.names()).not.toContain(name);
    expect(meter.changes.at(-2)).toEqual({ state: "gone", server: name });
    expect(meter.changes.at(-1)).toEqual({ state: "known", server: nameOf(replica) });
    expect(await passes([meter], kept, 60)).toBe(40);
  });
});

describe.skipIf(!hasRedis)("a cluster", () => {
  test("that is not there, and comes later: nothing is asked of it until it counts", async () => {
    const late = await formRedisCluster(...PARTIAL);
    const meter = await openTestMeter(addressOf(late.servers));
    if (meter.outages().length === 0) await meter.judge("early", FREE);
    await late.ready;
    await until(async () => {
      await meter.judge("early", FREE);
      return meter.outages().at(-1)?.endsWith(" away") !== true && meter.servers.names().length === 3;
    });
    const [subject = ""] = subjectsOf(meter, nameOf(late.servers[2] as TestRedis), 1);
    expect(await passes([meter], subject, 80)).toBe(60);
    const gone = meter.changes.filter(({ state }) => state === "gone");
    expect(gone.map(({ server }) => server)).toEqual([late.servers.map(nameOf).join()]);
  });

  test("that is down as a whole says so for each node, once", async () => {
    const all = await formRedisCluster();
    await all.ready;
    const meter = await openTestMeter(addressOf(all.servers));
    const [first, second] = all.servers as [TestRedis, TestRedis];
    await second.stop();
    const working = [first, all.servers[2] as TestRedis].map((server) => `${nameOf(server)} away`);
    await until(async () => {
      for (const server of all.servers) await meter.judge(subjectsOf(meter, nameOf(server), 1)[0] as string, FREE);
      return meter.outages().length === 3;
    });
    expect(meter.outages().sort()).toEqual([`${nameOf(second)} away`, ...working].sort());
    expect(meter.reasons()).toEqual(["refuses connections", ...working.map(() => "belongs to a cluster that is down")]);
  });
});
