import { expect, test } from "bun:test";
import { openKeyStore } from "../../test/harness/key-store.ts";
import { DAY_MS, HOUR_MS } from "../domain/clock.ts";
import { digestOf } from "../domain/key.ts";
import { done, refused } from "../domain/result.ts";
import { type IssuedKey, issueKey, type KeyRequest } from "./issue.ts";
import { revokeKey } from "./revoke.ts";
import { OVERLAP_MAX_MS, rotateKey } from "./rotate.ts";

const store = await openKeyStore();

async function issue(request: Partial<KeyRequest> = {}): Promise<IssuedKey> {
  const issued = await issueKey(store, { name: "x", plan: "free", ...request });
  if (issued.kind === "refused") throw new Error(issued.reason.kind);
  return issued.value;
}

const expiryOf = async (secret: string) => (await store.keys.findBySecret(digestOf(secret)))?.secret.expiresAtMs;

test("the new secret does not expire, and the old one does after the overlap", async () => {
  const { key, secret: old } = await issue();
  const oldSecretsExpireAtMs = store.clock.nowMs() + HOUR_MS;
  const rotated = await rotateKey(store, { id: key.id, overlapMs: HOUR_MS });
  expect(rotated).toEqual(done({ key, secret: expect.stringMatching(/^ask_/), oldSecretsExpireAtMs }));
  if (rotated.kind === "refused") throw new Error(rotated.reason.kind);
  expect(await expiryOf(old)).toBe(oldSecretsExpireAtMs);
  expect(await store.keys.findBySecret(digestOf(rotated.value.secret))).toEqual({
    key,
    secret: { expiresAtMs: undefined },
  });
});

test("a second rotation does not prolong the life of the oldest secret", async () => {
  const { key, secret: oldest } = await issue();
  await rotateKey(store, { id: key.id, overlapMs: HOUR_MS });
  const expiresAtMs = await expiryOf(oldest);
  await rotateKey(store, { id: key.id, overlapMs: DAY_MS });
  expect(await expiryOf(oldest)).toBe(expiresAtMs as number);
});

test("an overlap is a whole number of milliseconds, at most a year", async () => {
  const { key, secret } = await issue();
  for (const overlapMs of [-1, 0.5, Number.NaN, OVERLAP_MAX_MS + 1])
    expect(await rotateKey(store, { id: key.id, overlapMs })).toEqual(refused({ kind: "invalid_overlap" }));
  expect(await expiryOf(secret)).toBeUndefined();
  for (const overlapMs of [0, OVERLAP_MAX_MS])
    expect((await rotateKey(store, { id: key.id, overlapMs })).kind).toBe("done");
});

test("a key that is unknown, revoked or expired keeps the secrets that it has", async () => {
  const overlapMs = HOUR_MS;
  expect(await rotateKey(store, { id: "key_none", overlapMs })).toEqual(refused({ kind: "no_such_key" }));
  const revoked = await issue();
  await revokeKey(store, revoked.key.id);
  const expired = await issue({ expiresAtMs: store.clock.nowMs() + DAY_MS });
  store.clock.advance(DAY_MS);
  const before = await store.keys.revision();
  for (const [{ key }, state] of [
    [revoked, "revoked"],
    [expired, "expired"],
  ] as const)
    expect(await rotateKey(store, { id: key.id, overlapMs })).toEqual(refused({ kind: "not_active", state }));
  expect(await store.keys.revision()).toBe(before);
});
