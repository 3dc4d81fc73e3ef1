import { expect, test } from "bun:test";
import { SIGNED } from "../../../test/harness/rows/author.ts";
import { bannedTally, openKeyStore } from "../../../test/harness/service/key-store.ts";
import { refused } from "../../base/result.ts";
import { DAY_MS, MINUTE_MS } from "../../base/time/clock.ts";
import type { Key } from "../../domain/keys/key.ts";
import { issueKey, type KeyRequest } from "../issue.ts";
import { type KeyFilter, listKeys } from "./list.ts";
import { TRUE_STATES } from "./use.ts";

const store = await openKeyStore();
const nowMs = store.clock.nowMs();

async function issue(request: Partial<KeyRequest>): Promise<Key> {
  const issued = await issueKey(store, { name: "x", plan: "free", ...request });
  if (issued.kind === "refused") throw new Error(issued.reason.kind);
  store.clock.advance(1);
  return issued.value.key;
}

const active = await issue({ name: "Café FRONT" });
const banned = await issue({ name: "banned", plan: "pro" });
const suspended = await issue({ name: "suspended" });
await issue({ name: "expired", expiresAtMs: nowMs + MINUTE_MS / 2 });
const revoked = await issue({ name: "revoked", plan: "pro" });
for (const key of [banned, suspended]) await store.tallies.save([[key.id, bannedTally(nowMs)]]);
await store.keys.suspend({ ...SIGNED, keyId: suspended.id, atMs: nowMs });
await store.keys.revoke({ ...SIGNED, keyId: revoked.id, atMs: nowMs });
await store.keys.noteUse([{ keyId: active.id, atMs: nowMs + MINUTE_MS }]);
store.clock.advance(MINUTE_MS / 2);

async function list(filter: KeyFilter, parts: Partial<Parameters<typeof listKeys>[0]> = {}) {
  const listed = await listKeys({ ...store, ...parts }, filter);
  if (listed.kind === "refused") throw new Error(listed.reason.kind);
  return listed.value;
}

const names = async (filter: KeyFilter) => (await list(filter)).keys.map(({ key }) => key.name);

test("all keys are listed, oldest first, with their true states, bans and last uses", async () => {
  const { keys, areBansKnown, total } = await list({});
  expect(keys.map(({ key, state, bannedUntilMs }) => [key.name, state, bannedUntilMs])).toEqual([
    ["Café FRONT", "active", undefined],
    ["banned", "banned", nowMs + MINUTE_MS],
    ["suspended", "suspended", undefined],
    ["expired", "expired", undefined],
    ["revoked", "revoked", undefined],
  ]);
  expect(keys[0]?.key.lastUsedAtMs).toBe(nowMs + MINUTE_MS);
  expect([areBansKnown, total]).toEqual([true, 5]);
});

test("filters by state, plan and text, in every combination", async () => {
  for (const state of TRUE_STATES) expect(await names({ state })).toEqual([state === "active" ? "Café FRONT" : state]);
  expect(await names({ plan: "pro" })).toEqual(["banned", "revoked"]);
  expect(await names({ plan: "pro", state: "banned" })).toEqual(["banned"]);
  expect(await names({ plan: "business" })).toEqual([]);
  expect(await names({ search: "E" })).toEqual(expect.arrayContaining(["banned", "suspended", "expired", "revoked"]));
  expect(await names({ search: "cafe\u0301 front" })).toEqual(["Café FRONT"]);
  expect(await names({ search: active.id.toUpperCase() })).toEqual(["Café FRONT"]);
  expect(await names({ search: active.id.slice(-6) })).toEqual(["Café FRONT"]);
  // All ids begin so, and no name does.
  expect(await names({ search: "key" })).toEqual([]);
  expect(await names({ search: "%" })).toEqual([]);
  expect(await names({ search: "" })).toHaveLength(5);
  expect((await list({ search: "%" })).total).toBe(5);
});

test("a ban that is over is not shown", async () => {
  const later = { nowMs: () => nowMs + MINUTE_MS };
  expect((await list({ state: "banned" }, { clock: later })).keys).toEqual([]);
  expect((await list({ plan: "pro" }, { clock: { nowMs: () => nowMs + DAY_MS } })).keys[0]?.state).toBe("active");
});

test("where requests are counted in Redis, and that is not given, a list says so, and asserts nothing about bans", async () => {
  const counters = async () => refused({ kind: "counted_in_redis" as const });
  const { keys, areBansKnown } = await list({}, { counters });
  expect([areBansKnown, keys.map(({ state }) => state)]).toEqual([
    false,
    ["active", "active", "suspended", "expired", "revoked"],
  ]);
  expect((await list({ state: "suspended" }, { counters })).keys).toHaveLength(1);
  for (const state of ["active", "banned"] as const)
    expect(await listKeys({ ...store, counters }, { state })).toEqual(refused({ kind: "counted_in_redis" }));
});
