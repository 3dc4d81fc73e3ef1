import { describe, expect, test } from "bun:test";
import { FakeClock } from "../../test/harness/clock.ts";
import { ratePolicyOfAddress, ratePolicyOfKey, type Tally } from "../domain/tally.ts";
import { BoundedMeter, DurableMeter } from "./memory.ts";
import type { TallyKeeper } from "./meter.ts";

const FREE = ratePolicyOfKey({ perMinute: 60, perDay: 1000 }, undefined);

/** Keeps copies, as a database would. */
function keeper() {
  const kept = new Map<string, string>();
  let isBroken = false;
  const saves: string[][] = [];
  const port: TallyKeeper = {
    load: () => [...kept].map(([subject, text]) => [subject, JSON.parse(text) as Tally]),
    save(entries) {
      if (isBroken) throw new Error("disk full");
      saves.push(entries.map(([subject]) => subject));
      for (const [subject, tally] of entries) kept.set(subject, JSON.stringify(tally));
    },
  };
  return {
    port,
    saves,
    break: (broken: boolean) => {
      isBroken = broken;
    },
  };
}

describe("DurableMeter", () => {
  test("continues from what was saved", async () => {
    const clock = new FakeClock();
    const { port } = keeper();
    const before = await DurableMeter.open(clock, port, () => {});
    for (let i = 0; i < 60; i++) await before.judge("key", FREE);
    await before.save();
    const after = await DurableMeter.open(clock, port, () => {});
    expect((await after.judge("key", FREE)).kind).toBe("exhausted");
    expect((await after.judge("other", FREE)).kind).toBe("pass");
  });

  test("saves only what changed, and a ban before it is answered", async () => {
    const clock = new FakeClock();
    const { port, saves } = keeper();
    const meter = await DurableMeter.open(clock, port, () => {});
    await meter.judge("a", FREE);
    await meter.save();
    await meter.save();
    await meter.judge("b", FREE);
    await meter.save();
    expect(saves).toEqual([["a"], ["b"]]);
    for (let i = 0; i < 120; i++) await meter.judge("c", FREE);
    expect(saves).toEqual([["a"], ["b"], ["c"]]);
    const after = await DurableMeter.open(clock, port, () => {});
    expect((await after.judge("c", FREE)).kind).toBe("banned");
  });

  test("a save that fails is reported, loses nothing, and the next one catches up", async () => {
    const clock = new FakeClock();
    const { port, saves, break: setBroken } = keeper();
    const failures: unknown[] = [];
    const meter = await DurableMeter.open(clock, port, (error) => failures.push(error));
    setBroken(true);
    for (let i = 0; i < 120; i++) await meter.judge("a", FREE);
    expect((await meter.judge("a", FREE)).kind).toBe("banned");
    expect(failures).toHaveLength(1);
    setBroken(false);
    await meter.save();
    expect(saves).toEqual([["a"]]);
  });

  test("discards expired tallies when it opens", async () => {
    const clock = new FakeClock();
    const { port } = keeper();
    const before = await DurableMeter.open(clock, port, () => {});
    for (let i = 0; i < 60; i++) await before.judge("key", FREE);
    await before.save();
    clock.advance(86_400_000);
    const after = await DurableMeter.open(clock, port, () => {});
    expect((await after.judge("key", FREE)).standing.shown).toMatchObject({ quota: 60, remaining: 59 });
  });
});

describe("BoundedMeter", () => {
  const policy = ratePolicyOfAddress(2);

  test("counts each address separately, and afresh in the next window", () => {
    const clock = new FakeClock();
    const meter = new BoundedMeter(clock, 10);
    const kinds = (address: string) => [1, 2, 3].map(() => meter.judge(address, policy).kind);
    expect(kinds("a")).toEqual(["pass", "pass", "exhausted"]);
    expect(kinds("b")).toEqual(["pass", "pass", "exhausted"]);
    clock.advance(60_000);
    expect(kinds("a")).toEqual(["pass", "pass", "exhausted"]);
  });

  test("never holds more addresses than its limit, and evicts the oldest window first", () => {
    const clock = new FakeClock();
    const meter = new BoundedMeter(clock, 3);
    for (let i = 0; i < 1000; i++) meter.judge(`address ${i}`, policy);
    expect(meter.size).toBe(3);
    for (const address of ["a", "a", "b", "c", "d"]) meter.judge(address, policy);
    expect(meter.judge("b", policy).standing.shown.remaining).toBe(0);
    expect(meter.judge("a", policy).standing.shown.remaining).toBe(1);
  });

  test("a new subject costs no more when it is full, however many have come before", () => {
    const meter = new BoundedMeter(new FakeClock(), 50_000);
    let subjects = 0;
    const msFor = (count: number): number => {
      const from = performance.now();
      for (let i = 0; i < count; i++) meter.judge(`address ${++subjects}`, policy);
      return performance.now() - from;
    };
    const filling = msFor(50_000) / 50_000;
    const full = msFor(100_000) / 100_000;
    // Walking over what was evicted before made it 20 times as much.
    expect(full / filling).toBeLessThan(8);
  });

  test("what has expired is swept, a part at a time, and what has not stays", () => {
    const clock = new FakeClock();
    const meter = new BoundedMeter(clock, 50_000);
    const daily = ratePolicyOfKey({ perMinute: 60, perDay: 1 }, undefined);
    meter.judge("a key in its day", daily);
    for (let i = 0; i < 2_500; i++) meter.judge(`address ${i}`, policy);
    meter.sweep();
    expect(meter.size).toBe(2_501);
    clock.advance(60_000);
    meter.judge("address 7", policy);
    const sizes = [1, 2, 3].map(() => {
      meter.sweep();
      return meter.size;
    });
    expect(sizes).toEqual([1_501, 503, 2]);
    expect(meter.judge("a key in its day", daily).kind).toBe("exhausted");
    expect(meter.judge("address 7", policy).standing.shown.remaining).toBe(0);
  });

  test("to start again before its window ends, an address needs as many others as there is room for", () => {
    const meter = new BoundedMeter(new FakeClock(), 100);
    const kind = () => meter.judge("greedy", policy).kind;
    expect([kind(), kind(), kind()]).toEqual(["pass", "pass", "exhausted"]);
    for (let i = 0; i < 99; i++) meter.judge(`address ${i}`, policy);
    expect(kind()).toBe("exhausted");
    meter.judge("one more", policy);
    expect(kind()).toBe("pass");
  });
});
