import { expect, test } from "bun:test";
import { bannedTally, openKeyStore } from "../../test/harness/service/key-store.ts";
import { OperatorError } from "../base/operator-error.ts";
import { done, refused } from "../base/result.ts";
import { MINUTE_MS, SECOND_MS } from "../base/time/clock.ts";
import type { Key } from "../domain/keys/key.ts";
import { issueKey } from "./issue.ts";
import { useOf } from "./queries/use.ts";
import { unbanKey } from "./unban.ts";

const store = await openKeyStore();
const nowMs = store.clock.nowMs();

async function issue(): Promise<Key> {
  const issued = await issueKey(store, { name: "x", plan: "free" });
  if (issued.kind === "refused") throw new Error(issued.reason.kind);
  return issued.value.key;
}

test("a banned key is banned no longer", async () => {
  const key = await issue();
  const tally = bannedTally(nowMs - SECOND_MS);
  await store.tallies.save([[key.id, tally]]);
  const unbanned = { ...key, unbannedAtMs: nowMs };
  expect(await unbanKey(store, key.id)).toEqual(done({ key: unbanned, hasChanged: true }));
  expect(await store.keys.get(key.id)).toEqual(unbanned);
  expect(useOf(unbanned, tally, nowMs).bannedUntilMs).toBeUndefined();
  expect(await unbanKey(store, key.id)).toEqual(done({ key: unbanned, hasChanged: false }));
  const { rows } = await store.journal.list({ keyId: key.id, size: 10 });
  expect(rows.map(({ action }) => action)).toEqual(["keys create", "keys unban"]);
});

test("a key that is not banned, or no longer, is said not to have been", async () => {
  const key = await issue();
  const entries = async () => (await store.journal.list({ keyId: key.id, size: 10 })).rows.map(({ action }) => action);
  expect(await unbanKey(store, key.id)).toMatchObject({ value: { hasChanged: false } });
  expect(await entries()).toEqual(["keys create"]);
  await store.tallies.save([[key.id, bannedTally(nowMs - MINUTE_MS)]]);
  expect(await unbanKey(store, key.id)).toMatchObject({ value: { hasChanged: false } });
});

test("a ban is lifted that began by a clock ahead of this one", async () => {
  const key = await issue();
  const tally = bannedTally(nowMs + 5 * SECOND_MS);
  await store.tallies.save([[key.id, tally]]);
  const unbanned = { ...key, unbannedAtMs: nowMs + 5 * SECOND_MS };
  expect(await unbanKey(store, key.id)).toEqual(done({ key: unbanned, hasChanged: true }));
  expect(await store.keys.get(key.id)).toEqual(unbanned);
});

test("a ban is lifted even when the counters cannot be read, which is an error all the same", async () => {
  const key = await issue();
  const unreadable = async () => {
    throw new OperatorError("Redis does not answer");
  };
  await expect(unbanKey({ ...store, counters: async () => done(unreadable) }, key.id)).rejects.toThrow(
    "Redis does not answer",
  );
  expect((await store.keys.get(key.id))?.unbannedAtMs).toBe(nowMs);
});

test("where requests are counted in Redis, and that is not given, nothing is written", async () => {
  const key = await issue();
  const counters = async () => refused({ kind: "counted_in_redis" as const });
  const before = await store.keys.revision();
  expect(await unbanKey({ ...store, counters }, key.id)).toEqual(refused({ kind: "counted_in_redis" }));
  expect(await store.keys.get(key.id)).toEqual(key);
  expect(await store.keys.revision()).toBe(before);
});

test("an unknown key cannot be unbanned", async () => {
  expect(await unbanKey(store, "key_none")).toEqual(refused({ kind: "no_such_key", suggestion: undefined }));
});
