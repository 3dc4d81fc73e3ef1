import { expect, test } from "bun:test";
import { bannedTally, openKeyStore } from "../../../test/harness/service/key-store.ts";
import { refused } from "../../base/result.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../base/time/clock.ts";
import type { Key } from "../../domain/keys/key.ts";
import { issueKey, type KeyRequest } from "../issue.ts";
import { revokeKey } from "../revoke.ts";
import { rotateKey } from "../rotate.ts";
import { suspendKey } from "../suspend.ts";
import { type ShownKey, showKey } from "./show.ts";

const store = await openKeyStore();

async function issue(request: Partial<KeyRequest> = {}): Promise<Key> {
  const issued = await issueKey(store, { name: "x", plan: "free", ...request });
  if (issued.kind === "refused") throw new Error(issued.reason.kind);
  return issued.value.key;
}

async function show(key: Key): Promise<ShownKey> {
  const shown = await showKey(store, key.id);
  if (shown.kind === "refused") throw new Error(shown.reason.kind);
  return shown.value;
}

test("a key is shown with its state, its secret, and what is counted for it", async () => {
  const key = await issue();
  const nowMs = store.clock.nowMs();
  expect(await show(key)).toMatchObject({
    key,
    state: "active",
    secrets: [{ createdAtMs: nowMs, worksUntilMs: undefined }],
    use: { minute: { used: 0 }, day: { used: 0 }, bannedUntilMs: undefined },
  });
  await store.tallies.save([[key.id, bannedTally(nowMs)]]);
  expect(await show(key)).toMatchObject({
    state: "banned",
    use: {
      minute: { used: 60, remaining: 0, resetsAtMs: nowMs + 50_000 },
      day: { used: 60, remaining: 940 },
      bannedUntilMs: nowMs + MINUTE_MS,
      ladder: { bansInARow: 1, nextBanMs: 5 * MINUTE_MS },
    },
  });
});

test("the secrets that work are shown newest first, each until it ends or the key does", async () => {
  const issuedAtMs = store.clock.nowMs();
  const key = await issue({ expiresAtMs: issuedAtMs + DAY_MS });
  store.clock.advance(MINUTE_MS);
  await rotateKey(store, { idOrName: key.id, overlapMs: HOUR_MS });
  store.clock.advance(MINUTE_MS);
  await rotateKey(store, { idOrName: key.id, overlapMs: 2 * DAY_MS });
  const worksUntilMs = key.expiresAtMs;
  const newer = [
    { createdAtMs: issuedAtMs + 2 * MINUTE_MS, worksUntilMs },
    { createdAtMs: issuedAtMs + MINUTE_MS, worksUntilMs },
  ];
  const oldest = { createdAtMs: issuedAtMs, worksUntilMs: issuedAtMs + MINUTE_MS + HOUR_MS };
  expect((await show(key)).secrets).toEqual([...newer, oldest]);
  store.clock.advance(HOUR_MS - MINUTE_MS - 1);
  expect((await show(key)).secrets).toEqual([...newer, oldest]);
  store.clock.advance(1);
  expect((await show(key)).secrets).toEqual(newer);
  store.clock.advance(DAY_MS);
  expect(await show(key)).toMatchObject({ state: "expired", secrets: [] });
});

test("those of a suspended key are shown, because they work again when it is resumed; those of a revoked one are not", async () => {
  const key = await issue();
  await suspendKey(store, key.id);
  expect(await show(key)).toMatchObject({ state: "suspended", secrets: [{}] });
  await revokeKey(store, key.id);
  expect(await show(key)).toMatchObject({ state: "revoked", secrets: [] });
});

test("an unknown key is refused, and so is one whose requests are counted where nobody can look", async () => {
  expect(await showKey(store, "nobody")).toEqual(refused({ kind: "no_such_key", suggestion: undefined }));
  const counters = async () => refused({ kind: "counted_in_redis" as const });
  expect(await showKey({ ...store, counters }, (await issue()).id)).toEqual(refused({ kind: "counted_in_redis" }));
});
