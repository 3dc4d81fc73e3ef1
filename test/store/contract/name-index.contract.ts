import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { mistakeInText } from "../../../src/base/text/text.ts";
import { ID_ORDERS, type IdOrder, type Position } from "../../../src/domain/page.ts";
import type { Animal } from "../../../src/domain/stock/animal.ts";
import { fold } from "../../../src/domain/stock/fold.ts";
import type { Store } from "../../../src/store/ports/store.ts";
import { SIGNED } from "../../harness/rows/author.ts";
import { doneValue } from "./store.contract.ts";

/** Characters that mean something to a query, that have case, that compose, and that are of each length in UTF-8. */
const CHARACTERS = [..."aab cAÄäß%_\\\"'*^-:(){}ΣςσİN狗🐕", "e\u0301", "\u0308", "\u{10ffff}"];
const texts = (minLength: number, maxLength: number) =>
  fc
    .string({ unit: fc.constantFrom(...CHARACTERS), minLength, maxLength })
    .filter((name) => mistakeInText(name, 255) === undefined);

/** The contract of searches inside names. `open` returns a new, empty store that can have an index for them. */
export function nameIndexContract(name: string, open: () => Promise<Store>): void {
  describe(`${name}: searches inside names`, () => {
    const create = async (store: Store, name: string): Promise<Animal> =>
      doneValue(await store.animals.create({ name, categoryId: 1n, status: "available" }));

    async function extendToEnd({ nameIndex }: Store): Promise<void> {
      while (await nameIndex.extend());
    }

    async function search({ nameIndex }: Store, text: string, sort: IdOrder = "id", size = 7): Promise<Animal[]> {
      const found: Animal[] = [];
      for (let after: Position | undefined; ; after = found.at(-1)) {
        const { rows, more } = await nameIndex.search({ part: fold(text), sort, after, size });
        if (more) expect(rows).toHaveLength(size);
        found.push(...rows);
        if (!more) return found;
      }
    }

    const namesIn = (animals: readonly Animal[]): string[] => animals.map((animal) => animal.name);

    test("find a part anywhere in a name, whatever its case, and no animal twice", async () => {
      const store = await open();
      const names = ["Goldfish", "MARIGOLD", "old gold", "Golem", "Gold gold gold", "gol d"];
      for (const name of names) await create(store, name);
      await extendToEnd(store);
      const golden = ["Goldfish", "MARIGOLD", "old gold", "Gold gold gold"];
      expect(namesIn(await search(store, "gOld"))).toEqual(golden);
      expect(namesIn(await search(store, "gold", "-id", 2))).toEqual(golden.toReversed());
      expect(namesIn(await search(store, "fish"))).toEqual(["Goldfish"]);
      expect(namesIn(await search(store, "l d"))).toEqual(["gol d"]);
      expect(await search(store, "silver")).toEqual([]);
      expect((await search(store, "goldfish"))[0]).toEqual({
        id: 1n,
        name: "Goldfish",
        categoryId: 1n,
        status: "available",
      });
      await store.close();
    });

    test("find what a comparison finds, after any additions, corrections and removals, at any page size", async () => {
      const store = await open();
      const animals = new Map<bigint, string>();
      const idAt = (at: number): bigint | undefined => [...animals.keys()][at % Math.max(1, animals.size)];
      const at = fc.nat(1_000);
      const step = fc.oneof(
        { weight: 4, arbitrary: texts(1, 12).map((name) => ({ kind: "add", name }) as const) },
        { weight: 2, arbitrary: fc.record({ kind: fc.constant("rename" as const), at, name: texts(1, 12) }) },
        { weight: 1, arbitrary: fc.record({ kind: fc.constant("sell" as const), at }) },
        { weight: 1, arbitrary: fc.record({ kind: fc.constant("remove" as const), at }) },
        { weight: 1, arbitrary: fc.constant({ kind: "extend" } as const) },
      );
      const isPossible = (part: string) => Array.from(fold(part)).length >= 3;
      const part = texts(3, 5).filter(isPossible);
      const query = fc.record({ part, sort: fc.constantFrom(...ID_ORDERS), size: fc.integer({ min: 1, max: 60 }) });
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { maxLength: 12 }),
          fc.array(query, { maxLength: 4 }),
          at,
          async (steps, queries, some) => {
            for (const step of steps) {
              if (step.kind === "add") animals.set((await create(store, step.name)).id, step.name);
              else if (step.kind === "extend") await store.nameIndex.extend();
              else {
                const id = idAt(step.at);
                if (id === undefined) continue;
                if (step.kind === "rename") {
                  doneValue(await store.animals.update({ id, name: step.name }));
                  animals.set(id, step.name);
                } else if (step.kind === "sell") doneValue(await store.animals.update({ id, status: "sold" }));
                else {
                  doneValue(await store.animals.delete({ id }));
                  animals.delete(id);
                }
              }
            }
            await extendToEnd(store);
            // A part of a name that is there finds something, unlike most texts at random.
            const some3 = Array.from(fold(animals.get(idAt(some) ?? 0n) ?? ""))
              .slice(-3)
              .join("");
            const parts = [...queries, ...(isPossible(some3) ? [{ part: some3, sort: "id", size: 5 } as const] : [])];
            for (const { part, sort, size } of parts) {
              const expected = [...animals].filter(([, name]) => fold(name).includes(fold(part))).map(([id]) => id);
              const found = (await search(store, part, sort, size)).map(({ id }) => id);
              expect([part, found]).toEqual([part, sort === "id" ? expected : expected.toReversed()]);
            }
          },
        ),
        { numRuns: 60 },
      );
      await store.close();
    }, 120_000);

    test("are possible as soon as the index is complete, which it says", async () => {
      const store = await open();
      expect(await store.nameIndex.progress()).toEqual({ upToId: undefined, lastId: undefined });
      await extendToEnd(store);
      await create(store, "Goldfish");
      await extendToEnd(store);
      expect(await store.nameIndex.progress()).toEqual({ upToId: 1n, lastId: 1n });
      await store.animals.delete({ id: 1n });
      expect(await store.nameIndex.progress()).toEqual({ upToId: undefined, lastId: undefined });
      await store.close();
    });

    test("find animals that were imported with their ids, in whatever order, and not those of an undone import", async () => {
      const store = await open();
      await create(store, "Goldfish");
      await extendToEnd(store);
      await store.animals.delete({ id: 1n });
      const { imports } = store;
      const counts = { records: 3, animals: 3 };
      const beginning = { ...SIGNED, ...counts, identity: "i", source: "i.csv", again: false, lastId: 900n };
      const { id: importId } = doneValue(await imports.begin(beginning));
      for (const [at, id] of [500n, 20n, 900n].entries()) {
        const animal = { id, name: `Golden ${id}`, categoryId: 1n, status: "sold" } as const;
        const position = { recordsDoneBefore: at, recordsDone: at + 1, isLast: at === 2 };
        doneValue(await imports.add({ ...SIGNED, importId, ...position, animals: [animal] }));
        await store.nameIndex.extend();
      }
      expect(namesIn(await search(store, "gold"))).toEqual(["Golden 20", "Golden 500", "Golden 900"]);
      doneValue(await imports.beginUndo({ ...SIGNED, importId }));
      while ((await imports.undoSome({ ...SIGNED, importId })).undoneAtMs === undefined);
      expect(await search(store, "gold")).toEqual([]);
      await store.close();
    });
  });
}
