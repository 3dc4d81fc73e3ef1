import { afterAll, describe, expect, test } from "bun:test";
import { judge, newTally, type RatePolicy, ratePolicyOfAddress, type Tally } from "../../src/domain/limits/tally.ts";
import { newMeterMemory, openMeters } from "../../src/meter/open.ts";
import { newTableMemory } from "../../src/meter/tally-table.ts";
import { FakeClock } from "../harness/time/clock.ts";
import type { Assignment, FromWorker, Opening, Report, ToWorker } from "./threads.worker.ts";

const THREADS = 4;
const KEY: RatePolicy = { perMinute: 1_000, perDay: 5_000, strikesToBan: 700, unbannedAtMs: -1 };

/** A thread that counts, with its last assignment. */
class CountingThread {
  readonly #worker = new Worker(new URL("./threads.worker.ts", import.meta.url).href);
  #answer: PromiseWithResolvers<Report> = Promise.withResolvers();

  constructor(onSave: () => Promise<void>) {
    this.#worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if (data.kind === "save") void onSave().then(() => this.#send({ kind: "saved" }));
      else this.#answer.resolve(data.kind === "report" ? data.report : {});
    };
    this.#worker.onerror = ({ message }) => this.#answer.reject(new Error(message));
  }

  open(opening: Opening): Promise<Report> {
    return this.#ask({ kind: "open", ...opening });
  }

  judge(assignment: Assignment): Promise<Report> {
    return this.#ask({ kind: "judge", ...assignment });
  }

  end(): void {
    this.#worker.terminate();
  }

  #ask(message: ToWorker): Promise<Report> {
    this.#answer = Promise.withResolvers();
    this.#send(message);
    return this.#answer.promise;
  }

  #send(message: ToWorker): void {
    this.#worker.postMessage(message);
  }
}

let saveNow: () => Promise<void> = async () => {};
const threads = Array.from({ length: THREADS }, () => new CountingThread(() => saveNow()));
afterAll(() => {
  for (const thread of threads) thread.end();
});

/** Threads that count together, and this one, which saves. */
async function countTogether({
  aheadMs = [0, 0, 0, 0],
  slowMs = 0,
  memory = newMeterMemory({ hasRedis: false }),
} = {}) {
  const clock = new FakeClock();
  const saved: (readonly (readonly [string, Tally])[])[] = [];
  const meters = await openMeters({
    redisUrl: undefined,
    memory,
    keeper: { load: () => [], save: (entries) => void saved.push(entries) },
    clock,
    onSaveFailure(error) {
      throw error;
    },
    onServerChange() {},
  });
  saveNow = () => meters.save();
  const opened = { memory, clock: clock.buffer };
  await Promise.all(
    threads.map((thread, i) => thread.open({ ...opened, aheadMs: aheadMs[i] ?? 0, slowMs: i === 0 ? slowMs : 0 })),
  );
  /** Has all threads judge the same at the same time, and adds up their verdicts. */
  const judgeAll = async (assignment: Assignment): Promise<Report> =>
    sumOf(await Promise.all(threads.map((thread) => thread.judge(assignment))));
  return { clock, meters, saved, judgeAll };
}

function sumOf(reports: readonly Report[]): Report {
  const sum: Report = {};
  for (const report of reports)
    for (const [subject, counts] of Object.entries(report)) {
      sum[subject] ??= { pass: 0, exhausted: 0, banned: 0, newBan: 0 };
      for (const [kind, count] of Object.entries(counts)) sum[subject][kind as keyof typeof counts] += count;
    }
  return sum;
}

/** The verdicts of one thread on as many requests at one moment. */
function sayOne(policy: RatePolicy, requests: number, nowMs: number): { counts: Report[string]; tally: Tally } {
  const tally = newTally();
  const counts = { pass: 0, exhausted: 0, banned: 0, newBan: 0 };
  for (let i = 0; i < requests; i++) {
    const verdict = judge(tally, policy, nowMs);
    counts[verdict.kind === "banned" && verdict.isNew ? "newBan" : verdict.kind]++;
  }
  return { counts, tally };
}

describe("four threads that count together", () => {
  test("let pass of one key exactly its quota, and count its strikes and its ban exactly", async () => {
    const { clock, meters, judgeAll } = await countTogether();
    for (let window = 0; window < 3; window++) {
      const report = await judgeAll({ of: "keyMeter", subjects: ["key"], requests: 600, policy: KEY });
      const { counts } = sayOne(KEY, THREADS * 600, clock.nowMs());
      expect(report).toEqual({ key: counts });
      expect(counts).toMatchObject({ pass: 1_000, exhausted: 699, newBan: 1 });
      clock.advance(86_400_000 * 2);
    }
    clock.advance(-86_400_000 * 2);
    expect(await meters.keyMeter.tally("key")).toEqual(sayOne(KEY, THREADS * 600, clock.nowMs()).tally);
  });

  test("do so for many keys at once, and for addresses, which are never banned", async () => {
    const { clock, judgeAll } = await countTogether();
    const subjects = Array.from({ length: 500 }, (_, i) => `key_${i}`);
    const keys = { ...KEY, perMinute: 30, strikesToBan: 20 };
    const { counts } = sayOne(keys, THREADS * 20, clock.nowMs());
    const report = await judgeAll({ of: "keyMeter", subjects, requests: 20, policy: keys });
    expect(report).toEqual(Object.fromEntries(subjects.map((subject) => [subject, counts])));
    const addresses = subjects.map((_, i) => `2001:db8:0:${i}::/64`);
    const policy = ratePolicyOfAddress(30);
    expect(await judgeAll({ of: "addressMeter", subjects: addresses, requests: 20, policy })).toEqual(
      Object.fromEntries(addresses.map((address) => [address, { pass: 30, exhausted: 50, banned: 0, newBan: 0 }])),
    );
  });

  test("do so by clocks that are a millisecond apart", async () => {
    const { judgeAll } = await countTogether({ aheadMs: [0, 1, 0, 2] });
    const report = await judgeAll({ of: "keyMeter", subjects: ["key", "other"], requests: 600, policy: KEY });
    const { counts } = sayOne(KEY, THREADS * 600, 0);
    expect(report).toEqual({ key: counts, other: counts });
  });

  test("do so while one of them loses the processor inside the lock, and the others use none meanwhile", async () => {
    const { judgeAll, meters } = await countTogether({ slowMs: 40 });
    const policy = { ...KEY, perMinute: 15, strikesToBan: 7 };
    const before = process.cpuUsage();
    const from = performance.now();
    const report = await judgeAll({ of: "keyMeter", subjects: ["key"], requests: 10, policy });
    const tookMs = performance.now() - from;
    const { user, system } = process.cpuUsage(before);
    expect(report).toEqual({ key: sayOne(policy, THREADS * 10, 0).counts });
    expect(tookMs).toBeGreaterThan(400);
    // Without sleep, each of the others would use as much CPU as the holder of the lock takes.
    expect((user + system) / 1000).toBeLessThan(tookMs);
    expect((await meters.keyMeter.tally("key")).minute.used).toBe(15);
  });

  test("have a new ban saved before it is answered, whichever thread it falls on", async () => {
    const { judgeAll, saved, clock } = await countTogether();
    const policy = { ...KEY, perMinute: 1, strikesToBan: 10 };
    for (let i = 0; i < 8; i++) {
      const subjects = [`key_${i}`];
      expect((await judgeAll({ of: "keyMeter", subjects, requests: 5, policy }))[`key_${i}`]?.newBan).toBe(1);
      const { tally } = sayOne(policy, THREADS * 5, clock.nowMs());
      expect(saved.flat().findLast(([subject]) => subject === `key_${i}`)?.[1].banRecord).toEqual(tally.banRecord);
    }
  });

  test("lose nothing to saves that happen meanwhile, and none of these overwrites a newer one", async () => {
    const { judgeAll, saved, meters } = await countTogether();
    const subjects = Array.from({ length: 50 }, (_, i) => `key_${i}`);
    const policy = { ...KEY, perMinute: 100_000, perDay: 100_000 };
    let isOver = false;
    const saving = (async () => {
      for (; !isOver; await Bun.sleep(0)) await meters.save();
    })();
    await judgeAll({ of: "keyMeter", subjects, requests: 400, policy });
    isOver = true;
    await saving;
    await meters.save();
    const used = new Map<string, number>();
    for (const [subject, { day }] of saved.flat()) {
      expect(day.used).toBeGreaterThan(used.get(subject) ?? 0);
      used.set(subject, day.used);
    }
    expect([...used.values()]).toEqual(subjects.map(() => THREADS * 400));
    expect(saved.length).toBeGreaterThan(1);
  });

  test("count exactly after a flood that left no room", async () => {
    const memory = { ...newMeterMemory({ hasRedis: false }), addresses: newTableMemory(1_024) };
    const { judgeAll, clock } = await countTogether({ memory });
    const flood = (name: string) => Array.from({ length: 1_000 }, (_, i) => `${name} ${i}`);
    const policy = ratePolicyOfAddress(1_000);
    for (const name of ["a", "b", "c"]) {
      clock.advance(1);
      await judgeAll({ of: "addressMeter", subjects: flood(name), requests: 1, policy });
    }
    clock.advance(1);
    const report = await judgeAll({ of: "addressMeter", subjects: ["late"], requests: 400, policy });
    expect(report).toEqual({ late: { pass: 1_000, exhausted: 600, banned: 0, newBan: 0 } });
  });
});
