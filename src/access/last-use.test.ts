import { describe, expect, test } from "bun:test";
import { SIGNED } from "../../test/harness/rows/author.ts";
import { openKeyStore } from "../../test/harness/service/key-store.ts";
import { FakeClock } from "../../test/harness/time/clock.ts";
import { MINUTE_MS } from "../base/time/clock.ts";
import { digestOf, newKey, newSecret } from "../domain/keys/key.ts";
import { PLANS } from "../domain/keys/plan.ts";
import { judge, newTally, ratePolicyOfAddress } from "../domain/limits/tally.ts";
import { type NotedUse, StoreUnavailable } from "../store/ports/store.ts";
import { createGate } from "./gate.ts";
import { Keyring } from "./keyring.ts";
import { LastUse } from "./last-use.ts";

const store = await openKeyStore();
const T0 = Date.parse("2027-03-01T12:00:00Z");

/** A gate with its keyring, on a store that fails or takes no writes when it is told to. */
async function setUp(isOpen = true, keysOf = store.keys) {
  const clock = new FakeClock(T0);
  const keyring = new Keyring(keysOf);
  await keyring.refresh();
  const meter = {
    judge: (_: string, policy: Parameters<typeof judge>[1]) => judge(newTally(), policy, T0),
    isRefused: () => false,
    tally: newTally,
  };
  const none = { perMinute: 0, unbannedAtMs: -1 };
  const gate = createGate({
    clock,
    keyring,
    keyMeter: isOpen ? meter : { ...meter, judge: () => judge(newTally(), none, T0) },
    addressMeter: meter,
    addressPolicy: ratePolicyOfAddress(5),
    environment: "production",
  });
  gate.open();
  const noted: (readonly NotedUse[])[] = [];
  const state = { isFailing: false, isReadOnly: false };
  const keys = {
    async noteUse(uses: readonly NotedUse[]) {
      if (state.isFailing) throw new StoreUnavailable("the disk is full");
      noted.push(uses);
      await store.keys.noteUse(uses);
    },
  };
  const lastUse = new LastUse({ keyring, keys, isReadOnly: () => state.isReadOnly, clock });
  const call = (secret: string) => gate.admit(`Bearer ${secret}`, () => "203.0.113.1");
  return { clock, keyring, state, noted, lastUse, call };
}

async function issue(change: { expiresAtMs?: number } = {}) {
  const secret = newSecret();
  const key = newKey({ name: "x", plan: "free", quotas: PLANS.free, createdAtMs: 1, expiresAtMs: change.expiresAtMs });
  await store.keys.create({ ...SIGNED, key, digest: digestOf(secret) });
  return { id: key.id, secret, used: async () => (await store.keys.get(key.id))?.lastUsedAtMs };
}

describe("the last use of a key", () => {
  test("is noted to the minute, and at most once a minute", async () => {
    const { id, secret, used } = await issue();
    const { clock, noted, lastUse, call } = await setUp();
    await lastUse.write();
    expect(noted).toEqual([]);
    clock.advance(MINUTE_MS / 2);
    for (let i = 0; i < 3; i++) await call(secret);
    await lastUse.write();
    expect(noted).toEqual([[{ keyId: id, atMs: T0 }]]);
    await call(secret);
    await lastUse.write();
    clock.advance(MINUTE_MS / 2 - 1);
    await call(secret);
    await lastUse.write();
    expect(noted).toHaveLength(1);
    clock.advance(1);
    await lastUse.write();
    expect(noted).toHaveLength(1);
    await call(secret);
    await lastUse.write();
    expect(noted).toHaveLength(2);
    expect(await used()).toBe(T0 + MINUTE_MS);
  });

  test("is noted for a request that is refused for its quota, and for either secret of a rotated key", async () => {
    const { id, secret, used } = await issue();
    const { lastUse, call } = await setUp(false);
    expect(await call(secret)).toMatchObject({ kind: "refusal", reason: { kind: "exhausted" } });
    await lastUse.write();
    expect(await used()).toBe(T0);
    const second = newSecret();
    await store.keys.rotate({
      ...SIGNED,
      keyId: id,
      digest: digestOf(second),
      atMs: T0,
      oldSecretsExpireAtMs: T0 + MINUTE_MS,
    });
    const { noted, ...rotated } = await setUp();
    for (const each of [secret, second]) await rotated.call(each);
    await rotated.lastUse.write();
    expect(noted).toEqual([[{ keyId: id, atMs: T0 }]]);
  });

  test("is noted although some key has changed while this one was looked up", async () => {
    const { secret, used } = await issue();
    const isFound = Promise.withResolvers<void>();
    const { keyring, lastUse, call } = await setUp(true, {
      ...store.keys,
      async findBySecret(digest) {
        await isFound.promise;
        return store.keys.findBySecret(digest);
      },
    });
    const calling = call(secret);
    await issue();
    await keyring.refresh();
    isFound.resolve();
    expect(await calling).toMatchObject({ kind: "pass" });
    await lastUse.write();
    expect(await used()).toBe(T0);
  });

  test("is not noted for a secret that is not valid", async () => {
    const [expired, revoked, suspended] = [await issue({ expiresAtMs: T0 }), await issue(), await issue()];
    await store.keys.revoke({ ...SIGNED, keyId: revoked.id, atMs: T0 });
    await store.keys.suspend({ ...SIGNED, keyId: suspended.id, atMs: T0 });
    const { noted, lastUse, call } = await setUp();
    for (const { secret } of [expired, revoked, suspended])
      for (let i = 0; i < 2; i++) expect(await call(secret)).toMatchObject({ kind: "refusal" });
    await call(newSecret());
    await lastUse.write();
    expect(noted).toEqual([]);
  });

  test("survives that the keyring is emptied, because a key was changed", async () => {
    const { secret, used } = await issue();
    const other = await issue();
    const { keyring, lastUse, call } = await setUp();
    await call(secret);
    await store.keys.edit({ ...SIGNED, keyId: other.id, name: "y" });
    await keyring.refresh();
    await call(other.secret);
    await lastUse.write();
    expect([await used(), await other.used()]).toEqual([T0, T0]);
  });

  test("survives a store that does not take it: the next attempt has it all, with its minute", async () => {
    const [first, second] = [await issue(), await issue()];
    const { clock, state, noted, lastUse, call } = await setUp();
    await call(first.secret);
    state.isFailing = true;
    await expect(lastUse.write()).rejects.toThrow("the disk is full");
    clock.advance(MINUTE_MS);
    await call(second.secret);
    await expect(lastUse.write()).rejects.toThrow("the disk is full");
    state.isFailing = false;
    await lastUse.write();
    await lastUse.write();
    expect(noted).toEqual([
      [
        { keyId: first.id, atMs: T0 },
        { keyId: second.id, atMs: T0 + MINUTE_MS },
      ],
    ]);
    // The first was not used in this minute yet.
    await call(first.secret);
    await call(second.secret);
    await lastUse.write();
    expect(noted[1]).toEqual([{ keyId: first.id, atMs: T0 + MINUTE_MS }]);
  });

  test("waits while the store is read-only", async () => {
    const { secret, used } = await issue();
    const { state, noted, lastUse, call } = await setUp();
    state.isReadOnly = true;
    await call(secret);
    await lastUse.write();
    expect(noted).toEqual([]);
    state.isReadOnly = false;
    await lastUse.write();
    expect(await used()).toBe(T0);
  });
});
