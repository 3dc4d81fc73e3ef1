import { expect, test } from "bun:test";
import fc from "fast-check";
import { firstIds, rangesOf } from "./import.ts";

const ascendingIds = fc
  .uniqueArray(fc.bigInt({ min: 1n, max: 60n }), { maxLength: 40 })
  .map((ids) => ids.sort((a, b) => (a < b ? -1 : 1)));

test("ranges are made of exactly the ids that they were made from, and taken apart from the first on", () =>
  fc.assert(
    fc.property(ascendingIds, fc.integer({ min: 1, max: 12 }), (ids, maxIds) => {
      const taken: bigint[] = [];
      let ranges = rangesOf(ids);
      while (ranges.length > 0) {
        const { ids: some, rest } = firstIds(ranges, maxIds);
        expect(some.length).toBe(Math.min(maxIds, ids.length - taken.length));
        taken.push(...some);
        const later = ranges.filter(({ firstId }) => firstId > (some.at(-1) as bigint));
        ranges = rest ? [rest, ...later] : later;
      }
      expect(taken).toEqual(ids);
    }),
  ));

test("of a range that is longer than memory, only what is needed is taken", () => {
  expect(firstIds([{ firstId: 1n, lastId: 2n ** 62n }], 2)).toEqual({
    ids: [1n, 2n],
    rest: { firstId: 3n, lastId: 2n ** 62n },
  });
});
