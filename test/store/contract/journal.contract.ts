import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { DAY_MS } from "../../../src/base/time/clock.ts";
import type { JournalContent, JournalEntry } from "../../../src/domain/journal.ts";
import { contentOfKey } from "../../../src/domain/keys/changes.ts";
import { type Key, newKey } from "../../../src/domain/keys/key.ts";
import { PLAN_NAMES, PLANS } from "../../../src/domain/keys/plan.ts";
import { READ_SCOPES, SCOPES } from "../../../src/domain/keys/scope.ts";
import type { Store } from "../../../src/store/ports/store.ts";

const NOW = Date.parse("2027-03-01T12:00:00Z");
const DIGEST = "0123456789abcdef".repeat(4);
const ANNA = { by: "Anna 🐾", via: "command", atMs: NOW } as const;

const issued = (change: Partial<Key> = {}): Key => ({
  ...newKey({ name: "Front desk", plan: "pro", quotas: PLANS.pro, createdAtMs: NOW, expiresAtMs: undefined }),
  ...change,
});

const allOf = async ({ journal }: Store): Promise<readonly JournalEntry[]> =>
  (await journal.list({ size: 10_000 })).rows;

/** Not `rejects`, which would wait for a write without letting it arrive from the thread that writes. */
const failureOf = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);

/** The fields of a key after what its entries say, each of which must begin where the one before it has ended. */
function replay(entries: readonly JournalEntry[]): JournalContent | undefined {
  let state: JournalContent | undefined;
  for (const { action, before, after } of entries) {
    if (action === "keys rotate") continue;
    for (const [name, value] of Object.entries(before ?? {}))
      expect([name, state?.[name] ?? null]).toEqual([name, value]);
    expect(state === undefined).toBe(before === undefined);
    state = after && { ...state, ...after };
  }
  return state;
}

const withoutNulls = (content: JournalContent | undefined) =>
  content && Object.fromEntries(Object.entries(content).filter(([, value]) => value !== null));

/** The contract of the journal, which every adapter runs. `open` returns a new, empty store. */
export function journalContract(name: string, open: () => Promise<Store>): void {
  describe(`${name}: the contract of the journal`, () => {
    test("every change to a key has an entry: who, when, what, and what is different", async () => {
      const store = await open();
      const key = issued({ expiresAtMs: NOW + DAY_MS });
      const command = { ...ANNA, keyId: key.id };
      await store.keys.create({ ...ANNA, key, digest: DIGEST });
      await store.keys.edit({ ...command, name: "Till", plan: "free", quotas: PLANS.free, expiresAtMs: null });
      await store.keys.rotate({ ...command, digest: `${DIGEST}2`, oldSecretsExpireAtMs: NOW + 5 });
      await store.keys.suspend({ ...command, atMs: NOW + 1 });
      await store.keys.resume({ ...command, by: "Bert", via: "console", atMs: NOW + 2 });
      await store.keys.unban({ ...command, atMs: NOW + 3, bannedAtMs: NOW + 9 });
      await store.keys.revoke({ ...command, atMs: NOW + 4 });
      await store.keys.delete({ ...command, atMs: NOW + 5 });
      const entries = await allOf(store);
      const iso = (ms: number) => new Date(ms).toISOString();
      const created = {
        name: "Front desk",
        plan: "pro",
        perMinute: 300,
        perDay: 10_000,
        scopes: SCOPES,
        createdAt: iso(NOW),
      };
      const [first, edit, rotate, suspend, resume, unban, revoke, deletion] = entries;
      expect(entries).toHaveLength(8);
      expect(first).toEqual({
        ...ANNA,
        id: first?.id as bigint,
        action: "keys create",
        subject: { kind: "key", id: key.id, name: "Front desk" },
        before: undefined,
        after: { ...created, expiresAt: iso(NOW + DAY_MS) },
      } as JournalEntry);
      expect(edit).toMatchObject({
        action: "keys edit",
        subject: { kind: "key", id: key.id, name: "Front desk" },
        before: { name: "Front desk", plan: "pro", perMinute: 300, perDay: 10_000, expiresAt: iso(NOW + DAY_MS) },
        after: { name: "Till", plan: "free", perMinute: 60, perDay: 1000, expiresAt: null },
      });
      expect(Object.keys(edit?.after ?? {})).toHaveLength(5);
      expect(rotate).toMatchObject({ action: "keys rotate", after: { oldSecretsWorkUntil: iso(NOW + 5) } });
      expect(suspend).toMatchObject({ before: { suspendedAt: null }, after: { suspendedAt: iso(NOW + 1) } });
      expect(resume).toMatchObject({ by: "Bert", via: "console", atMs: NOW + 2, after: { suspendedAt: null } });
      expect(unban).toMatchObject({ action: "keys unban", atMs: NOW + 3, after: { bansLiftedAt: iso(NOW + 9) } });
      expect(revoke).toMatchObject({ action: "keys revoke", after: { revokedAt: iso(NOW + 4) } });
      expect(deletion).toMatchObject({ action: "keys delete", before: { name: "Till" }, after: undefined });
      expect(JSON.stringify(entries, (_, value) => (typeof value === "bigint" ? Number(value) : value))).not.toContain(
        DIGEST,
      );
      await store.close();
    });

    test("old secrets work no longer than their key, and the journal says so", async () => {
      const store = await open();
      const key = issued({ expiresAtMs: NOW + 3 });
      await store.keys.create({ ...ANNA, key, digest: DIGEST });
      await store.keys.rotate({ ...ANNA, keyId: key.id, digest: "d", oldSecretsExpireAtMs: NOW + DAY_MS });
      const entries = await allOf(store);
      expect(entries.at(-1)?.after).toEqual({ oldSecretsWorkUntil: new Date(NOW + 3).toISOString() });
      await store.close();
    });

    test("a change that changes nothing, or is refused or fails, has no entry", async () => {
      const store = await open();
      const key = issued({ suspendedAtMs: NOW, unbannedAtMs: NOW });
      const command = { ...ANNA, keyId: key.id };
      await store.keys.create({ ...ANNA, key, digest: DIGEST });
      await store.keys.edit({ ...command, name: key.name, plan: key.plan, quotas: key.quotas, scopes: [...SCOPES] });
      await store.keys.suspend({ ...command, atMs: NOW + 1 });
      await store.keys.unban(command);
      expect(await store.keys.delete(command)).toBe(false);
      expect(await store.keys.edit({ ...command, keyId: "key_unknown", name: "y" })).toBeUndefined();
      for (const act of ["suspend", "resume", "revoke", "unban"] as const)
        await store.keys[act]({ ...command, keyId: "key_unknown" });
      // The key itself could be created: it is its secret that cannot.
      expect(await failureOf(store.keys.create({ ...ANNA, key: issued(), digest: DIGEST }))).toBeInstanceOf(Error);
      const rotation = { ...command, keyId: "key_unknown", digest: "e", oldSecretsExpireAtMs: NOW };
      expect(await failureOf(store.keys.rotate(rotation))).toBeInstanceOf(Error);
      expect(await store.keys.createFirst({ ...ANNA, key: issued(), digest: "f" })).toBe(false);
      expect((await allOf(store)).map(({ action }) => action)).toEqual(["keys create"]);
      await store.keys.resume(command);
      await store.keys.resume(command);
      await store.keys.revoke(command);
      await store.keys.revoke({ ...command, atMs: NOW + 1 });
      expect((await allOf(store)).map(({ action }) => action)).toEqual(["keys create", "keys resume", "keys revoke"]);
      expect(await store.keys.list()).toHaveLength(1);
      await store.close();
    });

    test("changes at once each say what they found, and what they left", async () => {
      const store = await open();
      const key = issued();
      await store.keys.create({ ...ANNA, key, digest: DIGEST });
      const command = { ...ANNA, keyId: key.id };
      await Promise.all(
        Array.from({ length: 12 }, (_, i) => [
          store.keys.edit({ ...command, by: `editor ${i}`, name: `name ${i}` }),
          i % 3 === 0 ? store.keys.suspend({ ...command, atMs: NOW + i }) : store.keys.resume(command),
        ]).flat(),
      );
      const entries = await allOf(store);
      expect(entries.filter(({ action }) => action === "keys edit")).toHaveLength(12);
      const current = (await store.keys.get(key.id)) as Key;
      expect(withoutNulls(replay(entries))).toEqual(withoutNulls(contentOfKey(current)));
      await store.close();
    });

    test("is listed by ascending id, a page after the other: all of it, of a key, and since a moment", async () => {
      const store = await open();
      const keys = [issued(), issued()] as const;
      for (const key of keys) await store.keys.create({ ...ANNA, key, digest: key.id });
      for (let i = 1; i <= 6; i++)
        await store.keys.edit({ ...ANNA, atMs: NOW + i, keyId: keys[i % 2 === 0 ? 0 : 1].id, name: `n${i}` });
      const whole = await store.journal.list({ size: 100 });
      expect([whole.rows.length, whole.more]).toEqual([8, false]);
      const ids = whole.rows.map(({ id }) => id);
      expect(ids).toEqual([...ids].sort((a, b) => Number(a - b)));
      const paged: JournalEntry[] = [];
      for (let more = true; more; ) {
        const page = await store.journal.list({ afterId: paged.at(-1)?.id, size: 3 });
        paged.push(...page.rows);
        more = page.more;
      }
      expect(paged).toEqual([...whole.rows]);
      const namesOf = async (query: { keyId?: string; sinceMs?: number }) =>
        (await store.journal.list({ ...query, size: 100 })).rows.map(({ after }) => after?.name);
      expect(await namesOf({ keyId: keys[0].id })).toEqual(["Front desk", "n2", "n4", "n6"]);
      expect(await namesOf({ sinceMs: NOW + 5 })).toEqual(["n5", "n6"]);
      expect(await namesOf({ keyId: keys[0].id, sinceMs: NOW + 3 })).toEqual(["n4", "n6"]);
      expect(await namesOf({ keyId: "key_none" })).toEqual([]);
      await store.close();
    });

    test("is listed by descending id too, a page after the other: all of it, and of a key", async () => {
      const store = await open();
      const keys = [issued(), issued()] as const;
      for (const key of keys) await store.keys.create({ ...ANNA, key, digest: key.id });
      for (let i = 1; i <= 6; i++)
        await store.keys.edit({ ...ANNA, atMs: NOW + i, keyId: keys[i % 2 === 0 ? 0 : 1].id, name: `n${i}` });
      for (const keyId of [undefined, keys[0].id]) {
        const ascending = (await store.journal.list({ keyId, size: 100 })).rows;
        const paged: JournalEntry[] = [];
        for (let more = true; more; ) {
          const page = await store.journal.list({ keyId, sort: "-id", afterId: paged.at(-1)?.id, size: 3 });
          paged.push(...page.rows);
          more = page.more;
        }
        expect(paged).toEqual([...ascending].reverse());
      }
      const since = await store.journal.list({ sort: "-id", sinceMs: NOW + 5, size: 100 });
      expect(since.rows.map(({ after }) => after?.name)).toEqual(["n6", "n5"]);
      await store.close();
    });

    test("has what a person does to animals, categories and orders, and not what a client of the API does", async () => {
      const store = await open();
      const by = { author: ANNA };
      const animal = await store.animals.add({
        ...by,
        animal: { name: "Rex", categoryId: 2n ** 62n, status: "available" },
      });
      const { id } = animal;
      for (const author of [undefined, ANNA]) {
        const name = author ? "Mine" : "Theirs";
        await store.animals.update({ id, name, author });
        await store.animals.update({ id, name, author });
        await store.categories.put({ id: 7n, name, author });
        await store.orders.place({ animalId: id, nowMs: NOW });
        const [order] = (await store.orders.list({ sort: "-id", size: 1 })).rows;
        await store.orders.update({ orderId: order?.id as bigint, to: "cancelled", nowMs: NOW, author });
        await store.orders.update({ orderId: order?.id as bigint, to: "approved", nowMs: NOW, author });
        await store.categories.delete({ id: 7n, author });
        await store.categories.delete({ id: 7n, author });
        // Orders refer to it.
        await store.animals.delete({ id, author });
      }
      const other = await store.animals.create({ name: "Max", categoryId: 1n, status: "sold" });
      await store.animals.delete({ id: (other as { value: { id: bigint } }).value.id, ...by });
      expect(
        (await allOf(store)).map(({ action, subject, before, after }) => [action, subject, before, after]),
      ).toEqual([
        [
          "animals add",
          { kind: "animal", id: String(id), name: "Rex" },
          undefined,
          { name: "Rex", categoryId: "4611686018427387904", status: "available" },
        ],
        ["animals update", { kind: "animal", id: String(id), name: "Theirs" }, { name: "Theirs" }, { name: "Mine" }],
        ["categories name", { kind: "category", id: "7", name: "Mine" }, undefined, { name: "Mine" }],
        ["orders update", { kind: "order", id: "2", name: undefined }, { status: "placed" }, { status: "cancelled" }],
        ["categories unname", { kind: "category", id: "7", name: "Mine" }, { name: "Mine" }, undefined],
        [
          "animals delete",
          { kind: "animal", id: "2", name: "Max" },
          { name: "Max", categoryId: "1", status: "sold" },
          undefined,
        ],
      ]);
      await store.close();
    });

    test("replayed, it leads to the keys as they are, whatever was done to them", async () => {
      const store = await open();
      const moment = fc.integer({ min: 1, max: 50 }).map((ms) => NOW + ms);
      const step = fc.oneof(
        fc.record({
          act: fc.constant("edit" as const),
          name: fc.option(fc.constantFrom("a", "b", "ü ' \" \\ 日本"), { nil: undefined }),
          plan: fc.option(fc.constantFrom(...PLAN_NAMES.filter((plan) => PLANS[plan])), { nil: undefined }),
          scopes: fc.option(fc.constantFrom(SCOPES, READ_SCOPES), { nil: undefined }),
          expiresAtMs: fc.option(fc.option(moment, { nil: null }), { nil: undefined }),
        }),
        fc.record({
          act: fc.constantFrom("suspend", "resume", "unban", "revoke", "rotate", "delete"),
          atMs: moment,
        }),
      );
      let digests = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
          const key = issued();
          await store.keys.create({ ...ANNA, key, digest: `created ${++digests}` });
          for (const wanted of steps) {
            if (!(await store.keys.get(key.id))) break;
            const command = { ...ANNA, keyId: key.id };
            if (wanted.act === "edit") {
              const { act: _, plan, ...change } = wanted;
              const plans = plan ? { plan, quotas: PLANS[plan] as Key["quotas"] } : {};
              const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
              await store.keys.edit({ ...command, ...given, ...plans });
            } else if (wanted.act === "rotate")
              await store.keys.rotate({
                ...command,
                digest: `rotated ${++digests}`,
                oldSecretsExpireAtMs: wanted.atMs,
              });
            else await store.keys[wanted.act as "suspend"]({ ...command, atMs: wanted.atMs });
          }
          const { rows } = await store.journal.list({ keyId: key.id, size: 100 });
          const current = await store.keys.get(key.id);
          expect(withoutNulls(replay(rows))).toEqual(withoutNulls(current && contentOfKey(current)));
          for (const { action, before, after } of rows)
            if (before && after) expect([action, Object.keys(before)]).toEqual([action, Object.keys(after)]);
        }),
        { numRuns: 40 },
      );
      await store.close();
    });
  });
}
