import { expect, test } from "bun:test";
import { openKeyStore } from "../../test/harness/service/key-store.ts";
import { done, refused } from "../base/result.ts";
import { DAY_MS, HOUR_MS } from "../base/time/clock.ts";
import { digestOf, problemWith } from "../domain/keys/key.ts";
import { type IssuedKey, issueKey, type KeyRequest } from "./issue.ts";
import { revokeKey } from "./revoke.ts";
import { OVERLAP_MAX_MS, rotateKey } from "./rotate.ts";
import { suspendKey } from "./suspend.ts";

const store = await openKeyStore();

async function issue(request: Partial<KeyRequest> = {}): Promise<IssuedKey> {
  const issued = await issueKey(store, { name: "x", plan: "free", ...request });
  if (issued.kind === "refused") throw new Error(issued.reason.kind);
  return issued.value;
}

const expiryOf = async (secret: string) => (await store.keys.findBySecret(digestOf(secret)))?.secret.expiresAtMs;

test("the new secret does not expire, and the old one does after the overlap", async () => {
  const { key, secret: old } = await issue();
  const atMs = store.clock.nowMs() + HOUR_MS;
  const rotated = await rotateKey(store, { idOrName: key.id, overlapMs: HOUR_MS });
  expect(rotated).toEqual(done({ key, secret: expect.stringMatching(/^ask_/), oldSecretsEndAtMs: atMs }));
  if (rotated.kind === "refused") throw new Error(rotated.reason.kind);
  expect(await expiryOf(old)).toBe(atMs);
  expect(await store.keys.findBySecret(digestOf(rotated.value.secret))).toEqual({
    key,
    secret: { expiresAtMs: undefined },
  });
});

test("in staging, a key that was issued in production gets a secret of staging, and the old one works on", async () => {
  const { key, secret: old } = await issue();
  const staging = { ...store, environment: "staging" as const };
  const rotated = await rotateKey(staging, { idOrName: key.id, overlapMs: HOUR_MS });
  expect(rotated).toMatchObject({ kind: "done", value: { secret: expect.stringMatching(/^ask_test_/) } });
  expect(await expiryOf(old)).toBe(store.clock.nowMs() + HOUR_MS);
});

test("a second rotation does not prolong the life of the oldest secret", async () => {
  const { key, secret: oldest } = await issue();
  await rotateKey(store, { idOrName: key.id, overlapMs: HOUR_MS });
  const expiresAtMs = await expiryOf(oldest);
  await rotateKey(store, { idOrName: key.id, overlapMs: DAY_MS });
  expect(await expiryOf(oldest)).toBe(expiresAtMs as number);
});

const endAfter = async (request: Partial<KeyRequest>, overlapMs: number) => {
  const { key, secret } = await issue(request);
  const rotated = await rotateKey(store, { idOrName: key.id, overlapMs });
  if (rotated.kind === "refused") throw new Error(rotated.reason.kind);
  const found = await store.keys.findBySecret(digestOf(secret));
  if (!found) throw new Error("the secret is gone");
  const problemAt = (atMs: number) => problemWith(found.key, found.secret, atMs)?.kind;
  return { end: rotated.value.oldSecretsEndAtMs, problemAt };
};

test("what is said about the end of the old secrets is true at the edges", async () => {
  const nowMs = store.clock.nowMs();
  const expiresAtMs = nowMs + HOUR_MS;
  const atOnce = await endAfter({ expiresAtMs }, 0);
  expect(atOnce.end).toBe(nowMs);
  expect(atOnce.problemAt(nowMs)).toBe("replaced");
  for (const [overlapMs, problem] of [
    [1, "replaced"],
    [HOUR_MS - 1, "replaced"],
    [HOUR_MS, "expired"],
    [HOUR_MS + 1, "expired"],
    [OVERLAP_MAX_MS, "expired"],
  ] as const) {
    const { end, problemAt } = await endAfter({ expiresAtMs }, overlapMs);
    expect(end).toBe(nowMs + Math.min(overlapMs, HOUR_MS));
    expect([problemAt(end - 1), problemAt(end)]).toEqual([undefined, problem]);
  }
  expect((await endAfter({}, OVERLAP_MAX_MS)).end).toBe(nowMs + OVERLAP_MAX_MS);
});

test("a suspended key gets a new secret, too, and stays suspended: that is how a leaked one is replaced", async () => {
  const { key } = await issue();
  await suspendKey(store, key.id);
  expect(await rotateKey(store, { idOrName: key.id, overlapMs: 0 })).toMatchObject({
    kind: "done",
    value: { key: { suspendedAtMs: store.clock.nowMs() }, oldSecretsEndAtMs: store.clock.nowMs() },
  });
});

test("an overlap is a whole number of milliseconds, at most a year", async () => {
  const { key, secret } = await issue();
  for (const overlapMs of [-1, 0.5, Number.NaN, OVERLAP_MAX_MS + 1])
    expect(await rotateKey(store, { idOrName: key.id, overlapMs })).toEqual(refused({ kind: "invalid_overlap" }));
  expect(await expiryOf(secret)).toBeUndefined();
  for (const overlapMs of [0, OVERLAP_MAX_MS])
    expect((await rotateKey(store, { idOrName: key.id, overlapMs })).kind).toBe("done");
});

test("a key that is unknown, revoked or expired keeps the secrets that it has", async () => {
  const overlapMs = HOUR_MS;
  expect(await rotateKey(store, { idOrName: "key_none", overlapMs })).toEqual(
    refused({ kind: "no_such_key", suggestion: undefined }),
  );
  const revoked = await issue();
  await revokeKey(store, revoked.key.id);
  const expired = await issue({ expiresAtMs: store.clock.nowMs() + DAY_MS });
  store.clock.advance(DAY_MS);
  const before = await store.keys.revision();
  for (const [{ key }, state] of [
    [revoked, "revoked"],
    [expired, "expired"],
  ] as const)
    expect(await rotateKey(store, { idOrName: key.id, overlapMs })).toMatchObject(
      refused({ kind: "ended", state, key: { id: key.id } }),
    );
  expect(await store.keys.revision()).toBe(before);
});
