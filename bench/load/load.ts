import { join } from "node:path";
import { atEnd } from "../../test/harness/cleanup.ts";
import { type Request, say, whole } from "../common/tools.ts";
import { microsOfFamily } from "./cpu.ts";

const SCRIPT = join(import.meta.dir, "load.lua");

export interface Load {
  readonly origin: string;
  readonly secret?: string | undefined;
  readonly connections: number;
  readonly seconds: number;
  /** A GET of this path, or the requests in a file written by writeRequests(). */
  readonly path?: string;
  readonly requestsFile?: string;
  /** True if every response must be an error; otherwise, none may be. */
  readonly isRefused?: boolean;
  /** The process whose CPU time is measured, together with that of its children. */
  readonly pid?: number;
}

export interface Measure {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly socketErrors: number;
  /** CPU time per request in microseconds, or 0 if it was not measured. */
  readonly cpuMicros: number;
}

interface Report {
  readonly requests: number;
  readonly micros: number;
  readonly p50Micros: number;
  readonly p99Micros: number;
  readonly socketErrors: number;
  readonly refusals: number;
  /** The number of responses by status, if they were counted. */
  readonly statuses: Readonly<Record<string, number>>;
}

/** Runs wrk with one thread. Throws on unexpected responses. */
export async function measure(load: Load): Promise<Measure> {
  const cpuOf = () => (load.pid === undefined ? 0 : microsOfFamily(load.pid));
  const before = cpuOf();
  const report = await wrk(load);
  const cpuMicros = cpuOf() - before;
  const { requests, micros, refusals, socketErrors } = report;
  if (requests === 0) throw new Error(`${load.origin} did not answer any request`);
  if (refusals !== (load.isRefused ? requests : 0))
    throw new Error(`${load.origin}: ${whole(refusals)} of ${whole(requests)} responses were errors`);
  if (socketErrors > 0) say(`  ${load.origin}: ${whole(socketErrors)} socket errors or timeouts`);
  return {
    requests,
    perSecond: (requests * 1e6) / micros,
    p50Ms: report.p50Micros / 1000,
    p99Ms: report.p99Micros / 1000,
    socketErrors,
    cpuMicros: cpuMicros / requests,
  };
}

/** The expected share of each status in all responses. */
export type StatusShares = ReadonlyMap<number, number>;

/** Warms a contender up, and meanwhile checks the status of every response. */
export async function warmUp(load: Load, expected: StatusShares): Promise<void> {
  const { requests, statuses } = await wrk(load, ["count"]);
  if (requests === 0) throw new Error(`${load.origin} did not answer any request`);
  for (const [status, count] of Object.entries(statuses)) {
    const share = expected.get(Number(status));
    // The shares are only approximate: a part of the file is sent, and some responses are still in flight at the end.
    const tolerance = load.connections + requests / 100;
    if (share === undefined || Math.abs(count - share * requests) > tolerance)
      throw new Error(`${load.origin}: ${whole(count)} of ${whole(requests)} responses had the status ${status}`);
  }
}

async function wrk(load: Load, options: readonly string[] = []): Promise<Report> {
  const { origin, secret, connections, seconds, path = "/", requestsFile = "" } = load;
  const child = Bun.spawn(
    [
      "wrk",
      "-t1",
      `-c${connections}`,
      `-d${seconds}s`,
      ...(secret === undefined ? [] : ["-H", `Authorization: Bearer ${secret}`]),
      "-s",
      SCRIPT,
      origin + path,
      "--",
      requestsFile,
      ...options,
    ],
    { stdin: "ignore", stdout: "pipe", stderr: "pipe" },
  );
  atEnd(() => child.kill("SIGKILL"));
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  const line = out.split("\n").find((text) => text.startsWith("{"));
  if (line === undefined) throw new Error(`wrk failed: ${err || out}`);
  return JSON.parse(line);
}

/** Writes a file of requests for measure(), which sends them in turn, over and over. */
export async function writeRequests(file: string, requests: Iterable<Request>): Promise<string> {
  const lines = Array.from(
    requests,
    ({ method, path, body = "", idempotencyKey = "" }) => `${method}\t${path}\t${body}\t${idempotencyKey}\n`,
  );
  await Bun.write(file, lines.join(""));
  return file;
}
