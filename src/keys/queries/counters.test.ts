import { expect, test } from "bun:test";
import { bannedTally, openKeyStore } from "../../../test/harness/service/key-store.ts";
import { refused } from "../../base/result.ts";
import { newTally, type Tally } from "../../domain/limits/tally.ts";
import { issueKey } from "../issue.ts";
import { type CountedFor, countersOf } from "./counters.ts";

const inRedis: CountedFor = async (keyIds) => new Map(keyIds.map((keyId) => [keyId, newTally()]));

async function storeWithTally() {
  const store = await openKeyStore();
  const issued = await issueKey(store, { name: "x", plan: "free" });
  if (issued.kind === "refused") throw new Error(issued.reason.kind);
  const { id } = issued.value.key;
  const tally = bannedTally(store.clock.nowMs());
  await store.tallies.save([[id, tally]]);
  const counted = async (redis: CountedFor | undefined, keyIds: readonly string[] = [id]) => {
    const counters = await countersOf(store, redis)();
    return counters.kind === "refused" ? counters : counters.value(keyIds);
  };
  return { store, id, tally, counted };
}

test("where no service has noted where it counts, the settings decide", async () => {
  const { id, tally, counted } = await storeWithTally();
  expect(await counted(undefined)).toEqual(new Map([[id, tally]]));
  expect(await counted(inRedis)).toEqual(new Map([[id, newTally()]]));
});

test("what the service has noted wins: Redis is needed, or not even asked", async () => {
  const { store, id, tally, counted } = await storeWithTally();
  await store.metadata.noteCountingPlace("redis");
  expect(await counted(undefined)).toEqual(refused({ kind: "counted_in_redis" }));
  expect(await counted(inRedis)).toEqual(new Map([[id, newTally()]]));
  await store.metadata.noteCountingPlace("database");
  const asked = () => Promise.reject(new Error("Redis was asked"));
  expect(await counted(asked)).toEqual(new Map([[id, tally]]));
});

test("the database is asked for one key, for many, or for none", async () => {
  const { id, tally, counted } = await storeWithTally();
  expect(await counted(undefined, [])).toEqual(new Map());
  expect(await counted(undefined, ["key_unknown"])).toEqual(new Map());
  expect(((await counted(undefined, [id, "key_unknown"])) as Map<string, Tally>).get(id)).toEqual(tally);
});
