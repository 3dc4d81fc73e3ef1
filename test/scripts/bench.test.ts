import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { FULL, QUICK } from "../../bench/common/settings.ts";
import { type ContenderName, mixedRequests, WORKLOADS } from "../../bench/common/workloads.ts";
import type { Measure } from "../../bench/load/load.ts";
import { expectedSeconds } from "../../bench/measures/duration.ts";
import { PARTS, type Results } from "../../bench/report/results.ts";
import { judge } from "../../bench/report/targets.ts";
import { temporaryFolder } from "../harness/folder.ts";

const BENCH = join(import.meta.dir, "../../bench/run.ts");

async function bench(...args: string[]): Promise<{ exitCode: number; out: string }> {
  const env = { PATH: temporaryFolder() };
  const child = Bun.spawn([process.execPath, BENCH, ...args], { env, stdin: "ignore", stdout: "pipe" });
  const out = await new Response(child.stdout).text();
  return { exitCode: await child.exited, out };
}

test("the benchmark says what to install when wrk is missing", async () => {
  const { exitCode, out } = await bench();
  expect(exitCode).toBe(1);
  expect(out).toBe("This benchmark needs wrk. On Debian: apt-get install wrk\n");
});

test("the benchmark says which parts there are when one is misspelt", async () => {
  const { exitCode, out } = await bench("--only", "sacle");
  expect(exitCode).toBe(1);
  expect(out).toContain(`--only takes any of ${PARTS.join(", ")}, separated by commas, not sacle`);
});

test("a complete run takes at most 35 minutes, a quick one 3, also with a former revision", () => {
  expect(expectedSeconds(FULL, PARTS, true)).toBeLessThan(35 * 60);
  expect(expectedSeconds(QUICK, PARTS, true)).toBeLessThan(3 * 60);
});

test("of any ten requests of the mix, three are first pages, three other pages, three animals and one a creation", () => {
  const requests = mixedRequests(1_000);
  for (let from = 0; from < requests.length; from += 10) {
    const ten = requests.slice(from, from + 10);
    const count = (pattern: RegExp) => ten.filter(({ method, path }) => pattern.test(`${method} ${path}`)).length;
    expect([count(/^GET .*available$/), count(/cursor=/), count(/pets\/\d+$/), count(/^POST/)]).toEqual([3, 3, 3, 1]);
  }
});

describe("targets", () => {
  const measureOf = (perSecond: number): Measure => ({
    requests: 2 * perSecond,
    perSecond,
    p50Ms: 1,
    p99Ms: 2,
    socketErrors: 0,
    cpuMicros: 40,
  });

  /** Results of a run in which a contender answers as many requests/s in each work. */
  const resultsWith = (rates: Partial<Record<ContenderName, number>>): Results => ({
    machine: {} as Results["machine"],
    command: "npm run bench",
    minutes: 1,
    settings: FULL,
    throughput: WORKLOADS.flatMap(({ name, contenders }) =>
      contenders.flatMap((contender) => {
        const rate = rates[contender];
        return rate === undefined ? [] : [{ work: name, contender, measures: [measureOf(rate)] }];
      }),
    ),
  });

  test("a missed target is told from a met one", () => {
    const verdicts = judge(resultsWith({ "this service": 1_650, "former revision": 1_000 }));
    const isMet = (target: string) => verdicts.find((verdict) => verdict.target === target)?.isMet;
    expect(isMet("at least 1.5 times the former revision's")).toBe(true);
    expect(isMet("at least 1.7 times the former revision's")).toBe(false);
  });

  test("one thread may lose three per cent, and no more", () => {
    const ofOneThread = (rate: number) =>
      judge(resultsWith({ "THREADS=1": rate, "former revision": 1_000 }))
        .filter(({ what }) => what.endsWith("one thread"))
        .map(({ isMet }) => isMet);
    expect(ofOneThread(970)).toEqual(Array(6).fill(true));
    expect(ofOneThread(960)).toEqual(Array(6).fill(false));
  });

  test("without a former revision there are no targets about it", () => {
    const verdicts = judge(resultsWith({ "this service": 2_000, "THREADS=1": 1_000, Fastify: 500 }));
    expect(verdicts.map(({ target }) => target)).toContain("at least 4 times Fastify's");
    expect(verdicts.filter(({ target }) => target.includes("former"))).toEqual([]);
  });
});
