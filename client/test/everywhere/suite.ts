// The entry point in each runtime: the checks, and the client imported by its package name.

import { AnimalStore, AnimalStoreError } from "animal-store-client";
import { createTestStore } from "animal-store-client/testing";
import type { AnimalStoreOptions, ClientClock } from "../../src/options.ts";
import { CHECKS, KIT_CHECKS } from "./checks.ts";
import type { Check, Everywhere, Fault, Surroundings } from "./env.ts";
import { type FaultReport, type FaultRun, workThroughFaults as work } from "./faults.ts";

/** The error of each check by name; null if it passed. */
export type Outcomes = Readonly<Record<string, string | null>>;

const DEADLINE_MS = 100_000;

/** Runs all checks, one after the other. */
export async function runChecks(surroundings: Surroundings): Promise<Outcomes> {
  const env = everywhere(surroundings);
  const outcomes: Record<string, string | null> = {};
  for (const [name, check] of Object.entries(CHECKS)) outcomes[name] = await outcomeOf(check, env);
  return outcomes;
}

/** Runs the checks on the testing kit, in place of the service. */
export async function runKitChecks(surroundings: Surroundings): Promise<Outcomes> {
  const outcomes: Record<string, string | null> = {};
  for (const [name, check] of Object.entries(KIT_CHECKS)) outcomes[name] = await outcomeOf(check, onKit(surroundings));
  return outcomes;
}

/** Runs the work over a connection that breaks. */
export const workThroughFaults = (run: FaultRun): Promise<FaultReport> => work(AnimalStore, run);

async function outcomeOf(check: Check, env: Everywhere): Promise<string | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not over after ${DEADLINE_MS} ms`)), DEADLINE_MS);
  });
  try {
    await Promise.race([check(env), late]);
    return null;
  } catch (error) {
    return error instanceof Error ? `${error.message}\n${error.stack}` : String(error);
  } finally {
    clearTimeout(timer);
  }
}

function everywhere(surroundings: Surroundings): Everywhere {
  const { baseUrl, apiKey, faultyOrigin, strangeOrigin } = surroundings;
  const unique = (): string => crypto.getRandomValues(new Uint32Array(3)).join("-");
  return {
    ...surroundings,
    AnimalStore,
    AnimalStoreError,
    store: (options) =>
      new AnimalStore({ baseUrl, apiKey, onDeprecated: () => {}, clock: impatientClock(), ...options }),
    faulty: (...faults) => `${faultyOrigin}/${unique()}/${faults.join(",")}/v1`,
    strange: (how) => `${strangeOrigin}/${encodeURIComponent(how)}/v1`,
    quickTime: () => quickTime((ms) => fetch(`${faultyOrigin}/advance/${ms}`, { method: "POST" })),
    unique,
    equal: (actual, expected, about = "") => {
      const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)];
      if (is !== should) throw new Error(`${about} is ${is}, but should be ${should}`);
    },
    failure: async (promise) => {
      const error: unknown = await promise.then(
        (value) => Promise.reject(new Error(`succeeded with ${JSON.stringify(value)}`)),
        (error: unknown) => error,
      );
      if (error instanceof AnimalStoreError) return error;
      throw new Error(`failed with ${error}, which is no AnimalStoreError`);
    },
  };
}

/** The same as everywhere, in memory. Each check has a store of its own. */
function onKit(surroundings: Surroundings): Everywhere {
  const kit = createTestStore({ plan: "enterprise" });
  const { baseUrl, apiKey } = kit;
  const few = (perMinute: number): string =>
    kit.issueKey({ plan: "enterprise", quotas: { perMinute, perDay: 10_000 } });
  const plain = everywhere({
    ...surroundings,
    ...{ baseUrl, apiKey, quickUrl: baseUrl, quickKey: few(40), poorKey: few(1) },
    readingKey: kit.issueKey({ scopes: ["pets:read"] }),
  });
  return {
    ...plain,
    store: (options) => plain.store({ fetch: kit.fetch, ...options }),
    faulty: (...faults) => {
      kit.failNext(...faults.map(kitFailure));
      return baseUrl;
    },
    quickTime: () => ({ clock: kit.clock, fetch: kit.fetch }),
  };
}

function kitFailure(fault: Fault) {
  const html = { "Content-Type": "text/html" };
  if (fault === "html") return new Response("<h1>Another server</h1>", { headers: html });
  if (fault === "429") return new Response("", { status: 429, headers: { ...html, "Retry-After": "7" } });
  return fault === "408" || fault === "502" || fault === "503" || fault === "504" ? Number(fault) : fault;
}

/** A clock on which waits take no real time, but simulated time passes. */
function impatientClock(): ClientClock {
  let elapsedMs = 0;
  return {
    now: () => elapsedMs,
    sleep: async (ms) => {
      elapsedMs += ms;
    },
  };
}

/** Simulated time: stands still while requests are in flight, then jumps to the end of the next wait. */
function quickTime(onAdvance: (ms: number) => Promise<unknown>): Required<Pick<AnimalStoreOptions, "clock" | "fetch">> {
  let nowMs = 0;
  let busy = 0;
  const sleepers = new Set<{ readonly atMs: number; readonly wake: () => void }>();
  const during = async <T>(work: Promise<T>): Promise<T> => {
    busy++;
    return work.finally(() => {
      busy--;
      setTimeout(goOn);
    });
  };
  const goOn = (): void => {
    const [next] = [...sleepers].sort((a, b) => a.atMs - b.atMs);
    if (busy > 0 || !next) return;
    const ms = Math.max(0, next.atMs - nowMs);
    nowMs += ms;
    sleepers.delete(next);
    void during(onAdvance(ms).then(next.wake));
  };
  const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const sleeper = { atMs: nowMs + ms, wake: resolve };
      sleepers.add(sleeper);
      signal?.addEventListener("abort", () => sleepers.delete(sleeper) && resolve());
      setTimeout(goOn);
    });
  const whole = async (answer: Promise<Response>): Promise<Response> => {
    const response = await answer;
    return new Response((await response.text()) || null, response);
  };
  return { clock: { now: () => nowMs, sleep }, fetch: (url, init) => during(whole(fetch(url, init))) };
}
