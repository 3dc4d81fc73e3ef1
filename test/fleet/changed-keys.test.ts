import { expect, test } from "bun:test";
import { newTally } from "../../src/domain/limits/tally.ts";
import { editKey, type KeyEdit } from "../../src/keys/edit.ts";
import { countersOf } from "../../src/keys/queries/counters.ts";
import { showKey } from "../../src/keys/queries/show.ts";
import { resumeKey, suspendKey } from "../../src/keys/suspend.ts";
import { unbanKey } from "../../src/keys/unban.ts";
import { readTallies } from "../../src/meter/open.ts";
import { parseRedisUrl, type RedisUrl } from "../../src/meter/redis-url.ts";
import type { Store } from "../../src/store/ports/store.ts";
import type { Answer } from "../harness/requests/send.ts";
import { SIGNED } from "../harness/rows/author.ts";
import { databaseMaker, withSql } from "../harness/servers/postgres.ts";
import { hasRedis, redisDatabaseMaker } from "../harness/servers/redis.ts";
import { awaiterOfKeyChanges } from "../harness/service/key-changes.ts";
import { type IssueOptions, startService, type TestService } from "../harness/service/service.ts";
import { FakeClock } from "../harness/time/clock.ts";

const clock = new FakeClock();
const newDatabase = await databaseMaker();
const newRedisDatabase = await redisDatabaseMaker();

async function startFleet() {
  const env = {
    DATABASE_URL: await newDatabase(),
    REDIS_URL: await newRedisDatabase(),
    ANONYMOUS_PER_MINUTE: "100000",
  };
  const fleet = [await startService({ env, clock }), await startService({ env, clock })] as const;
  return { fleet, env };
}

/** A key that both instances know. */
async function usedKey(fleet: readonly TestService[], options: IssueOptions) {
  const [first] = fleet as [TestService];
  const allKnown = await awaiterOfKeyChanges(fleet, clock);
  const { id, secret } = await first.issueKey(options);
  await allKnown();
  const get = (instance: TestService) => instance.call("GET /pets", { secret });
  for (const instance of fleet) expect((await get(instance)).status).toBe(200);
  /** Changes the key, and asks each instance once, as soon as it knows. */
  const change = async (work: (store: Store) => Promise<unknown>, isFelt: (answer: Answer) => boolean) => {
    await first.withStore(work);
    await allKnown();
    for (const instance of fleet) expect(await get(instance)).toSatisfy(isFelt);
  };
  const edit = (wanted: Omit<KeyEdit, "idOrName">, isFelt: (answer: Answer) => boolean) =>
    change(({ keys }) => editKey({ keys, clock, author: SIGNED }, { idOrName: id, ...wanted }), isFelt);
  return { id, get, change, edit };
}

const isStatus =
  (status: number) =>
  (answer: Answer): boolean =>
    answer.status === status;

const isCode =
  (code: string) =>
  ({ json }: Answer): boolean =>
    json.code === code;

test.skipIf(!hasRedis)("each change to a key is felt by every instance", async () => {
  const { fleet } = await startFleet();
  const { id, change, edit } = await usedKey(fleet, { plan: "business" });
  await change(({ keys }) => suspendKey({ keys, clock, author: SIGNED }, id), isStatus(401));
  await change(({ keys }) => resumeKey({ keys, clock, author: SIGNED }, id), isStatus(200));
  await change(async ({ keys }) => {
    await editKey({ keys, clock, author: SIGNED }, { idOrName: id, expiresAtMs: clock.nowMs() + 1 });
    clock.advance(1);
  }, isStatus(401));
  await edit({ expiresAtMs: null }, isStatus(200));
  await change(({ keys }) => keys.revoke({ ...SIGNED, keyId: id, atMs: clock.nowMs() }), isStatus(401));
});

test.skipIf(!hasRedis)(
  "of many rotations on all instances at once, exactly one succeeds, and five in a day",
  async () => {
    const { fleet } = await startFleet();
    const { id, secret: first } = await fleet[0].issueKey({ plan: "enterprise", mayRotate: true });
    let secret = first;
    for (let round = 0; round <= 5; round++) {
      const presented = secret;
      const calls = Array.from({ length: 16 }, (_, i) =>
        (fleet[i % 2] as TestService).call("POST /key/rotate", { secret: presented }),
      );
      const answers = await Promise.all(calls);
      const rotated = answers.filter(isStatus(200));
      expect(rotated).toHaveLength(round < 5 ? 1 : 0);
      const code = round < 5 ? "secret_replaced" : "too_many_rotations";
      expect(answers.filter(isCode(code))).toHaveLength(round < 5 ? 15 : 16);
      secret = rotated[0]?.json.secret ?? secret;
    }
    for (const instance of fleet) expect((await instance.call("GET /key", { secret })).json.id).toBe(id);
    expect(await fleet[0].withStore(async ({ keys }) => keys.secretsOf(id))).toHaveLength(6);
  },
);

test.skipIf(!hasRedis)("a refusal that an instance remembers does not outlive the quota that it is for", async () => {
  const { fleet } = await startFleet();
  const { get, edit } = await usedKey(fleet, { plan: "enterprise", quotas: { perMinute: 4, perDay: 4 } });
  for (const instance of fleet) for (let i = 0; i < 5; i++) await get(instance);
  for (const instance of fleet) expect((await get(instance)).status).toBe(429);
  await edit({ perMinute: 1_000, perDay: 1_000 }, isStatus(200));
  const remaining = async (instance: TestService) => Number((await get(instance)).headers.get("x-ratelimit-remaining"));
  // Earlier usage is kept: 4 requests that passed, and those since the edit.
  expect([await remaining(fleet[0]), await remaining(fleet[1])]).toEqual([993, 992]);
  await edit({ perMinute: 4, perDay: 4 }, isStatus(429));
});

test.skipIf(!hasRedis)(
  "how many strikes lead to a ban follows the plan, and a ban stays when the plan changes",
  async () => {
    const { fleet } = await startFleet();
    const { get, edit } = await usedKey(fleet, { plan: "enterprise", quotas: { perMinute: 3, perDay: 100_000 } });
    for (const instance of fleet) for (let i = 0; i < 5; i++) await get(instance);
    // A ban takes 60 strikes before the edit, and 100 after it.
    await edit({ perMinute: 100 }, isStatus(200));
    while ((await get(fleet[0])).status === 200);
    // Of the twelve requests at first, three passed; the one that ended the loop was refused as well.
    let strikes = 12 - 3 + 1;
    while (!isCode("key_banned")(await get(fleet[0]))) strikes++;
    expect(strikes).toBe(99);
    await edit({ perMinute: 5_000 }, ({ headers }) => headers.get("x-ratelimit-limit") === "5000");
    for (const instance of fleet) expect((await get(instance)).json.code).toBe("key_banned");
  },
);

test.skipIf(!hasRedis)(
  "without Redis, a command neither shows nor lifts what is counted there, and says why",
  async () => {
    const { fleet, env } = await startFleet();
    const { id, get, change } = await usedKey(fleet, { plan: "free" });
    for (let i = 0; i < 130; i++) await get(fleet[0]);
    expect((await get(fleet[0])).json.code).toBe("key_banned");
    const inRedis = (keyIds: readonly string[]) => readTallies(parseRedisUrl(env.REDIS_URL) as RedisUrl, keyIds);
    await fleet[0].withStore(async (store) => {
      const { keys } = store;
      const refused = { kind: "refused", reason: { kind: "counted_in_redis" } };
      const without = { keys, clock, author: SIGNED, counters: countersOf(store, undefined) };
      const revision = await keys.revision();
      expect([await showKey(without, id), await unbanKey(without, id)] as object[]).toEqual([refused, refused]);
      expect(await keys.revision()).toBe(revision);
      const shown = await showKey({ keys, clock, counters: countersOf(store, inRedis) }, id);
      expect(shown).toMatchObject({ value: { state: "banned", use: { minute: { used: 60 } } } });
      const many = await inRedis([id, ...Array.from({ length: 1_200 }, (_, i) => `key_${i}`)]);
      expect([many.size, many.get("key_1199")]).toEqual([1_201, newTally()]);
    });
    const isNotBanned = (answer: Answer) => !isCode("key_banned")(answer);
    await change(
      (store) => unbanKey({ keys: store.keys, clock, author: SIGNED, counters: countersOf(store, inRedis) }, id),
      isNotBanned,
    );
  },
);

test("a last use that cannot be written is reported, and harms nobody: requests are answered, and the service stops", async () => {
  const url = await newDatabase();
  const logged: string[] = [];
  const service = await startService({ env: { DATABASE_URL: url }, logged });
  expect((await service.call("GET /pets")).status).toBe(200);
  await withSql(url, (sql) => sql`ALTER TABLE keys RENAME COLUMN last_used_at TO used_at`);
  expect((await service.call("GET /pets")).status).toBe(200);
  await service.stop();
  const errors = logged.map((line) => JSON.parse(line)).filter(({ level }) => level === "error");
  expect(errors.map(({ msg }) => msg)).toEqual(["could not note when keys were last used"]);
});
