import { heapStats } from "bun:jsc";
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { FakeClock } from "../../test/harness/time/clock.ts";
import { newTally, type Tally } from "../domain/limits/tally.ts";
import { newTableMemory, TallyTable, WAYS } from "./tally-table.ts";

/** A tally whose windows opened at a moment. */
const tallyOf = (used: number, openedAtMs: number): Tally => ({
  ...newTally(),
  minute: { used, openedAtMs },
  day: { used, openedAtMs },
});

function set(table: TallyTable, subject: string, tally: Tally): void {
  const slot = table.lock(subject);
  table.write(slot, tally);
  table.unlock(slot);
}

/** Texts of any kind: longer than the field, with a common beginning, or different in length alone. */
const anySubject = fc.oneof(
  fc.string({ maxLength: 70 }),
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.nat(60).map((length) => "\0".repeat(length)),
  fc.nat(80).map((length) => `${"x".repeat(40)}${"y".repeat(length)}`),
);

describe("TallyTable", () => {
  test("finds what was written for each subject, whichever thread's table is asked", () => {
    fc.assert(
      fc.property(fc.uniqueArray(anySubject, { maxLength: WAYS }), (subjects) => {
        const clock = new FakeClock();
        const memory = newTableMemory(WAYS);
        const [one, other] = [new TallyTable(memory, clock), new TallyTable(memory, clock)];
        for (const [i, subject] of subjects.entries()) {
          expect(other.find(subject)).toBeUndefined();
          set(i % 2 ? one : other, subject, tallyOf(i + 1, clock.nowMs()));
        }
        for (const [i, subject] of subjects.entries())
          for (const table of [one, other]) expect(table.find(subject)?.minute.used).toBe(i + 1);
      }),
      { numRuns: 200 },
    );
  });

  test("subjects with the same hash are told apart by their text", () => {
    const clock = new FakeClock();
    const memory = newTableMemory(4 * WAYS);
    const tables = [0n, 7n, 1n << 32n].map((hash) => new TallyTable(memory, clock, () => hash));
    for (const table of tables) {
      const subjects = Array.from({ length: 10 }, (_, i) => `subject ${i} of a table`);
      for (const [i, subject] of subjects.entries()) set(table, subject, tallyOf(i + 1, clock.nowMs()));
      for (const [i, subject] of subjects.entries()) expect(table.find(subject)?.minute.used).toBe(i + 1);
    }
  });

  test("over random steps of two threads, a bucket holds what it should: the newest windows, and each as it was written", () => {
    const step = fc.record({
      thread: fc.nat(1),
      subject: fc.nat(2 * WAYS),
      waitMs: fc.constantFrom(1, 1, 1, 40_000_000),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: WAYS, maxLength: 4 * WAYS }), (steps) => {
        const clock = new FakeClock();
        const memory = newTableMemory(WAYS);
        const tables = [new TallyTable(memory, clock), new TallyTable(memory, clock)];
        const expected = new Map<string, { used: number; openedAtMs: number }>();
        const isSpent = ({ openedAtMs }: { openedAtMs: number }) => clock.nowMs() >= openedAtMs + 86_400_000;
        for (const [i, { thread, subject, waitMs }] of steps.entries()) {
          clock.advance(waitMs);
          const name = `subject ${subject}`;
          const opened = { used: i + 1, openedAtMs: clock.nowMs() };
          set(tables[thread] as TallyTable, name, tallyOf(opened.used, opened.openedAtMs));
          expected.delete(name);
          expected.set(name, opened);
          const live = [...expected].filter(([, tally]) => !isSpent(tally));
          // In the order of their windows: the first ones are evicted.
          for (const [gone] of live.slice(0, -WAYS)) expected.delete(gone);
          for (const [kept, { used }] of live.slice(-WAYS))
            for (const table of tables) expect(table.find(kept)?.minute.used).toBe(used);
        }
      }),
      { numRuns: 100 },
    );
  });

  test("a thread that remembers where a subject was does not take what is there now for it", () => {
    const clock = new FakeClock();
    const memory = newTableMemory(WAYS);
    const [one, other] = [new TallyTable(memory, clock), new TallyTable(memory, clock)];
    set(one, "old", tallyOf(7, clock.nowMs()));
    clock.advance(1);
    for (let i = 0; i < WAYS; i++) set(other, `new ${i}`, tallyOf(1, clock.nowMs()));
    expect(one.find("old")).toBeUndefined();
    clock.advance(1);
    set(one, "old", tallyOf(8, clock.nowMs()));
    expect(other.find("old")?.minute.used).toBe(8);
    const others = Array.from({ length: WAYS }, (_, i) => other.find(`new ${i}`)?.minute.used);
    expect(others.filter((used) => used === 1)).toHaveLength(WAYS - 1);
    expect(others.filter((used) => used === undefined)).toHaveLength(1);
  });

  test("a subject that gets a place that was another's begins with nothing", () => {
    const clock = new FakeClock();
    const table = new TallyTable(newTableMemory(WAYS), clock);
    for (let i = 0; i < WAYS; i++) set(table, `old ${i}`, tallyOf(9, clock.nowMs()));
    table.unlock(table.lock("new"));
    expect(table.find("new")).toEqual(newTally());
  });

  test("what has changed is taken once, with its subject, but a subject longer than its field cannot be", () => {
    fc.assert(
      fc.property(fc.uniqueArray(anySubject, { maxLength: WAYS }), (subjects) => {
        const clock = new FakeClock();
        const memory = newTableMemory(WAYS);
        const [one, other] = [new TallyTable(memory, clock), new TallyTable(memory, clock)];
        for (const [i, subject] of subjects.entries()) set(one, subject, tallyOf(i + 1, clock.nowMs()));
        const taken = other.takeUnsaved().map(({ subject, tally }) => [subject, tally.minute.used] as const);
        const savable = subjects.flatMap((subject, i) =>
          Buffer.byteLength(subject) < 64 ? [[subject, i + 1] as const] : [],
        );
        expect(new Map(taken)).toEqual(new Map(savable));
        expect(one.takeUnsaved()).toEqual([]);
      }),
    );
  });

  test("a clock that jumps loses nothing while there is room", () => {
    const clock = new FakeClock();
    const table = new TallyTable(newTableMemory(WAYS), clock);
    set(table, "banned", tallyOf(7, clock.nowMs()));
    clock.jump(30 * 86_400_000);
    for (let i = 1; i < WAYS; i++) set(table, `subject ${i}`, tallyOf(1, clock.nowMs()));
    expect(table.find("banned")?.minute.used).toBe(7);
    set(table, "one more", tallyOf(1, clock.nowMs()));
    expect(table.find("banned")).toBeUndefined();
  });

  test("memory that no subject needs is not used, and not counted by the garbage collector", () => {
    const residentMb = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) / 1024;
    const clock = new FakeClock();
    const [residentBefore, countedBefore] = [residentMb(), heapStats().extraMemorySize];
    const memory = newTableMemory(2 ** 20);
    const table = new TallyTable(memory, clock);
    table.takeUnsaved();
    for (let i = 0; i < 100; i++) set(table, `key_${i}`, tallyOf(1, clock.nowMs()));
    expect(memory.slots.maxByteLength / 2 ** 20).toBe(144);
    expect(residentMb() - residentBefore).toBeLessThan(20);
    expect((heapStats().extraMemorySize - countedBefore) / 2 ** 20).toBeLessThan(20);
    const found = Array.from({ length: 100 }, (_, i) => table.find(`key_${i}`)).filter(Boolean);
    expect(found).toHaveLength(100);
  });

  test("when the system has no more memory, a subject gives way as if there were no more room", () => {
    const clock = new FakeClock();
    const memory = newTableMemory(WAYS);
    const { byteLength } = memory.slots;
    const table = new TallyTable({ ...memory, slots: new SharedArrayBuffer(3 * byteLength) }, clock);
    for (let i = 0; i < 5; i++) {
      set(table, `subject ${i}`, tallyOf(1, clock.nowMs()));
      clock.advance(1);
    }
    const found = [0, 1, 2, 3, 4].filter((i) => table.find(`subject ${i}`));
    expect(found).toEqual([2, 3, 4]);
  });

  test("a table for a million holds 100,000 without giving up one", () => {
    const clock = new FakeClock();
    const table = new TallyTable(newTableMemory(2 ** 20), clock);
    for (let i = 0; i < 100_000; i++) set(table, `key_${i}`, tallyOf(1, clock.nowMs()));
    let missing = 0;
    for (let i = 0; i < 100_000; i++) if (!table.find(`key_${i}`)) missing++;
    expect(missing).toBe(0);
  });
});
