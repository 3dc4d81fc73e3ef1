import { expect, test } from "bun:test";
import { openKeyStore } from "../../test/harness/service/key-store.ts";
import { done, refused } from "../base/result.ts";
import { DAY_MS } from "../base/time/clock.ts";
import { issueKey } from "./issue.ts";
import { revokeKey } from "./revoke.ts";

const store = await openKeyStore();

test("a revocation is permanent, and a second one changes nothing", async () => {
  const issued = await issueKey(store, { name: "x", plan: "free" });
  if (issued.kind === "refused") throw new Error(issued.reason.kind);
  const revoked = { ...issued.value.key, revokedAtMs: store.clock.nowMs() };
  expect(await revokeKey(store, revoked.id)).toEqual(done({ key: revoked, hasChanged: true }));
  expect(await store.keys.get(revoked.id)).toEqual(revoked);

  const before = await store.keys.revision();
  store.clock.advance(DAY_MS);
  expect(await revokeKey(store, revoked.id)).toEqual(done({ key: revoked, hasChanged: false }));
  expect(await store.keys.get(revoked.id)).toEqual(revoked);
  expect(await store.keys.revision()).toBe(before);
});

test("an unknown key cannot be revoked", async () => {
  expect(await revokeKey(store, "key_none")).toEqual(refused({ kind: "no_such_key", suggestion: undefined }));
});
