import { expect, test } from "bun:test";
import { SIGNED } from "../../test/harness/rows/author.ts";
import { openKeyStore } from "../../test/harness/service/key-store.ts";
import { done, refused } from "../base/result.ts";
import { DAY_MS } from "../base/time/clock.ts";
import type { Key } from "../domain/keys/key.ts";
import { issueKey, type KeyRequest } from "./issue.ts";
import { resumeKey, suspendKey } from "./suspend.ts";

const store = await openKeyStore();

async function issue(request: Partial<KeyRequest> = {}): Promise<Key> {
  const issued = await issueKey(store, { name: "x", plan: "free", ...request });
  if (issued.kind === "refused") throw new Error(issued.reason.kind);
  return issued.value.key;
}

test("a key is suspended, by its name too, and resumed as it was", async () => {
  const key = await issue({ name: "Front desk" });
  const suspended = { ...key, suspendedAtMs: store.clock.nowMs() };
  expect(await suspendKey(store, "Front desk")).toEqual(done({ key: suspended, hasChanged: true }));
  expect(await store.keys.get(key.id)).toEqual(suspended);
  expect(await resumeKey(store, "Front desk")).toEqual(done({ key, hasChanged: true }));
  expect(await store.keys.get(key.id)).toEqual(key);
});

test("what is so already stays so, and nothing is written", async () => {
  const key = await issue();
  const before = await store.keys.revision();
  expect(await resumeKey(store, key.id)).toEqual(done({ key, hasChanged: false }));
  expect(await store.keys.revision()).toBe(before);
  await suspendKey(store, key.id);
  const suspended = { ...key, suspendedAtMs: store.clock.nowMs() };
  store.clock.advance(DAY_MS);
  expect(await suspendKey(store, key.id)).toEqual(done({ key: suspended, hasChanged: false }));
  expect(await store.keys.revision()).toBe(before + 1);
});

test("a key that is unknown, revoked or expired is refused, and stays as it is", async () => {
  const revoked = await issue();
  await suspendKey(store, revoked.id);
  await store.keys.revoke({ ...SIGNED, keyId: revoked.id, atMs: 1 });
  const expired = await issue({ expiresAtMs: store.clock.nowMs() + DAY_MS });
  await suspendKey(store, expired.id);
  store.clock.advance(DAY_MS);
  const before = await store.keys.revision();
  for (const change of [suspendKey, resumeKey]) {
    expect(await change(store, "nobody")).toEqual(refused({ kind: "no_such_key", suggestion: undefined }));
    for (const [{ id }, state] of [
      [revoked, "revoked"],
      [expired, "expired"],
    ] as const)
      expect(await change(store, id)).toMatchObject(refused({ kind: "ended", state, key: { id } }));
  }
  expect(await store.keys.revision()).toBe(before);
});
