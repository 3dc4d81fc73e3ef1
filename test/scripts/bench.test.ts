import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { FULL, QUICK, type Settings } from "../../bench/common/settings.ts";
import { type ContenderName, mixedRequests, WORKLOADS } from "../../bench/common/workloads.ts";
import { type Measure, writeRequests } from "../../bench/load/load.ts";
import { type Latency, runSteadyLoad } from "../../bench/load/steady-load.ts";
import { expectedSeconds } from "../../bench/measures/duration.ts";
import { findCapacity } from "../../bench/measures/steady.ts";
import { writeReport } from "../../bench/report/report.ts";
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

test("a complete run takes at most 45 minutes, a quick one 5, also with a former revision", () => {
  expect(expectedSeconds(FULL, PARTS, true)).toBeLessThan(45 * 60);
  expect(expectedSeconds(QUICK, PARTS, true)).toBeLessThan(5 * 60);
});

test("of any ten requests of the mix, three are first pages, three other pages, three animals and one a creation", () => {
  const requests = mixedRequests(1_000);
  for (let from = 0; from < requests.length; from += 10) {
    const ten = requests.slice(from, from + 10);
    const count = (pattern: RegExp) => ten.filter(({ method, path }) => pattern.test(`${method} ${path}`)).length;
    expect([count(/^GET .*available$/), count(/cursor=/), count(/pets\/\d+$/), count(/^POST/)]).toEqual([3, 3, 3, 1]);
  }
});

describe("a steady load", () => {
  const LIST = "/v1/pets?status=available";

  /** Sends lists and nothing else, at 1,000 requests/s: 500 that do not count, then 200. */
  async function sendTo(
    fetch: (request: Request) => Response | Promise<Response>,
    { connections, waitSeconds }: { readonly connections: number; readonly waitSeconds: number },
  ) {
    await using server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch, idleTimeout: 0 });
    const requestsFile = await writeRequests(join(temporaryFolder(), "list.requests"), [{ method: "GET", path: LIST }]);
    const load = { connections, perSecond: 1_000, seconds: 0.2, waitSeconds, requestsFile };
    return await runSteadyLoad({ origin: server.url.origin, secrets: ["one", "two"], ...load });
  }

  test("has its requests sent with the keys in turn, and its refusals counted", async () => {
    const seen = new Map<string | null, number>();
    const { requests, failed } = await sendTo(
      ({ headers }) => {
        const key = headers.get("authorization");
        seen.set(key, (seen.get(key) ?? 0) + 1);
        return new Response("body", { status: key === "Bearer one" ? 200 : 429 });
      },
      { connections: 8, waitSeconds: 60 },
    );
    expect(Object.fromEntries(seen)).toEqual({ "Bearer one": 350, "Bearer two": 350 });
    expect([requests, failed]).toEqual([200, 100]);
  });

  test("has requests wait from when they were due, also those that a busy connection keeps from being sent", async () => {
    let seen = 0;
    const never = new Promise<Response>(() => {});
    const answer = () => (++seen > 550 ? never : new Response("body"));
    const { requests, unanswered, p50Ms } = await sendTo(answer, { connections: 1, waitSeconds: 0.3 });
    // A slow machine may not come to the one that is never answered.
    expect(seen).toBeLessThanOrEqual(551);
    expect([700 - seen, 701 - seen].map((left) => Math.min(200, left))).toContain(unanswered);
    expect(requests).toBe(200);
    // The last of them was due as long ago as the generator waits for it.
    expect(p50Ms).toBeGreaterThan(300);
  });
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

  describe("at a steady rate", () => {
    const latencyOf = (p99Ms: number, lagP99Ms = 0.05): Latency => ({
      requests: 4_000,
      failed: 0,
      unanswered: 0,
      p50Ms: 0.1,
      p99Ms,
      p999Ms: 9,
      slowestMs: 20,
      lagP99Ms,
      lagMaxMs: 1,
      generatorMicros: 30,
    });
    const { throughput: _, ...withoutParts } = resultsWith({});
    /** Results with rounds of this service and the bare server at a rate. */
    const resultsAt = (perSecond: number, ours: Latency[], bare: Latency[]): Results => ({
      ...withoutParts,
      steady: {
        capacity: 9_000,
        rows: [
          { perSecond, contender: "this service", latencies: ours },
          { perSecond, contender: "ceiling", latencies: bare },
        ],
      },
    });
    const verdictAt = (perSecond: number, ours: Latency[], bare: Latency[]) =>
      judge(resultsAt(perSecond, ours, bare)).find(({ what }) => what.startsWith("p99 of the mix at"))?.isMet;

    test("1,000 requests/s have a limit in milliseconds, the others one relative to the bare server", () => {
      expect(verdictAt(1_000, [latencyOf(1.2)], [latencyOf(0.3)])).toBe(true);
      expect(verdictAt(1_000, [latencyOf(1.3)], [latencyOf(0.6)])).toBe(false);
      expect(verdictAt(4_000, [latencyOf(2.5)], [latencyOf(1)])).toBe(true);
      expect(verdictAt(4_000, [latencyOf(2.6)], [latencyOf(1)])).toBe(false);
    });

    test("only those rounds count in which the machine was quiet and the generator in time", () => {
      const [good, bad, late] = [latencyOf(1), latencyOf(30), latencyOf(30, 20)];
      expect(verdictAt(1_000, [bad, good, bad], [latencyOf(0.7), latencyOf(0.5), latencyOf(0.4, 0.3)])).toBe(true);
      expect(verdictAt(1_000, [late, good], [latencyOf(0.5), latencyOf(0.5)])).toBe(true);
      expect(verdictAt(1_000, [good], [latencyOf(0.7)])).toBeUndefined();
    });

    test("a job may double the p99, and no more; a round counts as at a rate", () => {
      const verdict = (without: Latency, beside: Latency, bare: Latency, amount = 3) =>
        judge({
          ...withoutParts,
          jobs: [{ job: "backup", rounds: [{ bare, without, beside, happened: { amount, text: "" } }] }],
        }).map(({ isMet }) => isMet);
      expect(verdict(latencyOf(1), latencyOf(2), latencyOf(0.5))).toEqual([true]);
      expect(verdict(latencyOf(1), latencyOf(2.1), latencyOf(0.5))).toEqual([false]);
      expect(verdict(latencyOf(1), latencyOf(2.1), latencyOf(0.7))).toEqual([undefined]);
      expect(verdict(latencyOf(1), latencyOf(2.1, 2), latencyOf(0.5))).toEqual([undefined]);
      expect(verdict(latencyOf(1), latencyOf(2), latencyOf(0.5), 0)).toEqual([undefined]);
    });

    test("the report says which rows are not counted, and can be written for runs without steady rates", async () => {
      const noisy = resultsAt(1_000, [latencyOf(1)], [latencyOf(0.7)]);
      const report = await writeReport(noisy);
      expect(report).toContain("0 of 1 are met, 0 are missed, 1 are not counted");
      expect(report).toContain(
        "| 1,000 | this service | 0.10 | 1.00 | 9.00 | 20.00 | 1.43 | 0.05 | none of 1: not counted |",
      );
      const { steady, ...settings } = FULL;
      expect(await writeReport({ ...withoutParts, settings: settings as Settings })).not.toContain("steady rate");
    });
  });
});

test("the capacity is the last rate that was kept up with; a rate is given up after two attempts", async () => {
  const kept = { failed: 0, unanswered: 0, p50Ms: 0.5 } as Latency;
  const tried: number[] = [];
  const capacity = await findCapacity(async (perSecond) => {
    tried.push(perSecond);
    // One attempt is spoiled; 2,000 is too much.
    const isSpoiled = perSecond === 1_300 && tried.filter((rate) => rate === 1_300).length === 1;
    return isSpoiled || perSecond >= 2_000 ? { ...kept, p50Ms: 50 } : kept;
  });
  expect([capacity, tried]).toEqual([1_600, [1_000, 1_300, 1_300, 1_600, 2_000, 2_000]]);
});
