// Sends requests at a fixed rate, whether earlier ones were answered or not (open loop). Latency counts from the time
// that each was due.

import { ask } from "../common/tools.ts";

const CONNECTIONS = 64;
const LONGEST_WAIT_MS = 30_000;

export interface Latency {
  readonly requests: number;
  readonly failed: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly slowestMs: number;
}

export interface SteadyLoad {
  readonly origin: string;
  readonly secret: string;
  readonly perSecond: number;
  readonly seconds: number;
  /** Random ids from 1 to this are fetched. */
  readonly animals: number;
}

/** Seven of ten requests get an animal, two list animals, and one creates one. */
function request({ animals }: SteadyLoad, number: number): { path: string; init: RequestInit } {
  const kind = number % 10;
  if (kind === 0)
    return {
      path: "/v1/pets",
      init: {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: `{"name":"Beside ${number}","categoryId":7}`,
      },
    };
  if (kind <= 2) return { path: "/v1/pets?status=available", init: {} };
  return { path: `/v1/pets/${1 + ((number * 7919) % animals)}`, init: {} };
}

/** Sends the requests over keep-alive connections, and waits for all responses. */
export async function runSteadyLoad(load: SteadyLoad): Promise<Latency> {
  const { origin, secret, perSecond, seconds } = load;
  await ask(origin, { method: "GET", path: "/v1/pets" }, secret);
  const total = perSecond * seconds;
  const latencies: number[] = [];
  const queue: (() => Promise<void>)[] = [];
  let [failed, active, sent] = [0, 0, 0];
  const beganMs = performance.now();

  const send = async (number: number, dueMs: number): Promise<void> => {
    const { path, init } = request(load, number);
    const headers = { ...init.headers, Authorization: `Bearer ${secret}` };
    const response = await fetch(origin + path, {
      ...init,
      headers,
      signal: AbortSignal.timeout(LONGEST_WAIT_MS),
    }).catch(() => undefined);
    await response?.arrayBuffer().catch(() => undefined);
    if (!response?.ok) failed++;
    latencies.push(performance.now() - dueMs);
  };
  const next = (): void => {
    const work = active < CONNECTIONS ? queue.shift() : undefined;
    if (!work) return;
    active++;
    void work().finally(() => {
      active--;
      next();
    });
  };
  while (sent < total) {
    const due = Math.min(total, Math.floor(((performance.now() - beganMs) / 1000) * perSecond));
    for (; sent < due; sent++) {
      const [number, dueMs] = [sent, beganMs + (sent / perSecond) * 1000];
      queue.push(() => send(number, dueMs));
      next();
    }
    await Bun.sleep(1);
  }
  while (latencies.length < total) await Bun.sleep(5);
  latencies.sort((a, b) => a - b);
  const quantile = (q: number): number => latencies[Math.min(total - 1, Math.floor(q * total))] as number;
  return {
    requests: total,
    failed,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    slowestMs: latencies.at(-1) as number,
  };
}
