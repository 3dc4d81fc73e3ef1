import { describe, expect, test } from "bun:test";
import { OperatorError } from "../../../src/base/operator-error.ts";
import { systemClock } from "../../../src/base/time/clock.ts";
import { type CheckResult, runChecks } from "../../../src/domain/checkup/checkup.ts";
import { ratePolicyOfKey } from "../../../src/domain/limits/tally.ts";
import { newMeterMemory, openMeters, openRedisCheckup, type ServerChange } from "../../../src/meter/open.ts";
import { parseRedisUrl, type RedisUrl } from "../../../src/meter/redis-url.ts";
import { atEnd } from "../../harness/cleanup.ts";
import { temporaryFolder } from "../../harness/folder.ts";
import { issueBoundlessKey, run, serve } from "../../harness/program/program.ts";
import { hasOpenssl, newCertificate } from "../../harness/servers/certificates.ts";
import { freePort } from "../../harness/servers/port.ts";
import { hasRedis, startRedisCluster, startReplica, startSentinel, TestRedis } from "../../harness/servers/redis.ts";

const FREE = ratePolicyOfKey({ perMinute: 60, perDay: 1000 }, undefined);

/** The timeout for servers that answer, however busy the machine is. */
const PATIENT_MS = 20_000;
/** The timeout for servers that do not answer or refuse, some of which a start waits for. */
const IMPATIENT_MS = 800;

/** No resolver is asked for such a name, since a label has at most 63 characters: the answer never takes long. */
const UNRESOLVABLE = `${"nowhere-".repeat(8)}.invalid`;

/** The outcome of a start: refused with a line, or begun, with the reason why Redis does not count, if any. */
async function startOn(address: string, connectTimeoutMs = PATIENT_MS): Promise<{ refused?: string; away?: string[] }> {
  const changes: ServerChange[] = [];
  try {
    const meters = await openMeters({
      redisUrl: parseRedisUrl(address) as RedisUrl,
      memory: newMeterMemory({ hasRedis: true }),
      keeper: { load: () => [], save() {} },
      clock: systemClock,
      connectTimeoutMs,
      onSaveFailure() {},
      onServerChange: (change) => changes.push(change),
    });
    const away = changes.flatMap((change) => (change.state === "away" ? [change.reason] : []));
    expect((await meters.keyMeter.judge("x", FREE)).kind).toBe("pass");
    await meters.close();
    return { away };
  } catch (error) {
    expect(error).toBeInstanceOf(OperatorError);
    return { refused: (error as Error).message };
  }
}

/** The problem that `doctor` reports, if any. */
async function doctorOf(address: string, connectTimeoutMs = PATIENT_MS): Promise<string[]> {
  const checkup = await openRedisCheckup(parseRedisUrl(address) as RedisUrl, connectTimeoutMs);
  const results: CheckResult[] = [];
  for await (const result of runChecks(checkup.checks)) results.push(result);
  await checkup.close();
  return results.flatMap(({ finding }) => (finding.kind === "ok" ? [] : [`${finding.detail}: ${finding.remedy}`]));
}

/** A start refuses with this reason and remedy, and `doctor` has both. */
async function expectRefusal(address: string, reason: string, remedy: string): Promise<void> {
  const { refused } = await startOn(address, IMPATIENT_MS);
  expect([address, refused]).toEqual([address, expect.stringContaining(reason)]);
  expect(refused).toContain(remedy);
  expect(refused).not.toMatch(/hidden|\n/);
  const found = await doctorOf(address, IMPATIENT_MS);
  expect([address, found]).toEqual([address, [expect.stringContaining(reason)]]);
  expect(found[0]).toContain(remedy);
  expect(found[0]).not.toContain("hidden");
}

/** It starts nevertheless, says this reason at once, and so does `doctor`. */
async function expectDegraded(address: string, reason: string): Promise<void> {
  expect([address, await startOn(address, IMPATIENT_MS)]).toEqual([address, { away: [reason] }]);
  expect([address, await doctorOf(address, IMPATIENT_MS)]).toEqual([address, [expect.stringContaining(reason)]]);
}

async function expectSound(address: string): Promise<void> {
  expect([address, await startOn(address)]).toEqual([address, { away: [] }]);
  expect([address, await doctorOf(address)]).toEqual([address, []]);
}

describe.skipIf(!hasRedis)("a start on a Redis that", async () => {
  const redis = hasRedis ? await TestRedis.start() : ({} as TestRedis);

  test("works says nothing, and neither does doctor", async () => {
    await expectSound(redis.url);
  });

  test("has another password, or none is given, or too few rights, is refused", async () => {
    const guarded = `127.0.0.1:${redis.port}`;
    await redis.ask(async (client) => {
      await client.call("ACL", "SETUSER", "store", "on", ">right", "~animal-store:*", "+@all");
      await client.call("ACL", "SETUSER", "reader", "on", ">right", "~animal-store:*", "+@all", "-evalsha", "-eval");
      const granted = "+@connection +@scripting +hmget +hset +pexpire +time +info +cluster".split(" ");
      await client.call("ACL", "SETUSER", "granted", "on", ">right", "~animal-store:*", ...granted);
    });
    await expectSound(`redis://store:right@${guarded}`);
    await expectSound(`redis://granted:right@${guarded}`);
    await expectRefusal(`redis://store:hidden@${guarded}`, "refuses the user name or password", "correct them");
    await expectRefusal(`redis://nobody:hidden@${guarded}`, "refuses the user name or password", "correct them");
    await expectRefusal(`redis://reader:right@${guarded}`, "does not permit its user to count", "+@scripting");
    await redis.ask((client) => client.config("SET", "requirepass", "right"));
    await expectRefusal(`redis://${guarded}`, "requires a password", "redis://user:password@host:6379");
    await expectRefusal(`redis://${guarded},redis://${guarded}`, "requires a password", "redis://user:password@");
    await expectSound(`redis://:right@${guarded}`);
  });

  test("has not so many databases, or is no Redis at all, is refused", async () => {
    const plain = await TestRedis.start();
    await expectRefusal(`${plain.url}/99`, "does not have that many databases", "the number after the /");
    const other = Bun.serve({ port: 0, fetch: () => new Response("hello") });
    atEnd(() => other.stop(true));
    await expectRefusal(`redis://127.0.0.1:${other.port}`, "does not speak the protocol of Redis", "host and port");
  });

  test("is one node of a cluster, or is no cluster though several are named, is refused", async () => {
    const plain = await TestRedis.start();
    const nodes = (await startRedisCluster()).map(({ url }) => url);
    await expectSound(nodes.join());
    await expectSound(`${nodes[1]},${nodes[1]}`);
    await expectRefusal(nodes[1] as string, "is a node of a cluster", "two or more of its nodes, separated by commas");
    await expectRefusal(`${plain.url},${plain.url}`, "is not a node of a cluster", "name one server");
  });

  test("is not there, is a replica, hangs or is still loading: it starts, and says why at once", async () => {
    const master = await TestRedis.start();
    const replica = await startReplica(master);
    await expectDegraded(`redis://127.0.0.1:${await freePort()}`, "refuses connections");
    await expectDegraded(`redis://${UNRESOLVABLE}`, "has a host name that cannot be resolved");
    await expectDegraded(replica.url, "is a replica and cannot count");
    master.pause();
    await expectDegraded(master.url, "does not answer");
    master.resume();
    const slowly = ["--key-load-delay", "1000", "--loading-process-events-interval-bytes", "1024"];
    const loading = await TestRedis.start(...slowly, "--enable-debug-command", "yes");
    await loading.ask(async (client) => {
      await client.mset(...Array.from({ length: 5_000 }, (_, i) => [`key ${i}`, "x".repeat(100)]).flat());
      await client.save();
    });
    void loading.ask((client) => client.call("DEBUG", "RELOAD", "NOSAVE")).catch(() => {});
    await Bun.sleep(100);
    await expectDegraded(loading.url, "is still loading its data");
  });

  test("sentinels do not know, or that wants a password of sentinels, is refused; without a sentinel, it starts", async () => {
    const master = await TestRedis.start();
    const port = await startSentinel(master, "counters");
    const sentinels = `redis+sentinel://127.0.0.1:${port}`;
    await expectSound(`${sentinels}/counters`);
    await expectRefusal(`redis+sentinel://127.0.0.1:${master.port}/counters`, "not a sentinel", "name the sentinels");
    await expectRefusal(`${sentinels}/others`, "watches no master of that name", "correct the name");
    const guarded = await startSentinel(master, "counters", "requirepass right");
    await expectSound(`redis+sentinel://127.0.0.1:${guarded}/counters?sentinel_password=right`);
    await expectRefusal(`redis+sentinel://127.0.0.1:${guarded}/counters`, "requires a password", "?sentinel_password=");
    await expectDegraded(`redis+sentinel://127.0.0.1:${await freePort()}/counters`, "refuses connections");
  });
});

describe.skipIf(!hasRedis || !hasOpenssl)("a start on a Redis with TLS", () => {
  test("works if its certificate is for this host and trusted, and is refused otherwise", async () => {
    const certificate = newCertificate("127.0.0.1");
    const ca = `tls_ca=${certificate.authorityFile}`;
    const port = await TestRedis.startWithTls(certificate, "--tls-auth-clients", "no");
    await expectSound(`rediss://127.0.0.1:${port}?${ca}`);
    await expectRefusal(`rediss://127.0.0.1:${port}`, "has a certificate that is not trusted", "?tls_ca=/path/ca.pem");
    await expectRefusal(`rediss://localhost:${port}?${ca}`, "has a certificate for another host name", "another");
    await expectRefusal(`redis://127.0.0.1:${port}`, "requires TLS", "rediss instead of redis");
    const plain = await TestRedis.start();
    await expectRefusal(`rediss://127.0.0.1:${plain.port}?${ca}`, "does not use TLS", "redis instead of rediss");
    const { refused } = await startOn(`rediss://127.0.0.1:${port}?tls_ca=/nowhere.pem`);
    expect(refused).toStartWith("cannot read the file that tls_ca in REDIS_URL names: ENOENT");
  });

  test("that wants a certificate from clients works with one, and is refused without", async () => {
    const { authorityFile, ...own } = newCertificate("127.0.0.1");
    const port = await TestRedis.startWithTls({ authorityFile, ...own });
    const files = `tls_cert=${own.certificateFile}&tls_key=${own.keyFile}`;
    await expectSound(`rediss://127.0.0.1:${port}?tls_ca=${authorityFile}&${files}`);
    const without = `rediss://127.0.0.1:${port}?tls_ca=${authorityFile}`;
    await expectRefusal(without, "wants a certificate from this instance", "tls_key=");
  });

  test("the program itself counts over TLS, with its own setting or NODE_EXTRA_CA_CERTS; refused, it is one line and exit code 1", async () => {
    const certificate = newCertificate("127.0.0.1");
    const redisPort = await TestRedis.startWithTls(certificate, "--tls-auth-clients", "no");
    const cwd = temporaryFolder();
    const secret = await issueBoundlessKey({ cwd });
    const url = `rediss://127.0.0.1:${redisPort}`;
    for (const env of [
      { REDIS_URL: `${url}?tls_ca=${certificate.authorityFile}` },
      { REDIS_URL: url, NODE_EXTRA_CA_CERTS: certificate.authorityFile },
    ]) {
      const service = await serve({ cwd, env: { ...env, METRICS_PORT: "0", LOG_LEVEL: "info" } });
      const headers = { Authorization: `Bearer ${secret}` };
      expect((await fetch(`${service.origin}/v1/pets`, { headers })).status).toBe(200);
      const metrics = await (await fetch(/Metrics +(\S+)/.exec(service.banner)?.[1] as string)).text();
      expect(metrics).toContain(`animal_store_redis_up{server="127.0.0.1:${redisPort}"} 1\n`);
      expect(metrics).toMatch(/^animal_store_redis_answer_seconds_count\{outcome="answered"\} [1-9]/m);
      expect(metrics).toContain("animal_store_meter_degraded 0\n");
      await service.kill("SIGTERM");
      expect(service.logged()).not.toContain("by itself");
    }
    const { exitCode, err } = await run(["serve"], { cwd, env: { REDIS_URL: url, PORT: "0" } });
    expect(exitCode).toBe(1);
    expect(err).toBe(
      `animal-store: Redis 127.0.0.1:${redisPort} has a certificate that is not trusted: put ?tls_ca=/path/ca.pem into REDIS_URL\n`,
    );
  });
});
