import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { ratePolicyOfKey } from "../../../src/domain/limits/tally.ts";
import { atEnd } from "../../harness/cleanup.ts";
import { openTestMeter, until } from "../../harness/meters/redis.ts";
import { TestProxy } from "../../harness/servers/proxy.ts";
import { hasRedis, TestRedis } from "../../harness/servers/redis.ts";

const FREE = ratePolicyOfKey({ perMinute: 60, perDay: 1000 }, undefined);

interface Judged {
  readonly passed: number;
  readonly outages: number;
}

/** A process that judges as an instance does, and that can be stopped and continued from outside. */
async function startJudging(address: string, subject: string, quota: number, requests: number) {
  const program = join(import.meta.dir, "../../harness/meters/judging.ts");
  const args = [address, subject, String(quota), String(requests)];
  const child = Bun.spawn([process.execPath, program, ...args], { stdin: "pipe", stdout: "pipe" });
  atEnd(() => child.kill("SIGKILL"));
  let output = "";
  const finished = (async () => {
    for await (const chunk of child.stdout) output += new TextDecoder().decode(chunk);
  })();
  await until(() => output.includes("ready"));
  const judged = async (): Promise<Judged> => {
    await finished;
    return JSON.parse(output.split("\n")[1] as string);
  };
  return { child, judged, begin: () => child.stdin.write("go\n") };
}

/** Lets a process run for a tenth of a second between stops. The longest stop is longer than any timeout. */
async function starve(child: { kill(signal: NodeJS.Signals): void }, isOver: () => boolean): Promise<void> {
  for (let i = 0; !isOver(); i++) {
    child.kill("SIGSTOP");
    await Bun.sleep([300, 1_200, 300][i % 3] as number);
    child.kill("SIGCONT");
    await Bun.sleep(100);
  }
}

describe.skipIf(!hasRedis)("a quota that instances share", () => {
  test("is exact however little they can run: four instances, stopped most of the time, let pass what one would", async () => {
    const redis = await TestRedis.start();
    const instances = await Promise.all([1, 2, 3, 4].map(() => startJudging(redis.url, "starved", 400, 150)));
    let isOver = false;
    for (const { begin } of instances) begin();
    const starving = instances.map(({ child }) => starve(child, () => isOver));
    const judged = await Promise.all(instances.map((instance) => instance.judged()));
    isOver = true;
    await Promise.all(starving);
    expect(judged.map(({ outages }) => outages)).toEqual([0, 0, 0, 0]);
    expect(judged.reduce((sum, { passed }) => sum + passed, 0)).toBe(400);
  });

  test("is exact again right after a restart of Redis: no instance finds out late that it was away", async () => {
    const redis = await TestRedis.start();
    // A long timeout, so that only the state of their connections tells them.
    const meters = await Promise.all([1, 2, 3, 4].map(() => openTestMeter(redis.url, { answerTimeoutMs: 20_000 })));
    const asking = setInterval(() => meters.map((meter) => meter.judge("load", FREE)), 2);
    const outages = () => meters.map((meter) => meter.outages().filter((change) => change.endsWith("away")).length);
    for (let restart = 0; restart < 3; restart++) {
      await redis.stop();
      await redis.start();
      await Bun.sleep(60);
      const known = outages();
      await Bun.sleep(300);
      expect(outages()).toEqual(known);
    }
    clearInterval(asking);
  });

  test("is exact while Redis is slow but alive: once that is known, its answers are waited for", async () => {
    const redis = await TestRedis.start();
    const proxy = await TestProxy.start(redis.port);
    const address = `redis://127.0.0.1:${proxy.port}`;
    const meters = [await openTestMeter(address), await openTestMeter(address)];
    proxy.delayMs = 150;
    for (const meter of meters) await meter.judge("first", FREE);
    await Bun.sleep(400);
    await until(() => meters.every((meter) => meter.outages().at(-1)?.endsWith("away") !== true));
    const before = meters.map((meter) => meter.outages().length);
    const verdicts = Array.from({ length: 100 }, (_, i) => meters[i % 2]?.judge("slow", FREE));
    const passed = (await Promise.all(verdicts)).filter((verdict) => verdict?.kind === "pass");
    expect(passed).toHaveLength(60);
    expect(meters.map((meter) => meter.outages().length)).toEqual(before);
  });
});

describe.skipIf(!hasRedis)("a Redis that is gone without a word", () => {
  test("is given up at once, and its connection replaced by one that works", async () => {
    const redis = await TestRedis.start();
    const proxy = await TestProxy.start(redis.port);
    const meter = await openTestMeter(`redis://127.0.0.1:${proxy.port}`);
    await meter.judge("silent", FREE);
    proxy.newConnections = "swallowed";
    proxy.silence();
    expect(await meter.judge("silent", FREE)).toMatchObject({
      kind: "pass",
      quotaStatus: { shown: { remaining: 58 } },
    });
    await until(() => meter.outages().length > 0);
    expect(meter.answers.slice(0, 2)).toEqual(["answered", "given_up"]);
    const asked = meter.answers.length;
    for (let i = 0; i < 20; i++) await meter.judge("silent", FREE);
    // Except for probes, none of them was sent.
    expect(meter.answers.length - asked).toBeLessThan(5);
    proxy.newConnections = "carried";
    await until(() => meter.outages().length > 1);
    const name = `127.0.0.1:${proxy.port}`;
    expect(meter.outages()).toEqual([`${name} away`, `${name} back`]);
    expect(meter.reasons()).toEqual(["does not answer"]);
    expect((await meter.judge("silent", FREE)).quotaStatus.shown.remaining).toBe(58);
  });
});
