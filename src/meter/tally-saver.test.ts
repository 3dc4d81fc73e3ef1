import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { FakeClock } from "../../test/harness/time/clock.ts";
import { ratePolicyOfKey, type Tally } from "../domain/limits/tally.ts";
import { MemoryMeter } from "./memory.ts";
import { loadTallies, tallySaver } from "./tally-saver.ts";
import { newTableMemory, TallyTable, WAYS } from "./tally-table.ts";

const FREE = ratePolicyOfKey({ perMinute: 60, perDay: 1000 }, undefined);

/** A keeper that copies tallies as a database does; a test says when a save ends. */
class Kept {
  readonly tallies = new Map<string, string>();
  readonly saves: string[][] = [];
  readonly failures: unknown[] = [];
  isSlow = false;
  isBroken = false;
  /** Saves in progress. */
  readonly pending: { end(): void }[] = [];

  load = () => [...this.tallies].map(([subject, text]) => [subject, JSON.parse(text) as Tally] as const);

  save = async (entries: readonly (readonly [string, Tally])[]) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.isSlow) {
      this.pending.push({ end: resolve });
      await promise;
    }
    if (this.isBroken) throw new Error("disk full");
    this.saves.push(entries.map(([subject]) => subject));
    for (const [subject, tally] of entries) this.tallies.set(subject, JSON.stringify(tally));
  };

  async endSave(): Promise<void> {
    this.pending.shift()?.end();
    await Bun.sleep(0);
  }
}

async function open(clock: FakeClock, kept = new Kept()) {
  const memory = newTableMemory(WAYS);
  const table = new TallyTable(memory, clock);
  await loadTallies(table, kept, clock.nowMs());
  const saver = { save: tallySaver(table, kept, (error) => kept.failures.push(error)) };
  const meter = new MemoryMeter(clock, table, saver.save);
  return { meter, saver, kept, table, used: (subject: string) => usedIn(kept, subject) };
}

const usedIn = ({ tallies }: Kept, subject: string): number =>
  (JSON.parse(tallies.get(subject) ?? "null") as Tally | null)?.day.used ?? 0;

describe("saving tallies", () => {
  test("continues from what was saved, without what has expired", async () => {
    const clock = new FakeClock();
    const { meter, saver, kept } = await open(clock);
    for (let i = 0; i < 60; i++) await meter.judge("key", FREE);
    await saver.save();
    const { meter: later } = await open(clock, kept);
    expect((await later.judge("key", FREE)).kind).toBe("exhausted");
    expect((await later.judge("other", FREE)).kind).toBe("pass");
    clock.advance(86_400_000);
    const { table } = await open(clock, kept);
    expect(table.find("key")).toBeUndefined();
  });

  test("saves only what has changed, and what was loaded has not", async () => {
    const clock = new FakeClock();
    const { meter, saver, kept } = await open(clock);
    await meter.judge("a", FREE);
    await saver.save();
    await saver.save();
    await meter.judge("b", FREE);
    await saver.save();
    expect(kept.saves).toEqual([["a"], ["b"]]);
    const { saver: next } = await open(clock, kept);
    await next.save();
    expect(kept.saves).toHaveLength(2);
  });

  test("a new ban is saved before it is answered", async () => {
    const { meter, kept, used } = await open(new FakeClock());
    kept.isSlow = true;
    for (let i = 0; i < 119; i++) await meter.judge("c", FREE);
    let isAnswered = false;
    const ban = Promise.resolve(meter.judge("c", FREE)).then((verdict) => {
      isAnswered = true;
      return verdict;
    });
    await Bun.sleep(0);
    expect([isAnswered, kept.pending.length]).toEqual([false, 1]);
    await kept.endSave();
    expect(await ban).toMatchObject({ kind: "banned", isNew: true });
    expect(used("c")).toBe(60);
  });

  test("a save that is asked for during another begins after it, with what has changed since: once for all who ask", async () => {
    const { meter, saver, kept, used } = await open(new FakeClock());
    kept.isSlow = true;
    await meter.judge("a", FREE);
    const first = saver.save();
    await Bun.sleep(0);
    await meter.judge("a", FREE);
    const others = [saver.save(), saver.save()];
    await meter.judge("a", FREE);
    await Bun.sleep(0);
    expect(kept.pending).toHaveLength(1);
    await kept.endSave();
    await first;
    expect([used("a"), kept.pending.length]).toEqual([1, 1]);
    await kept.endSave();
    await Promise.all(others);
    expect([used("a"), kept.saves.length]).toEqual([3, 2]);
  });

  test("a save that fails is reported, loses nothing, and the next one catches up", async () => {
    const { meter, saver, kept, used } = await open(new FakeClock());
    kept.isBroken = true;
    for (let i = 0; i < 119; i++) await meter.judge("a", FREE);
    expect(await meter.judge("a", FREE)).toMatchObject({ kind: "banned", isNew: true });
    expect(kept.failures).toEqual([new Error("disk full")]);
    kept.isBroken = false;
    await saver.save();
    expect([kept.saves, used("a")]).toEqual([[["a"]], 60]);
  });

  test("what was given up during a save that failed is not mistaken for what took its place", async () => {
    const { meter, saver, kept } = await open(new FakeClock());
    kept.isSlow = true;
    kept.isBroken = true;
    await meter.judge("given up", FREE);
    const save = saver.save();
    await Bun.sleep(0);
    for (let i = 0; i < WAYS; i++) await meter.judge(`other ${i}`, FREE);
    await kept.endSave();
    await save;
    kept.isSlow = false;
    kept.isBroken = false;
    await saver.save();
    expect(kept.saves.flat().sort()).toEqual(Array.from({ length: WAYS }, (_, i) => `other ${i}`).sort());
  });

  test("whatever is counted, asked for and failing, in the end everything is saved as it is", async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant("judge" as const), subject: fc.constantFrom("a", "b", "c") }),
      fc.record({ kind: fc.constant("save" as const) }),
      fc.record({ kind: fc.constant("end" as const), isBroken: fc.boolean() }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { meter, saver, kept, used } = await open(new FakeClock());
        kept.isSlow = true;
        const saved = new Map<string, number>();
        for (const step of steps) {
          if (step.kind === "judge") await meter.judge(step.subject, { ...FREE, perMinute: 1000 });
          else if (step.kind === "save") void saver.save();
          else {
            kept.isBroken = step.isBroken;
            await kept.endSave();
          }
          for (const subject of ["a", "b", "c"]) {
            expect(used(subject)).toBeGreaterThanOrEqual(saved.get(subject) ?? 0);
            saved.set(subject, used(subject));
          }
        }
        kept.isBroken = false;
        kept.isSlow = false;
        for (const save of kept.pending) save.end();
        await saver.save();
        for (const subject of ["a", "b", "c"]) expect(used(subject)).toBe(meter.tally(subject).day.used);
      }),
      { numRuns: 100 },
    );
  });
});
