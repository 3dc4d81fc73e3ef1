import { expect, test } from "bun:test";
import fc from "fast-check";
import type { JournalEntry } from "../../domain/journal.ts";
import { cutPage } from "../../domain/page.ts";
import type { JournalStore } from "../../store/ports/store.ts";
import { newEntries } from "./journal-tail.ts";

const entry = (id: number): JournalEntry => ({
  id: BigInt(id),
  by: "Anna",
  via: "command",
  atMs: 1,
  action: "copy",
  subject: { kind: "store" },
});

/** A journal in memory, whose entries may appear in any order, as on PostgreSQL. */
function journal() {
  const entries = new Map<bigint, JournalEntry>();
  const list: JournalStore["list"] = ({ afterId = 0n, size }) => {
    const rows = [...entries.values()].filter(({ id }) => id > afterId).sort((a, b) => Number(a.id - b.id));
    return cutPage(rows.slice(0, size + 1), size);
  };
  return { list, add: (id: number) => void entries.set(BigInt(id), entry(id)) };
}

test("each entry is found once, in whatever order they appear, and however many there are between two looks", async () => {
  const order = fc.shuffledSubarray(
    Array.from({ length: 60 }, (_, i) => i + 101),
    { minLength: 60 },
  );
  await fc.assert(
    fc.asyncProperty(order, fc.array(fc.nat({ max: 20 })), async (ids, looks) => {
      const store = journal();
      for (let id = 1; id <= 100; id++) store.add(id);
      const tail = newEntries(store, { size: 7 });
      tail.note((await store.list({ size: 100 })).rows.slice(-3));
      const found: bigint[] = [];
      const left = [...ids];
      for (const count of [...looks, left.length]) {
        for (const id of left.splice(0, count)) store.add(id);
        found.push(...(await tail.read()).map(({ id }) => id));
      }
      expect(found.sort((a, b) => Number(a - b))).toEqual(ids.map(BigInt).sort((a, b) => Number(a - b)));
    }),
  );
});

test("of a journal that had no such entries, all are new", async () => {
  const store = journal();
  const tail = newEntries(store, { size: 2 });
  tail.note([]);
  expect(await tail.read()).toEqual([]);
  for (const id of [5, 6, 7]) store.add(id);
  expect((await tail.read()).map(({ id }) => id)).toEqual([5n, 6n, 7n]);
  expect(await tail.read()).toEqual([]);
});

test("it remembers no more than it needs, over a long time", async () => {
  const store = journal();
  const tail = newEntries(store, { size: 500 });
  for (let id = 1; id <= 6_000; id++) {
    store.add(id);
    if (id % 750 === 0) expect(await tail.read()).toHaveLength(750);
  }
  // One that was given its number long ago appears late, within reach.
  store.add(6_001);
  store.add(6_003);
  expect((await tail.read()).map(({ id }) => id)).toEqual([6_001n, 6_003n]);
  store.add(6_002);
  expect((await tail.read()).map(({ id }) => id)).toEqual([6_002n]);
});
