// A load at a fixed rate, whether earlier requests were answered or not (open loop). Latency counts from the time that
// each request was due: what waits for a connection, or for a generator that is late, has waited.

import { join } from "node:path";
import { atEnd } from "../../test/harness/cleanup.ts";
import { whole } from "../common/tools.ts";

const GENERATOR = join(import.meta.dir, "generator.ts");

export interface SteadyLoad {
  readonly origin: string;
  /** The keys that requests are sent with, in turn. */
  readonly secrets: readonly string[];
  readonly connections: number;
  readonly perSecond: number;
  readonly seconds: number;
  /** The wait for responses after the last request was due. */
  readonly waitSeconds: number;
  /** A file written by writeRequests(). */
  readonly requestsFile: string;
}

export interface Latency {
  readonly requests: number;
  /** Requests that got an error, or whose connection was closed. */
  readonly failed: number;
  /** Requests without a response by the end of the wait. They count with the time until then. */
  readonly unanswered: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly slowestMs: number;
  /** The delay of the generator itself: from the time at which a request was due and could be sent, until it was. */
  readonly lagP99Ms: number;
  readonly lagMaxMs: number;
  /** CPU time of the generator per request. */
  readonly generatorMicros: number;
}

/** Sends the requests in a process of its own, over keep-alive connections, and waits for the responses. */
export async function runSteadyLoad(load: SteadyLoad): Promise<Latency> {
  const child = Bun.spawn([process.execPath, GENERATOR], {
    stdin: new Blob([JSON.stringify(load)]),
    stdout: "pipe",
    stderr: "pipe",
  });
  atEnd(() => child.kill("SIGKILL"));
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  if ((await child.exited) !== 0) throw new Error(`the load generator failed: ${err}`);
  return JSON.parse(out);
}

const ms = (value: number): string => `${value.toFixed(2)} ms`;

export function shownLatency({ p50Ms, p99Ms, p999Ms, slowestMs, lagP99Ms, failed, unanswered }: Latency): string {
  const lost = failed + unanswered === 0 ? "" : `  failed ${whole(failed)}, unanswered ${whole(unanswered)}`;
  return `p50 ${ms(p50Ms)}  p99 ${ms(p99Ms)}  p99.9 ${ms(p999Ms)}  slowest ${ms(slowestMs)}  generator late ${ms(lagP99Ms)}${lost}`;
}
