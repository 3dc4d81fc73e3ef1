import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { FULL, QUICK } from "../../bench/common/settings.ts";
import { type ContenderName, mixedRequests, WORKLOADS } from "../../bench/common/workloads.ts";
import { type Measure, writeRequests } from "../../bench/load/load.ts";
import { runSteadyLoad } from "../../bench/load/steady-load.ts";
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

describe("a steady load", () => {
  const LIST = "/v1/pets?status=available";

  /** Sends lists and nothing else, at 1,000 requests/s: 500 that do not count, then 200. */
  async function sendTo(fetch: (request: Request) => Response | Promise<Response>, connections: number) {
    await using server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch, idleTimeout: 0 });
    const requestsFile = await writeRequests(join(temporaryFolder(), "list.requests"), [{ method: "GET", path: LIST }]);
    const load = { connections, perSecond: 1_000, seconds: 0.2, waitSeconds: 0.3, requestsFile };
    return await runSteadyLoad({ origin: server.url.origin, secrets: ["one", "two"], ...load });
  }

  test("has its requests sent with the keys in turn, and its refusals counted", async () => {
    const seen = new Map<string | null, number>();
    const { requests, failed } = await sendTo(({ headers }) => {
      const key = headers.get("authorization");
      seen.set(key, (seen.get(key) ?? 0) + 1);
      return new Response("body", { status: key === "Bearer one" ? 200 : 429 });
    }, 8);
    expect(Object.fromEntries(seen)).toEqual({ "Bearer one": 350, "Bearer two": 350 });
    expect([requests, failed]).toEqual([200, 100]);
  });

  test("has requests wait from when they were due, also those that a busy connection keeps from being sent", async () => {
    let seen = 0;
    const never = new Promise<Response>(() => {});
    const { requests, unanswered, p50Ms } = await sendTo(() => (++seen > 550 ? never : new Response("body")), 1);
    expect([seen, requests, unanswered]).toEqual([551, 200, 150]);
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
});
