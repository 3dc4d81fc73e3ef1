import { afterAll, describe, expect, test } from "bun:test";
import { temporaryFolder } from "../harness/folder.ts";
import { type RunningService, run, serve } from "../harness/program/program.ts";
import { databaseMaker } from "../harness/servers/postgres.ts";
import { hasRedis, startRedisCluster, TestRedis } from "../harness/servers/redis.ts";

const cwd = temporaryFolder();
const redis = hasRedis ? await TestRedis.start() : undefined;
const cluster = hasRedis ? await startRedisCluster() : [];
const newDatabase = await databaseMaker();
const database = await newDatabase();
const INSTANCES = 4;

const cli = async (...args: string[]) => {
  const { out, err } = await run([...args, "--json"], { cwd, env: { DATABASE_URL: database } });
  if (out === "") throw new Error(err);
  return JSON.parse(out);
};
const issue = (plan: string, ...more: string[]) => cli("keys", "create", "--name", "test", "--plan", plan, ...more);

async function startFleet(redisUrls: readonly string[]): Promise<RunningService[]> {
  const env = { DATABASE_URL: database, REDIS_URL: redisUrls.join(","), LOG_LEVEL: "warn" };
  const fleet = await Promise.all(Array.from({ length: INSTANCES }, () => serve({ cwd, env })));
  afterAll(() => Promise.all(fleet.map((instance) => instance.kill("SIGKILL"))));
  return fleet;
}

const get = (instance: RunningService, secret: string, target = "/pets") =>
  fetch(`${instance.origin}/v1${target}`, { headers: { Authorization: `Bearer ${secret}` } });

const post = (instance: RunningService, secret: string, body: unknown, headers = {}, target = "/pets") =>
  fetch(`${instance.origin}/v1${target}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${secret}`, "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

const bodyAndHead = async (answer: Response) => {
  const { code } = (await answer.json()) as { code: string };
  return { status: answer.status, headers: answer.headers, code };
};

for (const [name, urls] of [
  ["one Redis", redis ? [redis.url] : []],
  ["a Redis Cluster", cluster.map((node) => node.url)],
] as const)
  describe.skipIf(!hasRedis)(`${INSTANCES} instances on ${name}`, () => {
    test("of 400 parallel requests on one Free key exactly 60 pass, and the headers of all instances agree", async () => {
      const fleet = await startFleet(urls);
      const passedIn = (all: readonly Response[]) => all.filter(({ status }) => status === 200).length;
      const sendAll = async () => {
        const { secret } = await issue("free");
        return Promise.all(Array.from({ length: 400 }, (_, i) => get(fleet[i % INSTANCES] as RunningService, secret)));
      };
      let answers = await sendAll();
      // A busy machine may now and then make an instance wait too long: for Redis, and then it counts by itself, or for
      // PostgreSQL, and then it answers 503.
      const wasLate = () => passedIn(answers) > 60 || answers.some(({ status }) => status === 503);
      for (let tries = 1; wasLate() && tries < 10; tries++) answers = await sendAll();
      expect(passedIn(answers)).toBe(60);
      expect(answers.filter((answer) => answer.status === 429)).toHaveLength(340);
      // A window has one reset, and so has a ban, which begins later and may end in the next second.
      const resets = new Map<string, Set<string>>();
      for (const { status, headers, ...answer } of await Promise.all(answers.map(bodyAndHead))) {
        const kind = status === 200 || answer.code === "rate_limit_exceeded" ? "window" : answer.code;
        resets.set(kind, (resets.get(kind) ?? new Set()).add(headers.get("x-ratelimit-reset") ?? ""));
      }
      for (const [kind, { size }] of resets) expect([kind, size]).toEqual([kind, 1]);
      const remaining = answers
        .filter((answer) => answer.status === 200)
        .map((answer) => Number(answer.headers.get("x-ratelimit-remaining")));
      expect(remaining.sort((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, i) => i));
      await Promise.all(fleet.map((instance) => instance.kill("SIGTERM")));
    });
  });

const fleet = hasRedis ? await startFleet([redis?.url as string]) : [];

describe.skipIf(!hasRedis)("a fleet", () => {
  const [one, two, three] = fleet as [RunningService, RunningService, RunningService];

  test("what one instance creates, another one lists, fetches and sells", async () => {
    const { secret } = await issue("business");
    const pet = (await (await post(one, secret, { name: "Rex", categoryId: 9 })).json()) as { id: number };
    expect(await (await get(two, secret, "/pets?categoryId=9")).json()).toEqual([pet]);
    const orders = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        post(fleet[i % INSTANCES] as RunningService, secret, { petId: pet.id }, {}, "/store/orders"),
      ),
    );
    expect(orders.filter((order) => order.status === 201)).toHaveLength(1);
    expect(await (await get(three, secret, `/pets?id=${pet.id}`)).json()).toMatchObject([{ status: "pending" }]);
  });

  test("copies with one Idempotency-Key at all instances are carried out once", async () => {
    const { secret } = await issue("business");
    const copies = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        post(
          fleet[i % INSTANCES] as RunningService,
          secret,
          { name: "Once", categoryId: 10 },
          { "Idempotency-Key": "fleet" },
        ),
      ),
    );
    expect(new Set(await Promise.all(copies.map((copy) => copy.text()))).size).toBe(1);
    expect(await (await get(one, secret, "/pets?categoryId=10")).json()).toHaveLength(1);
  });

  test("a key issued, revoked, rotated or unbanned on any machine is felt by all instances within 2 s", async () => {
    const { id, secret } = await issue("free");
    for (const instance of fleet) expect((await get(instance, secret)).status).toBe(200);
    const felt = async (matches: (answer: Response) => Promise<boolean>) => {
      for (const instance of fleet) while (!(await matches(await get(instance, secret)))) await Bun.sleep(20);
    };
    for (let i = 0; i < 130; i++) await get(one, secret);
    const isBanned = async (answer: Response) => ((await answer.json()) as { code?: string }).code === "key_banned";
    await felt(isBanned);
    await run(["keys", "unban", id], { cwd, env: { DATABASE_URL: database, REDIS_URL: redis?.url as string } });
    await felt(async (answer) => !(await isBanned(answer)));
    await cli("keys", "revoke", id, "--yes");
    await felt(async (answer) => answer.status === 401);
  });

  test("keys show reads what the fleet has counted together", async () => {
    const { id, secret } = await issue("free");
    for (const instance of fleet) await get(instance, secret);
    const { out } = await run(["keys", "show", id, "--json"], {
      cwd,
      env: { DATABASE_URL: database, REDIS_URL: redis?.url as string },
    });
    expect(JSON.parse(out)).toMatchObject({
      minute: { used: INSTANCES, remaining: 60 - INSTANCES },
      day: { used: INSTANCES },
    });
  });
});

test("PostgreSQL without Redis starts with a warning, and keeps its counters across restarts", async () => {
  const env = { DATABASE_URL: database };
  const first = await serve({ cwd, env });
  expect(first.banner).toContain(`Data     postgres://${new URL(database).host}/`);
  expect(first.banner).toContain("keys create");
  const { secret } = await issue("free");
  for (let i = 0; i < 7; i++) await get(first, secret);
  expect(await first.kill("SIGTERM")).toBe(0);
  expect(first.logged()).toContain("More than one instance needs Redis");
  const second = await serve({ cwd, env });
  expect((await get(second, secret)).headers.get("x-ratelimit-remaining")).toBe("52");
  await second.kill("SIGTERM");
});
