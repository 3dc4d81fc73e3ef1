import { describe, expect, test } from "bun:test";
import { DAY_MS, MINUTE_MS } from "../../../src/base/time/clock.ts";
import { type Key, newKey } from "../../../src/domain/keys/key.ts";
import { PLANS } from "../../../src/domain/keys/plan.ts";
import { SCOPES } from "../../../src/domain/keys/scope.ts";
import { newTally, type Tally } from "../../../src/domain/limits/tally.ts";
import type { Store } from "../../../src/store/ports/store.ts";
import { SIGNED } from "../../harness/rows/author.ts";

const NOW = Date.parse("2027-03-01T12:00:00Z");

/** The contract of keys that change, which every adapter runs. `open` returns a new, empty store. */
export function keyStoreContract(name: string, open: () => Promise<Store>): void {
  describe(`${name}: the contract of changed keys`, () => {
    const issued = { name: "Front desk 🐾", plan: "pro", quotas: PLANS.pro, createdAtMs: NOW } as const;

    async function create({ keys }: Store, change: Partial<Key> = {}): Promise<Key> {
      const key = { ...newKey({ ...issued, expiresAtMs: undefined }), ...change };
      await keys.create({ ...SIGNED, key, digest: `first of ${key.id}` });
      return key;
    }

    const tallyWith = (used: number): Tally => {
      const tally = newTally();
      tally.day.used = used;
      return tally;
    };

    test("an edit changes the fields that are given, and returns the key as it is then", async () => {
      const store = await open();
      const key = await create(store, { expiresAtMs: NOW + DAY_MS, unbannedAtMs: NOW, lastUsedAtMs: NOW });
      const other = await create(store);
      let current = key;
      for (const change of [
        { name: "Hinterhaus ' \" \\ 日本" },
        { plan: "enterprise", quotas: { perMinute: 1_000_000_000, perDay: 1_000_000_000 } },
        { plan: "free", quotas: PLANS.free },
        { scopes: ["pets:read", "orders:read"] },
        { scopes: SCOPES },
        { expiresAtMs: NOW + 2 * DAY_MS },
        { name: "x", scopes: ["orders:write"] },
      ] as Partial<Key>[]) {
        current = { ...current, ...change };
        expect(await store.keys.edit({ ...SIGNED, keyId: key.id, ...(change as object) })).toEqual(current);
        expect(await store.keys.get(key.id)).toEqual(current);
      }
      expect(await store.keys.edit({ ...SIGNED, keyId: key.id, expiresAtMs: null })).toEqual({
        ...current,
        expiresAtMs: undefined,
      });
      expect(await store.keys.edit({ ...SIGNED, keyId: "key_unknown", name: "y" })).toBeUndefined();
      expect(await store.keys.get(other.id)).toEqual(other);
      await store.close();
    });

    test("edits at once do not undo each other", async () => {
      const store = await open();
      const { id: keyId } = await create(store);
      await Promise.all([
        store.keys.edit({ ...SIGNED, keyId, name: "new" }),
        store.keys.edit({ ...SIGNED, keyId, scopes: ["pets:read"] }),
        store.keys.edit({ ...SIGNED, keyId, plan: "free", quotas: PLANS.free }),
        store.keys.edit({ ...SIGNED, keyId, expiresAtMs: NOW }),
        store.keys.suspend({ ...SIGNED, keyId, atMs: NOW }),
        store.keys.unban({ ...SIGNED, keyId, atMs: NOW }),
      ]);
      expect(await store.keys.get(keyId)).toMatchObject({
        name: "new",
        scopes: ["pets:read"],
        plan: "free",
        quotas: PLANS.free,
        expiresAtMs: NOW,
        suspendedAtMs: NOW,
        unbannedAtMs: NOW,
      });
      await store.close();
    });

    test("a key is suspended since it first was, until it is resumed", async () => {
      const store = await open();
      const key = await create(store);
      await store.keys.suspend({ ...SIGNED, keyId: key.id, atMs: NOW });
      await store.keys.suspend({ ...SIGNED, keyId: key.id, atMs: NOW + 1 });
      expect(await store.keys.get(key.id)).toEqual({ ...key, suspendedAtMs: NOW });
      expect((await store.keys.findBySecret(`first of ${key.id}`))?.key.suspendedAtMs).toBe(NOW);
      const both = await store.keys.findBySecrets([`first of ${key.id}`, "none", `first of ${key.id}`]);
      expect([...both.keys()]).toEqual([`first of ${key.id}`]);
      expect(both.get(`first of ${key.id}`)).toEqual(await store.keys.findBySecret(`first of ${key.id}`));
      expect((await store.keys.findBySecrets([])).size).toBe(0);
      await store.keys.resume({ ...SIGNED, keyId: key.id });
      await store.keys.resume({ ...SIGNED, keyId: key.id });
      expect(await store.keys.get(key.id)).toEqual(key);
      await store.close();
    });

    test("edits, suspensions and deletions raise the revision; uses and facts do not", async () => {
      const store = await open();
      const { id: keyId } = await create(store);
      const revisions = [await store.keys.revision()];
      for (const change of [
        () => store.keys.edit({ ...SIGNED, keyId, name: "y" }),
        () => store.keys.suspend({ ...SIGNED, keyId, atMs: NOW }),
        () => store.keys.resume({ ...SIGNED, keyId }),
        () => store.keys.revoke({ ...SIGNED, keyId, atMs: NOW }),
        () => store.keys.delete({ ...SIGNED, keyId }),
      ]) {
        await change();
        revisions.push(await store.keys.revision());
      }
      expect(revisions).toEqual([...new Set(revisions)].sort((a, b) => a - b));
      const { id } = await create(store);
      const before = await store.keys.revision();
      await store.keys.noteUse([{ keyId: id, atMs: NOW }]);
      await store.metadata.noteCountingPlace("redis");
      await store.maintenance.deleteResponsesOfKey({ keyId: id });
      expect(await store.keys.revision()).toBe(before);
      await store.close();
    });

    test("a last use only moves forward, and those of keys that are not there are ignored", async () => {
      const store = await open();
      const [a, b] = [await create(store), await create(store)];
      const uses = async () => [await store.keys.get(a.id), await store.keys.get(b.id)].map((key) => key?.lastUsedAtMs);
      const note = (...pairs: [keyId: string, atMs: number][]) =>
        store.keys.noteUse(pairs.map(([keyId, atMs]) => ({ keyId, atMs })));
      await note([a.id, NOW]);
      expect(await uses()).toEqual([NOW, undefined]);
      await note([a.id, NOW - MINUTE_MS], ["key_unknown", NOW], [b.id, NOW + MINUTE_MS]);
      expect(await uses()).toEqual([NOW, NOW + MINUTE_MS]);
      await note();
      await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          i % 2 === 0 ? note([a.id, NOW + i], [b.id, NOW + i]) : note([b.id, NOW + i], [a.id, NOW + i]),
        ),
      );
      expect(await uses()).toEqual([NOW + 19, NOW + MINUTE_MS]);
      expect(await store.keys.get(a.id)).toEqual({ ...a, lastUsedAtMs: NOW + 19 });
      await store.close();
    });

    test("secrets are listed newest first, with when they were created and when they expire", async () => {
      const store = await open();
      const { id: keyId } = await create(store);
      await create(store);
      await store.keys.rotate({ ...SIGNED, keyId, digest: "second", atMs: NOW + 1, oldSecretsExpireAtMs: NOW + 500 });
      await store.keys.rotate({ ...SIGNED, keyId, digest: "third", atMs: NOW + 2, oldSecretsExpireAtMs: NOW + 500 });
      await store.keys.rotate({ ...SIGNED, keyId, digest: "fourth", atMs: NOW + 3, oldSecretsExpireAtMs: NOW + 900 });
      expect(await store.keys.secretsOf(keyId)).toEqual([
        { createdAtMs: NOW + 3, expiresAtMs: undefined },
        { createdAtMs: NOW + 2, expiresAtMs: NOW + 900 },
        { createdAtMs: NOW + 1, expiresAtMs: NOW + 500 },
        { createdAtMs: NOW, expiresAtMs: NOW + 500 },
      ]);
      expect(await store.keys.secretsOf("key_unknown")).toEqual([]);
      await store.close();
    });

    test("a revoked key is deleted with all that belongs to it, and no other key is touched", async () => {
      const store = await open();
      const [gone, stays] = [await create(store), await create(store)];
      const write = ({ id }: Key, value: string) =>
        store.animals.create(
          { name: "Rex", categoryId: 7n, status: "available" },
          { keyId: id, value, fingerprint: "f", nowMs: NOW },
        );
      for (const key of [gone, stays]) {
        for (let i = 0; i < 3; i++) await write(key, `retry ${i}`);
        await store.tallies.save([[key.id, tallyWith(5)]]);
      }
      expect(await store.keys.delete({ ...SIGNED, keyId: gone.id })).toBe(false);
      expect(await store.keys.delete({ ...SIGNED, keyId: "key_unknown" })).toBe(false);
      expect(await store.keys.get(gone.id)).toEqual(gone);
      expect(await write(gone, "retry 0")).toMatchObject({ kind: "replay" });
      await store.keys.revoke({ ...SIGNED, keyId: gone.id, atMs: NOW });
      expect(await store.keys.delete({ ...SIGNED, keyId: gone.id })).toBe(true);
      expect(await store.keys.delete({ ...SIGNED, keyId: gone.id })).toBe(false);
      expect(await store.keys.list()).toEqual([stays]);
      expect(await store.keys.findBySecret(`first of ${gone.id}`)).toBeUndefined();
      expect(await store.keys.secretsOf(gone.id)).toEqual([]);
      expect(await store.tallies.load()).toEqual([[stays.id, tallyWith(5)]]);
      expect(await write(stays, "retry 0")).toMatchObject({ kind: "replay" });
      // Under the same id there would be nothing left of it.
      await store.keys.create({ ...SIGNED, key: gone, digest: "again" });
      expect(await write(gone, "retry 0")).toMatchObject({ kind: "done" });
      await store.close();
    });

    test("the responses of a key are deleted some at a time", async () => {
      const store = await open();
      const [a, b] = [await create(store), await create(store)];
      const write = ({ id }: Key, value: string) =>
        store.animals.create(
          { name: "Rex", categoryId: 7n, status: "available" },
          { keyId: id, value, fingerprint: "f", nowMs: NOW },
        );
      await Promise.all(Array.from({ length: 150 }, (_, i) => write(a, `retry ${i}`)));
      await write(b, "retry 0");
      expect(await store.maintenance.deleteResponsesOfKey({ keyId: a.id })).toBe(true);
      expect(await store.maintenance.deleteResponsesOfKey({ keyId: a.id })).toBe(false);
      expect(await store.maintenance.deleteResponsesOfKey({ keyId: a.id })).toBe(false);
      expect(await write(a, "retry 149")).toMatchObject({ kind: "done" });
      expect(await write(b, "retry 0")).toMatchObject({ kind: "replay" });
      await store.close();
    });

    test("a tally of a key that was deleted is not saved, and the others with it are", async () => {
      const store = await open();
      const [gone, stays] = [await create(store), await create(store)];
      await store.keys.revoke({ ...SIGNED, keyId: gone.id, atMs: NOW });
      const save = (used: number) =>
        store.tallies.save([
          [gone.id, tallyWith(used)],
          [stays.id, tallyWith(used)],
        ]);
      await save(1);
      const saves = Promise.all(Array.from({ length: 20 }, (_, i) => save(i + 2)));
      await store.keys.delete({ ...SIGNED, keyId: gone.id });
      await saves;
      await save(100);
      expect(await store.tallies.load()).toEqual([[stays.id, tallyWith(100)]]);
      await store.close();
    });

    test("where requests are counted is not known, or what was noted last", async () => {
      const store = await open();
      expect(await store.metadata.countingPlace()).toBeUndefined();
      for (const place of ["redis", "database", "database"] as const) {
        await store.metadata.noteCountingPlace(place);
        expect(await store.metadata.countingPlace()).toBe(place);
      }
      await store.close();
    });
  });
}
