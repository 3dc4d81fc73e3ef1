import { describe, expect, test } from "bun:test";
import type { Animal, NewAnimal } from "../../../src/domain/stock/animal.ts";
import type { Import, ImportBatch, ImportBeginning } from "../../../src/domain/stock/import.ts";
import type { Store } from "../../../src/store/ports/store.ts";
import { SIGNED } from "../../harness/rows/author.ts";
import { doneValue } from "./store.contract.ts";

const animal = (n: number): NewAnimal => ({ name: `Ärger ${n}\\`, categoryId: BigInt(n % 3), status: "available" });
const animals = (count: number, from = 0): NewAnimal[] => Array.from({ length: count }, (_, i) => animal(from + i));

const beginning = (changes: Partial<ImportBeginning> = {}): ImportBeginning => ({
  ...SIGNED,
  identity: "a".repeat(64),
  source: "animals.csv",
  records: 5,
  animals: 5,
  again: false,
  ...changes,
});

const batch = ({ id }: Pick<Import, "id">, changes: Partial<ImportBatch>): ImportBatch => ({
  ...SIGNED,
  importId: id,
  recordsDoneBefore: 0,
  recordsDone: 0,
  animals: [],
  isLast: false,
  ...changes,
});

const OVERTAKEN = { kind: "refused", reason: { kind: "overtaken" } } as const;

/** The contract of imports, which every adapter runs. `open` returns a new, empty store. */
export function importsContract(name: string, open: () => Promise<Store>): void {
  describe(`${name}: imports`, () => {
    const all = async (store: Store) => (await store.animals.list({ size: 1_000 })).rows;
    const begin = async (store: Store, changes?: Partial<ImportBeginning>) =>
      doneValue(await store.imports.begin(beginning(changes)));
    const journalOf = async (store: Store) =>
      (await store.journal.list({ size: 100 })).rows.map(({ action, subject, after }) => [
        action,
        "id" in subject && subject.id,
        after?.state,
      ]);

    /** Adds so many animals, all at once. */
    async function finished(store: Store, count: number, changes?: Partial<ImportBeginning>): Promise<Import> {
      const begun = await begin(store, { records: count, animals: count, ...changes });
      const added = await store.imports.add(
        batch(begun, { recordsDone: count, animals: animals(count), isLast: true }),
      );
      expect(added.kind).toBe("done");
      return (await store.imports.get(begun.id)) as Import;
    }

    async function undo(store: Store, id: bigint): Promise<Import> {
      expect((await store.imports.beginUndo({ ...SIGNED, importId: id })).kind).toBe("done");
      for (;;) {
        const current = await store.imports.undoSome({ ...SIGNED, atMs: 7, importId: id });
        if (current.undoneAtMs !== undefined) return current;
      }
    }

    test("batches add animals in order, with ascending ids, and note how far it has come", async () => {
      const store = await open();
      const before = doneValue(await store.animals.create(animal(99)));
      const begun = await begin(store);
      expect(begun).toMatchObject({ recordsDone: 0, added: 0, records: 5, animals: 5, finishedAtMs: undefined });
      await store.imports.add(batch(begun, { recordsDone: 3, animals: animals(2) }));
      expect(await store.imports.get(begun.id)).toMatchObject({ recordsDone: 3, added: 2, finishedAtMs: undefined });
      const between = doneValue(await store.animals.create(animal(98)));
      await store.imports.add(
        batch(begun, { recordsDoneBefore: 3, recordsDone: 5, animals: animals(2, 2), isLast: true, atMs: 9 }),
      );
      const after = doneValue(await store.animals.create(animal(97)));
      const rows = await all(store);
      expect(rows.map(({ name }) => name)).toEqual([99, 0, 1, 98, 2, 3, 97].map((n) => animal(n).name));
      expect(rows.map(({ id }) => id)).toEqual([...rows.map(({ id }) => id)].sort((a, b) => (a < b ? -1 : 1)));
      expect([rows[0]?.id, rows[3]?.id, rows[6]?.id]).toEqual([before.id, between.id, after.id]);
      expect(await store.imports.list()).toMatchObject([{ id: begun.id, recordsDone: 5, added: 4, finishedAtMs: 9 }]);
      expect([await store.imports.list(0), await store.imports.list(1)]).toMatchObject([[], [{ id: begun.id }]]);
      expect((await store.animals.list({ name: "ärger 2", size: 10 })).rows).toHaveLength(1);
      expect(await journalOf(store)).toEqual([
        ["animals import", String(begun.id), "begun"],
        ["animals import", String(begun.id), "finished"],
      ]);
      await store.close();
    });

    test("of two who go on from the same place, one adds, and the other changes nothing", async () => {
      const store = await open();
      const begun = await begin(store);
      const next = batch(begun, { recordsDone: 3, animals: animals(3) });
      const outcomes = await Promise.all([store.imports.add(next), store.imports.add(next), store.imports.add(next)]);
      expect(outcomes.map(({ kind }) => kind).sort()).toEqual(["done", "refused", "refused"]);
      expect(outcomes).toContainEqual(OVERTAKEN);
      expect(await all(store)).toHaveLength(3);
      expect(await store.imports.get(begun.id)).toMatchObject({ recordsDone: 3, added: 3 });
      await store.close();
    });

    test("what was not finished is continued, by any number at once; what was finished needs to be asked for again", async () => {
      const store = await open();
      const begun = await Promise.all([begin(store), begin(store), begin(store)]);
      expect(new Set(begun.map(({ id }) => id)).size).toBe(1);
      const [first] = begun;
      await store.imports.add(batch(first, { recordsDone: 2, animals: animals(2) }));
      const continued = await begin(store);
      expect(continued).toMatchObject({ id: first.id, recordsDone: 2, added: 2 });
      await store.imports.add(
        batch(first, { recordsDoneBefore: 2, recordsDone: 5, animals: animals(3, 2), isLast: true }),
      );
      expect(
        await store.imports.add(batch(first, { recordsDoneBefore: 5, recordsDone: 6, animals: animals(1) })),
      ).toEqual(OVERTAKEN);
      expect(await store.imports.begin(beginning())).toMatchObject({
        kind: "refused",
        reason: { kind: "already_imported", earlier: { id: first.id, added: 5 } },
      });
      expect((await begin(store, { again: true })).id).toBeGreaterThan(first.id);
      expect((await begin(store, { identity: "b".repeat(64) })).id).toBeGreaterThan(first.id);
      const { rows: entries } = await store.journal.list({ size: 100 });
      expect(entries.find(({ after }) => after?.state === "continued")).toMatchObject({
        before: { state: "interrupted" },
        after: { added: 2, animals: 5 },
      });
      await store.close();
    });

    test("an undo removes what was added, also what was updated, but nothing that orders refer to, and is not made twice", async () => {
      const store = await open();
      const before = doneValue(await store.animals.create(animal(50)));
      const { id } = await finished(store, 6);
      const after = doneValue(await store.animals.create(animal(51)));
      const [, a, b, c, d] = (await all(store)) as [Animal, Animal, Animal, Animal, Animal];
      const order = doneValue(await store.orders.place({ animalId: a.id, nowMs: 1 }));
      await store.orders.update({ orderId: order.id, to: "cancelled", nowMs: 2 });
      await store.orders.place({ animalId: b.id, nowMs: 1 });
      await store.animals.update({ id: c.id, name: "updated" });
      await store.animals.delete({ id: d.id });
      expect(await undo(store, id)).toMatchObject({ added: 6, removed: 3, kept: 2, undoneAtMs: 7 });
      expect((await all(store)).map((each) => each.id)).toEqual([before.id, a.id, b.id, after.id]);
      expect(await store.imports.beginUndo({ ...SIGNED, importId: id })).toMatchObject({
        kind: "refused",
        reason: { kind: "undone_already", undone: { removed: 3, kept: 2 } },
      });
      expect(await store.imports.beginUndo({ ...SIGNED, importId: 999n })).toEqual({
        kind: "refused",
        reason: { kind: "no_such_import" },
      });
      const added = doneValue(await store.animals.create(animal(52)));
      expect(added.id).toBeGreaterThan(after.id);
      expect((await journalOf(store)).slice(-2).map(([action, , state]) => [action, state])).toEqual([
        ["animals undo", "begun"],
        ["animals undo", "finished"],
      ]);
      await store.close();
    });

    test("an undo is made in steps, and goes on where it was interrupted", async () => {
      const store = await open();
      const { id } = await finished(store, 2_500);
      await store.imports.beginUndo({ ...SIGNED, importId: id });
      const some = await store.imports.undoSome({ ...SIGNED, importId: id });
      expect(some).toMatchObject({ removed: 1_000, undoneAtMs: undefined });
      expect(await undo(store, id)).toMatchObject({ removed: 2_500, kept: 0 });
      expect(await all(store)).toEqual([]);
      await store.close();
    });

    test("what is being undone is not continued: the same file begins anew", async () => {
      const store = await open();
      const begun = await begin(store);
      await store.imports.add(batch(begun, { recordsDone: 2, animals: animals(2) }));
      await store.imports.beginUndo({ ...SIGNED, importId: begun.id });
      const late = batch(begun, { recordsDoneBefore: 2, recordsDone: 5, animals: animals(3) });
      expect(await store.imports.add(late)).toEqual(OVERTAKEN);
      expect(await undo(store, begun.id)).toMatchObject({ removed: 2 });
      expect((await begin(store)).id).toBeGreaterThan(begun.id);
      expect(await all(store)).toEqual([]);
      await store.close();
    });

    test("ids are kept in a store without animals, and later ones are greater", async () => {
      const store = await open();
      const known: Animal[] = [3n, 4n, 1_000n].map((id) => ({ id, ...animal(Number(id)) }));
      const begun = await begin(store, { lastId: 1_000n });
      const early = doneValue(await store.animals.create(animal(1)));
      expect(early.id).toBeGreaterThan(1_000n);
      await store.imports.add(batch(begun, { recordsDone: 3, animals: known, isLast: true }));
      expect((await all(store)).slice(0, 3)).toEqual(known);
      const later = doneValue(await store.animals.create(animal(2)));
      expect(later.id).toBeGreaterThan(early.id);
      expect(await store.imports.begin(beginning({ lastId: 5n, again: true }))).toEqual({
        kind: "refused",
        reason: { kind: "not_empty" },
      });
      expect(await undo(store, begun.id)).toMatchObject({ removed: 3, kept: 0 });
      expect((await all(store)).map(({ id }) => id)).toEqual([early.id, later.id]);
      await store.close();
    });

    const given = (ids: readonly bigint[]): Animal[] => ids.map((id) => ({ id, ...animal(Number(id % 1_000n)) }));

    async function restored(store: Store, ids: readonly bigint[], changes?: Partial<ImportBeginning>): Promise<Import> {
      const [records, lastId] = [ids.length, ids.at(-1) as bigint];
      const begun = await begin(store, { records, animals: records, lastId, ...changes });
      doneValue(await store.imports.add(batch(begun, { recordsDone: records, animals: given(ids), isLast: true })));
      return begun;
    }

    test("ids that another import had before are not its own any more: to undo it leaves them", async () => {
      const store = await open();
      const first = await restored(store, [1n, 2n, 3n]);
      for (const id of [1n, 2n, 3n]) doneValue(await store.animals.delete({ id }));
      await restored(store, [1n, 2n, 3n], { identity: "b".repeat(64) });
      expect(await undo(store, first.id)).toMatchObject({ added: 3, removed: 0, kept: 0 });
      expect(await all(store)).toHaveLength(3);
      await store.close();
    });

    test("what is between given ids belongs to whoever adds it later", async () => {
      const store = await open();
      const interrupted = await begin(store, { lastId: 5n });
      const other = await restored(store, [1n, 9n], { identity: "b".repeat(64) });
      const late = batch(interrupted, { recordsDone: 5, animals: given([5n]), isLast: true });
      doneValue(await store.imports.add(late));
      expect(await undo(store, other.id)).toMatchObject({ removed: 2 });
      expect((await all(store)).map(({ id }) => id)).toEqual([5n]);
      await store.close();
    });

    test("an undo takes as many steps as there are animals, however far apart their ids are", async () => {
      const store = await open();
      const { id } = await restored(store, [1n, 3n, 4_000_000_000_000_000_000n]);
      await store.imports.beginUndo({ ...SIGNED, importId: id });
      expect(await store.imports.undoSome({ ...SIGNED, importId: id })).toMatchObject({ removed: 3 });
      expect(await undo(store, id)).toMatchObject({ removed: 3, undoneAtMs: 7 });
      await store.close();
    });
  });
}
