import { describe, expect, test } from "bun:test";
import { ratePolicyOfKey } from "../../../src/domain/limits/tally.ts";
import { keyOf } from "../../../src/meter/redis/commands/script.ts";
import { openTestMeter, type TestMeter, until } from "../../harness/meters/redis.ts";
import { TestProxy } from "../../harness/servers/proxy.ts";
import { hasRedis, startReplica, startSentinel, TestRedis } from "../../harness/servers/redis.ts";

const FREE = ratePolicyOfKey({ perMinute: 60, perDay: 1000 }, undefined);

/** Sends requests of one subject to several instances in turn, and returns how many pass. */
async function passes(meters: readonly TestMeter[], subject: string, requests: number): Promise<number> {
  const verdicts = Array.from({ length: requests }, (_, i) => meters[i % meters.length]?.judge(subject, FREE));
  return (await Promise.all(verdicts)).filter((verdict) => verdict?.kind === "pass").length;
}

const usedAt = async (server: TestRedis, subject: string) =>
  Number(await server.ask((client) => client.hget(keyOf(subject), "minute_used")));

describe.skipIf(!hasRedis)("a failover", () => {
  test("that leaves the connections to the old master open: they are replaced, and all instances count on the new one", async () => {
    const old = await TestRedis.start();
    const successor = await startReplica(old);
    const address = await TestProxy.start(old.port);
    const meters = [1, 2, 3, 4, 5].map(() => openTestMeter(`redis://127.0.0.1:${address.port}`));
    const [first, ...others] = await Promise.all(meters);
    const all = [first as TestMeter, ...others];
    expect(await passes(all, "before", 40)).toBe(40);
    await until(async () => (await usedAt(successor, "before")) === 40);
    await successor.ask((client) => client.replicaof("NO", "ONE"));
    await old.ask((client) => client.replicaof("127.0.0.1", successor.port));
    for (const meter of all) await meter.judge("during", FREE);
    for (const meter of all) expect(meter.reasons()).toEqual(["is a replica and cannot count"]);
    address.targetPort = successor.port;
    const name = `127.0.0.1:${address.port}`;
    await until(() => all.every((meter) => meter.outages().at(-1) === `${name} back`));
    for (const meter of all) expect(meter.outages()).toEqual([`${name} away`, `${name} back`]);
    expect(await passes(all, "before", 100)).toBe(20);
    expect(await passes(all, "after", 100)).toBe(60);
    expect(await usedAt(successor, "after")).toBe(60);
  });

  for (const [how, lose] of [
    ["is killed", (master: TestRedis) => master.stop()],
    ["hangs", async (master: TestRedis) => master.pause()],
  ] as const)
    test(`by a sentinel, after the master ${how}: counts go on where they were, on the new master`, async () => {
      const master = await TestRedis.start();
      const replica = await startReplica(master);
      const port = await startSentinel(master, "counters");
      const meter = await openTestMeter(`redis+sentinel://127.0.0.1:1,127.0.0.1:${port}/counters`);
      expect(await passes([meter], "kept", 25)).toBe(25);
      await until(async () => (await usedAt(replica, "kept")) === 25);
      await lose(master);
      await meter.judge("meanwhile", FREE);
      await until(() => meter.outages().length > 0);
      await until(() => meter.outages().at(-1) === "counters back");
      expect(meter.outages()).toEqual(["counters away", "counters back"]);
      expect(await passes([meter], "kept", 60)).toBe(35);
      expect(await usedAt(replica, "kept")).toBe(60);
    });
});

describe.skipIf(!hasRedis)("a Redis that answers, but not with a count", () => {
  test("each reason is told, and it is probed until it counts again", async () => {
    const redis = await TestRedis.start();
    const meter = await openTestMeter(redis.url);
    const name = `127.0.0.1:${redis.port}`;
    const config = (setting: string, value: string) => redis.ask((client) => client.config("SET", setting, value));
    const happen = async (begin: () => Promise<unknown>, end: () => Promise<unknown>) => {
      await begin();
      expect((await meter.judge("x", FREE)).kind).toBe("pass");
      await end();
      await until(() => meter.outages().at(-1) === `${name} back`);
    };
    await happen(
      () => config("maxmemory", "1"),
      () => config("maxmemory", "0"),
    );
    await happen(
      () => config("min-replicas-to-write", "3"),
      () => config("min-replicas-to-write", "0"),
    );
    await happen(
      () => redis.ask((client) => client.call("ACL", "SETUSER", "default", "-evalsha", "-eval")),
      () => redis.ask((client) => client.call("ACL", "SETUSER", "default", "+@all")),
    );
    expect(meter.reasons()).toEqual([
      "has no memory left",
      "has fewer replicas than min-replicas-to-write",
      "does not permit its user to count",
    ]);
  });

  test("a connection that was closed is no outage: requests wait for the next one", async () => {
    const redis = await TestRedis.start();
    const meter = await openTestMeter(redis.url);
    await meter.judge("closed", FREE);
    for (let i = 0; i < 5; i++) {
      await redis.ask((client) => client.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"));
      await until(() => !meter.servers.isConnected());
      expect((await meter.judge("closed", FREE)).kind).toBe("pass");
    }
    expect(await usedAt(redis, "closed")).toBe(6);
    expect(meter.outages()).toEqual([]);
  });
});
