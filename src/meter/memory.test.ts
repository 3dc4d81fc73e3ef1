import { describe, expect, test } from "bun:test";
import { FakeClock } from "../../test/harness/clock.ts";
import { type Tally, termsOfAddress, termsOfKey } from "../domain/tally.ts";
import { BoundedMeter, KeptMeter } from "./memory.ts";
import type { TallyKeeper } from "./meter.ts";

const FREE = termsOfKey({ perMinute: 60, perDay: 1000 }, undefined);

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

describe("KeptMeter", () => {
  test("goes on where it was saved", async () => {
    const clock = new FakeClock();
    const { port } = keeper();
    const before = await KeptMeter.open(clock, port, () => {});
    for (let i = 0; i < 60; i++) await before.judge("key", FREE);
    await before.save();
    const after = await KeptMeter.open(clock, port, () => {});
    expect((await after.judge("key", FREE)).kind).toBe("exhausted");
    expect((await after.judge("other", FREE)).kind).toBe("pass");
  });

  test("saves only what changed, and a ban before it is answered", async () => {
    const clock = new FakeClock();
    const { port, saves } = keeper();
    const meter = await KeptMeter.open(clock, port, () => {});
    await meter.judge("a", FREE);
    await meter.save();
    await meter.save();
    await meter.judge("b", FREE);
    await meter.save();
    expect(saves).toEqual([["a"], ["b"]]);
    for (let i = 0; i < 120; i++) await meter.judge("c", FREE);
    expect(saves).toEqual([["a"], ["b"], ["c"]]);
    const after = await KeptMeter.open(clock, port, () => {});
    expect((await after.judge("c", FREE)).kind).toBe("banned");
  });

  test("a save that fails is reported, loses nothing and is made up for", async () => {
    const clock = new FakeClock();
    const { port, saves, break: setBroken } = keeper();
    const failures: unknown[] = [];
    const meter = await KeptMeter.open(clock, port, (error) => failures.push(error));
    setBroken(true);
    for (let i = 0; i < 120; i++) await meter.judge("a", FREE);
    expect((await meter.judge("a", FREE)).kind).toBe("banned");
    expect(failures).toHaveLength(1);
    setBroken(false);
    await meter.save();
    expect(saves).toEqual([["a"]]);
  });

  test("forgets at its start what no longer says anything", async () => {
    const clock = new FakeClock();
    const { port } = keeper();
    const before = await KeptMeter.open(clock, port, () => {});
    for (let i = 0; i < 60; i++) await before.judge("key", FREE);
    await before.save();
    clock.advance(86_400_000);
    const after = await KeptMeter.open(clock, port, () => {});
    expect((await after.judge("key", FREE)).standing.shown).toMatchObject({ quota: 60, remaining: 59 });
  });
});

describe("BoundedMeter", () => {
  const terms = termsOfAddress(2);

  test("counts each address by itself, and anew with the next window", () => {
    const clock = new FakeClock();
    const meter = new BoundedMeter(clock, 10);
    const kinds = (address: string) => [1, 2, 3].map(() => meter.judge(address, terms).kind);
    expect(kinds("a")).toEqual(["pass", "pass", "exhausted"]);
    expect(kinds("b")).toEqual(["pass", "pass", "exhausted"]);
    clock.advance(60_000);
    expect(kinds("a")).toEqual(["pass", "pass", "exhausted"]);
  });

  test("never holds more addresses than it may, and forgets the oldest window first", () => {
    const clock = new FakeClock();
    const meter = new BoundedMeter(clock, 3);
    for (let i = 0; i < 1000; i++) meter.judge(`address ${i}`, terms);
    expect(meter.size).toBe(3);
    for (const address of ["a", "a", "b", "c", "d"]) meter.judge(address, terms);
    expect(meter.judge("b", terms).standing.shown.remaining).toBe(0);
    expect(meter.judge("a", terms).standing.shown.remaining).toBe(1);
  });
});
