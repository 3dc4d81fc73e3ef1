import { expect, test } from "bun:test";
import { SIGNED } from "../../test/harness/rows/author.ts";
import { bannedTally, openKeyStore } from "../../test/harness/service/key-store.ts";
import { done, refused } from "../base/result.ts";
import { DAY_MS, HOUR_MS } from "../base/time/clock.ts";
import { digestOf } from "../domain/keys/key.ts";
import { DELETABLE_AFTER_MS, deleteKey } from "./delete.ts";
import { type IssuedKey, issueKey, type KeyRequest } from "./issue.ts";
import { revokeKey } from "./revoke.ts";

const store = await openKeyStore();

/** A sleep of the fake clock, with what it was asked for. */
function sleeping() {
  const slept: number[] = [];
  const sleep = async (ms: number) => {
    slept.push(ms);
    store.clock.advance(ms);
  };
  return { ...store, sleep, slept };
}

async function issue(request: Partial<KeyRequest> = {}): Promise<IssuedKey> {
  const issued = await issueKey(store, { name: "x", plan: "free", ...request });
  if (issued.kind === "refused") throw new Error(issued.reason.kind);
  return issued.value;
}

test("a revoked key is deleted, with everything that is kept about it", async () => {
  const { key, secret } = await issue();
  await store.tallies.save([[key.id, bannedTally(store.clock.nowMs())]]);
  for (let i = 0; i < 250; i++) await store.saveResponse(key.id, `retry ${i}`);
  await revokeKey(store, key.id);
  store.clock.advance(HOUR_MS);
  const parts = sleeping();
  expect(await deleteKey(parts, key.id)).toMatchObject(done({ key: { id: key.id }, hasChanged: true }));
  expect(parts.slept).toEqual([]);
  expect(await store.keys.get(key.id)).toBeUndefined();
  expect(await store.keys.findBySecret(digestOf(secret))).toBeUndefined();
  expect(await store.keys.secretsOf(key.id)).toEqual([]);
  expect(await store.tallies.get(key.id)).toBeUndefined();
  expect(await deleteKey(parts, key.id)).toMatchObject(refused({ kind: "no_such_key" }));
});

test("it waits until no instance can be working for the key any more, and says for how long", async () => {
  const { key } = await issue();
  await revokeKey(store, key.id);
  store.clock.advance(1_500);
  const waits: number[] = [];
  const parts = { ...sleeping(), onWait: (ms: number) => waits.push(ms) };
  await deleteKey(parts, key.id);
  expect([parts.slept, waits]).toEqual([[DELETABLE_AFTER_MS - 1_500], [DELETABLE_AFTER_MS - 1_500]]);
  expect(await store.keys.get(key.id)).toBeUndefined();
});

test("a revocation by a clock that is ahead does not make it wait for longer", async () => {
  const { key } = await issue();
  await store.keys.revoke({ ...SIGNED, keyId: key.id, atMs: store.clock.nowMs() + DAY_MS });
  const parts = sleeping();
  await deleteKey(parts, key.id);
  expect(parts.slept).toEqual([DELETABLE_AFTER_MS]);
});

test("a key that is not revoked is refused, and stays as it is", async () => {
  const { key: active } = await issue({ name: "active" });
  const { key: suspended } = await issue();
  await store.keys.suspend({ ...SIGNED, keyId: suspended.id, atMs: 1 });
  const { key: expired } = await issue({ expiresAtMs: store.clock.nowMs() + 1 });
  store.clock.advance(1);
  for (const [{ id }, state] of [
    [active, "active"],
    [suspended, "suspended"],
    [expired, "expired"],
  ] as const) {
    expect(await deleteKey(sleeping(), id)).toMatchObject(refused({ kind: "not_revoked", state, key: { id } }));
    expect(await store.keys.delete({ ...SIGNED, keyId: id })).toBe(false);
    expect(await store.keys.secretsOf(id)).toHaveLength(1);
  }
  expect(await deleteKey(sleeping(), "activ")).toEqual(refused({ kind: "no_such_key", suggestion: "active" }));
});
