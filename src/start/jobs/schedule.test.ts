import { afterEach, describe, expect, spyOn, test } from "bun:test";
import { AT_REST, MORE_TO_DO, type Run, Schedule } from "./schedule.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** A job under test. `run` gets the number of the run, from 1. */
function job(run: (count: number) => unknown, intervalMs = 1) {
  const failures: unknown[] = [];
  const counts = { runs: 0 };
  const schedule = new Schedule(intervalMs);
  const { stop, wake } = schedule.start(intervalMs, (async () => run(++counts.runs)) as Run, (error) =>
    failures.push(error),
  );
  stops.push(stop);
  const reaches = async (runs: number) => {
    while (counts.runs < runs) await Bun.sleep(1);
  };
  return { stop, wake, failures, counts, reaches };
}

describe("a job", () => {
  test("runs again and again, the first time after the interval", async () => {
    const { counts, reaches } = job(() => {});
    expect(counts.runs).toBe(0);
    await reaches(3);
  });

  test("a run that takes longer than the interval is not overtaken by the next", async () => {
    let running = 0;
    let mostAtOnce = 0;
    const { reaches } = job(async () => {
      mostAtOnce = Math.max(mostAtOnce, ++running);
      await Bun.sleep(5);
      running--;
    });
    await reaches(3);
    expect(mostAtOnce).toBe(1);
  });

  test("a run that leaves more to do is followed by another without waiting for the interval", async () => {
    const intervalMs = 500;
    const plain = job(() => {}, intervalMs);
    const { counts, reaches } = job((count) => (count < 10 ? MORE_TO_DO : undefined), intervalMs);
    await reaches(10);
    expect(plain.counts.runs).toBeLessThan(5);
    await Bun.sleep(5);
    expect(counts.runs).toBe(10);
  });

  test("no other value is taken for more to do, be it true", async () => {
    const intervalMs = 100;
    const { counts, reaches } = job(() => true, intervalMs);
    const plain = job(() => {}, intervalMs);
    await Promise.all([reaches(1), plain.reaches(2)]);
    expect(counts.runs).toBeLessThan(10);
    // @ts-expect-error: nor does it compile.
    const run: Run = async () => true;
    expect(await run()).toBeTrue();
  });

  test("a failure is reported, and the job goes on", async () => {
    const { failures, reaches } = job((count) => {
      if (count <= 2) throw new Error(`failure ${count}`);
    });
    await reaches(3);
    expect(failures.map(String)).toEqual(["Error: failure 1", "Error: failure 2"]);
  });

  test("a task that throws before it returns a promise is a failure too", async () => {
    const failures: unknown[] = [];
    let runs = 0;
    stops.push(
      new Schedule(1).start(
        1,
        () => {
          runs++;
          throw new Error("at once");
        },
        (error) => failures.push(error),
      ).stop,
    );
    while (runs < 2) await Bun.sleep(1);
    expect(failures.length).toBeGreaterThanOrEqual(1);
  });

  test("stopping waits for the run under way, and no other follows", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { stop, counts, reaches } = job(() => promise);
    await reaches(1);
    let isStopped = false;
    const stopped = stop().then(() => {
      isStopped = true;
    });
    await Bun.sleep(3);
    expect(isStopped).toBe(false);
    resolve();
    await stopped;
    await Bun.sleep(5);
    expect(counts.runs).toBe(1);
  });

  test("stopping before the first run prevents it", async () => {
    const { stop, counts } = job(() => {});
    await stop();
    await Bun.sleep(5);
    expect(counts.runs).toBe(0);
  });

  test("one at rest does not run until it is woken; being woken during a run is no rest", async () => {
    const resting = job((count) => {
      if (count === 2) resting.wake();
      return AT_REST;
    });
    const other = job(() => {});
    await resting.reaches(1);
    await other.reaches(other.counts.runs + 5);
    expect(resting.counts.runs).toBe(1);
    resting.wake();
    await resting.reaches(3);
    await other.reaches(other.counts.runs + 5);
    expect(resting.counts.runs).toBe(3);
  });

  test("one at rest that has failed is tried again", async () => {
    const { reaches } = job((count) => {
      if (count < 3) throw new Error("no");
      return AT_REST;
    });
    await reaches(3);
  });
});

test("jobs of one schedule are due together, however long they run and whenever they were started", async () => {
  const schedule = new Schedule(20);
  const ran: string[] = [];
  const turns: string[] = [];
  const note = (name: string) => {
    if (ran.push(name) === 1)
      queueMicrotask(() => {
        turns.push(ran.sort().join(" "));
        ran.length = 0;
      });
  };
  const add = (name: string, intervalMs: number, takesMs: number) =>
    stops.push(
      schedule.start(
        intervalMs,
        async () => {
          note(name);
          await Bun.sleep(takesMs);
        },
        () => {},
      ).stop,
    );
  add("a", 20, 0);
  await Bun.sleep(3);
  add("b", 20, 4);
  await Bun.sleep(3);
  add("c", 40, 0);
  while (turns.length < 12) await Bun.sleep(5);
  // On a busy machine, a run may end so late that its job misses a tick.
  expect(turns.filter((turn) => turn.includes(" ")).length).toBeGreaterThan(4);
});

test("without work, jobs are due at every other tick", async () => {
  const delayOf = (intervalMs: number, isBusy: boolean): unknown => {
    const now = spyOn(performance, "now").mockReturnValue(10_200);
    const timers = spyOn(globalThis, "setTimeout");
    const { stop } = new Schedule(500, () => isBusy).start(
      intervalMs,
      async () => {},
      () => {},
    );
    const delay = timers.mock.calls[0]?.[1];
    now.mockRestore();
    timers.mockRestore();
    stops.push(stop);
    return delay;
  };
  expect([500, 1_000, 5_000].map((intervalMs) => delayOf(intervalMs, true))).toEqual([300, 800, 4_800]);
  expect([500, 1_000, 5_000].map((intervalMs) => delayOf(intervalMs, false))).toEqual([800, 800, 4_800]);
});

test("a job that another one has made late is due at once, not in the past", async () => {
  const timers = spyOn(globalThis, "setTimeout");
  const schedule = new Schedule(5);
  const { promise, resolve } = Promise.withResolvers<void>();
  const keepBusy = async () => Bun.sleepSync(20);
  stops.push(
    schedule.start(5, keepBusy, () => {}).stop,
    schedule.start(
      10,
      async () => resolve(),
      () => {},
    ).stop,
  );
  await promise;
  const delays = timers.mock.calls.map(([, delayMs]) => Number(delayMs));
  timers.mockRestore();
  expect(Math.min(...delays)).toBeGreaterThanOrEqual(0);
});
