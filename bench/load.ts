import { join } from "node:path";
import { atEnd } from "../test/harness/cleanup.ts";
import { type Request, say, whole } from "./tools.ts";

const SCRIPT = join(import.meta.dir, "load.lua");

export interface Load {
  readonly origin: string;
  readonly secret?: string | undefined;
  readonly connections: number;
  readonly seconds: number;
  /** A GET of this path, or the requests in a file written by writeRequests(). */
  readonly path?: string;
  readonly requestsFile?: string;
  /** Whether every response must be an error; otherwise, none may be. */
  readonly isRefused?: boolean;
}

export interface Measure {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly socketErrors: number;
}

interface Report {
  readonly requests: number;
  readonly micros: number;
  readonly p50Micros: number;
  readonly p99Micros: number;
  readonly socketErrors: number;
  readonly refusals: number;
}

/** What wrk measures with one thread. Fails if there are unexpected responses. */
export async function measure(load: Load): Promise<Measure> {
  const report = await wrk(load);
  const { requests, micros, refusals, socketErrors } = report;
  if (requests === 0) throw new Error(`${load.origin} did not answer any request`);
  if (refusals !== (load.isRefused ? requests : 0))
    throw new Error(`${load.origin}: ${whole(refusals)} of ${whole(requests)} responses were errors`);
  if (socketErrors > 0) say(`  ${load.origin}: ${whole(socketErrors)} socket errors or timeouts`);
  return {
    perSecond: (requests * 1e6) / micros,
    p50Ms: report.p50Micros / 1000,
    p99Ms: report.p99Micros / 1000,
    socketErrors,
  };
}

async function wrk({ origin, secret, connections, seconds, path = "/", requestsFile }: Load): Promise<Report> {
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
      ...(requestsFile === undefined ? [] : ["--", requestsFile]),
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
