import { expect, test } from "bun:test";
import fc from "fast-check";
import { mistakeInText, NAME_MAX_CODE_POINTS } from "../../../src/base/text/text.ts";
import { fold } from "../../../src/domain/stock/fold.ts";
import { anyWrite, NAMES, RandomWriter, walk } from "../../harness/requests/random-writes.ts";
import { onEveryStore } from "../../harness/service/stores.ts";

const writes = fc.array(anyWrite, { minLength: 5, maxLength: 40 });
const pageSize = fc.constantFrom(1, 2, 3, 7, 100);

interface Named {
  readonly id: number;
  readonly name: string;
}

/** Compares by code point, like both databases; UTF-16 units have another order. */
const byFoldedName = (a: Named, b: Named): number =>
  Buffer.compare(Buffer.from(fold(a.name)), Buffer.from(fold(b.name))) || a.id - b.id;

/** The beginnings of some names, as they are and in other cases. */
const prefixes = fc
  .tuple(fc.constantFrom(...NAMES), fc.nat(5), fc.constantFrom("as it is", "upper", "lower", "decomposed"))
  .map(([name, length, form]) => {
    const start = [...name].slice(0, 1 + length).join("");
    if (form === "upper") return start.toUpperCase();
    if (form === "lower") return start.toLowerCase();
    return form === "decomposed" ? start.normalize("NFD") : start;
  })
  .filter((prefix) => mistakeInText(prefix, NAME_MAX_CODE_POINTS) === undefined);

onEveryStore(({ startService }) => {
  test("after any writes, a list backwards is the list forwards, reversed, with every filter and page size", async () => {
    const service = await startService();
    const writer = new RandomWriter(service);
    await fc.assert(
      fc.asyncProperty(writes, pageSize, async (steps, limit) => {
        for (const step of steps) await writer.send(step);
        const pets = await walk(service, "/pets?limit=100");
        expect(pets.map(({ id }) => id)).toEqual(pets.map(({ id }) => id).toSorted((a, b) => a - b));
        const orders = await walk(service, "/store/orders?limit=100");
        const lists: [string, unknown[]][] = [
          ["/pets?", pets],
          ["/pets?status=sold&", pets.filter(({ status }) => status === "sold")],
          ["/pets?categoryId=1&", pets.filter(({ categoryId }) => categoryId === 1)],
          [
            "/pets?categoryId=-2&status=available&",
            pets.filter(({ categoryId, status }) => categoryId === -2 && status === "available"),
          ],
          ["/store/orders?", orders],
          ["/store/orders?status=placed&", orders.filter(({ status }) => status === "placed")],
          [
            `/store/orders?petId=${orders.at(-1)?.petId ?? 1}&`,
            orders.filter(({ petId }) => petId === orders.at(-1)?.petId),
          ],
          ["/store/orders?reference=a-1&", orders.filter(({ reference }) => reference === "a-1")],
          [
            "/store/orders?reference=B&status=cancelled&",
            orders.filter(({ reference, status }) => reference === "B" && status === "cancelled"),
          ],
        ];
        for (const [target, expected] of lists) {
          expect([target, await walk(service, `${target}limit=${limit}`)]).toEqual([target, expected]);
          expect([target, await walk(service, `${target}limit=${limit}&sort=-id`)]).toEqual([
            target,
            expected.toReversed(),
          ]);
        }
      }),
      { numRuns: 5 },
    );
  });

  test("after any writes, a list by the beginning of a name is the whole list, filtered and sorted by the folded name", async () => {
    const service = await startService();
    const writer = new RandomWriter(service);
    for (const name of NAMES) await writer.send({ kind: "create", name, categoryId: 1, status: "available" });
    await fc.assert(
      fc.asyncProperty(
        writes,
        fc.array(prefixes, { minLength: 8, maxLength: 8 }),
        pageSize,
        async (steps, starts, limit) => {
          for (const step of steps) await writer.send(step);
          const pets: (Named & { status: string })[] = await walk(service, "/pets?limit=100");
          const categories: Named[] = await walk(service, "/categories?limit=100");
          for (const start of new Set(starts)) {
            const isMeant = ({ name }: Named): boolean => fold(name).startsWith(fold(start));
            const name = `name=${encodeURIComponent(start)}&limit=${limit}`;
            const expected = pets.filter(isMeant).toSorted(byFoldedName);
            const sold = expected.filter(({ status }) => status === "sold");
            expect([start, await walk(service, `/pets?${name}`)]).toEqual([start, expected]);
            expect([start, await walk(service, `/pets?${name}&status=sold`)]).toEqual([start, sold]);
            const named = categories.filter(isMeant).toSorted(byFoldedName);
            expect([start, await walk(service, `/categories?${name}`)]).toEqual([start, named]);
          }
        },
      ),
      { numRuns: 8 },
    );
  });
});
