import { describe, expect, spyOn, test } from "bun:test";
import fc from "fast-check";
import { FAULT_CODES, FAULTS, type FaultCode } from "../../src/http/faults/fault.ts";
import { atEnd } from "../../test/harness/cleanup.ts";
import { REAL_CLOCK } from "../src/clock.ts";
import { AnimalStore, AnimalStoreError, type AnimalStoreOptions, type ClientErrorCode } from "../src/index.ts";
import { backoffMs, isRetriable } from "../src/transport/retry.ts";
import { SharedTime } from "./shared-time.ts";

/** True if the same request may succeed later. Listed in full, so that each new code needs a decision. */
const IS_RETRIABLE: Readonly<Record<FaultCode | ClientErrorCode, boolean>> = {
  missing_api_key: false,
  invalid_api_key: false,
  insufficient_scope: false,
  invalid_json: false,
  missing_field: false,
  invalid_value: false,
  unknown_field: false,
  invalid_parameter: false,
  pet_not_found: false,
  order_not_found: false,
  category_not_found: false,
  not_found: false,
  method_not_allowed: false,
  request_timeout: true,
  pet_not_available: false,
  invalid_transition: false,
  pet_in_order: false,
  pet_has_orders: false,
  category_name_taken: false,
  secret_replaced: false,
  too_many_rotations: false,
  idempotency_in_progress: true,
  operation_removed: false,
  precondition_failed: false,
  payload_too_large: false,
  unsupported_media_type: false,
  idempotency_mismatch: false,
  rate_limit_exceeded: true,
  key_banned: true,
  internal_error: false,
  service_unavailable: true,
  timeout: true,
  connection_failed: true,
  aborted: false,
  deadline_exceeded: false,
  wait_too_long: false,
  unexpected_response: false,
};

const errorWith = (code: string, status?: number, retryAfterMs?: number) =>
  new AnimalStoreError({ code, message: "", status, retryAfterMs });

/** A real server with scripted responses, the last one repeated, and a client with simulated time. */
function serverWith(answers: readonly (() => Response)[], options: AnimalStoreOptions = {}) {
  const time = new SharedTime();
  const arrivals: number[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => {
      arrivals.push(time.now());
      const answer = answers[Math.min(arrivals.length, answers.length) - 1];
      return answer?.() ?? Response.error();
    },
  });
  atEnd(() => server.stop(true));
  const baseUrl = `${server.url}v1`;
  const store = new AnimalStore({ baseUrl, apiKey: "secret", clock: time, fetch: time.fetch, ...options });
  return { time, store, arrivals };
}

const refusal =
  (code: FaultCode, headers: Record<string, string> = {}) =>
  (): Response =>
    Response.json({ code, message: "No.", status: FAULTS[code][0] }, { status: FAULTS[code][0], headers });

const REX = (): Response => Response.json({ id: "1", name: "Rex", categoryId: "7", status: "available" });

describe("what is retried", () => {
  test("every code of the document, and of the client, is decided on", () => {
    const decided = Object.keys(IS_RETRIABLE);
    for (const code of FAULT_CODES) {
      expect(decided).toContain(code);
      expect([code, isRetriable(errorWith(code, FAULTS[code][0]))]).toEqual([code, IS_RETRIABLE[code]]);
    }
    for (const code of decided)
      if (!(code in FAULTS))
        expect([code, isRetriable(errorWith(code))]).toEqual([code, IS_RETRIABLE[code as ClientErrorCode]]);
  });

  test("an answer that is not the service's, by its status", () => {
    const retried = [408, 429, 502, 503, 504];
    for (let status = 200; status < 600; status++)
      expect([status, isRetriable(errorWith("unexpected_response", status))]).toEqual([
        status,
        retried.includes(status),
      ]);
  });

  test.each(FAULT_CODES.map((code) => [code]))("%s, by the client", async (code) => {
    const { time, store, arrivals } = serverWith([refusal(code), REX], { onDeprecated: () => {} });
    const outcome = await time.until(store.pets.get(1).catch((error) => error.code));
    expect(outcome).toEqual(IS_RETRIABLE[code] ? expect.objectContaining({ name: "Rex" }) : code);
    expect(arrivals).toHaveLength(IS_RETRIABLE[code] ? 2 : 1);
  });
});

describe("how long is waited", () => {
  const failures = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 1e9 }));
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

  test("any part of what doubles with each failure, and of 8 s at most, whatever Retry-After asks for", () =>
    fc.assert(
      fc.property(failures, random, (failures, random) => {
        const mostMs = Math.min(8000, 250 * 2 ** (failures - 1));
        expect(backoffMs(failures, () => random)).toBe(Math.ceil(random * mostMs));
      }),
    ));

  test("the parts are spread evenly", () => {
    const waits = Array.from({ length: 2000 }, () => backoffMs(1));
    for (let quarter = 0; quarter < 4; quarter++)
      expect(waits.filter((ms) => Math.floor(ms / 62.5) === quarter).length).toBeGreaterThan(300);
  });

  test.each<[string, Record<string, string>, number]>([
    ["seconds", { "Retry-After": "7" }, 7000],
    [
      "a date, by the clock of whoever sends it",
      { "Retry-After": "Sat, 01 Jan 2000 00:00:09 GMT", Date: "Sat, 01 Jan 2000 00:00:00 GMT" },
      9000,
    ],
    ["a date that has passed", { "Retry-After": "Sat, 01 Jan 2000 00:00:00 GMT" }, 0],
    ["a negative number", { "Retry-After": "-5" }, 0],
    ["garbage", { "Retry-After": "soon" }, 0],
    ["nothing", {}, 0],
  ])("Retry-After with %s", async (_, headers, askedMs) => {
    for (const pacing of [true, false]) {
      const { time, store, arrivals } = serverWith([refusal("service_unavailable", headers), REX], { pacing });
      await time.until(store.orders.get(1));
      const [first = 0, second = 0] = arrivals;
      expect(second - first - 3).toBeWithin(askedMs, askedMs + 251);
    }
  });

  test("an absurd Retry-After is longer than any call waits: it fails at once", async () => {
    for (const value of ["86400", "9".repeat(30), "9".repeat(400)]) {
      const { time, store, arrivals } = serverWith([refusal("service_unavailable", { "Retry-After": value }), REX]);
      const error = await store.pets.list().catch((error) => error);
      expect(error).toMatchObject({ code: "service_unavailable", retryAfterMs: Number(value) * 1000, attempts: 1 });
      expect([arrivals.length, time.sleeping]).toEqual([1, 0]);
    }
  });

  test("no wait ends after maxWaitMs, and there are no more attempts than `retries` allows", () =>
    fc.assert(
      fc.asyncProperty(fc.nat({ max: 6 }), fc.integer({ min: 0, max: 20_000 }), async (retries, maxWaitMs) => {
        const { time, store, arrivals } = serverWith([refusal("service_unavailable")]);
        const error = await time.until(store.pets.list({}, { retries, maxWaitMs }).catch((error) => error));
        expect(error).toMatchObject({ code: "service_unavailable", attempts: arrivals.length });
        expect(arrivals.length).toBeWithin(1, retries + 2);
        expect(arrivals.at(-1)).toBeLessThanOrEqual(maxWaitMs + 3 * arrivals.length);
      }),
      { numRuns: 20 },
    ));
});

describe("what is not a failure", () => {
  test("an earlier attempt that is being carried out is waited for, whatever `retries` is", async () => {
    const busy = refusal("idempotency_in_progress", { "Retry-After": "2" });
    const { time, store, arrivals } = serverWith([...Array(9).fill(busy), REX]);
    const options = { retries: 0, maxWaitMs: Number.POSITIVE_INFINITY };
    expect(await time.until(store.pets.create({ name: "Rex", categoryId: 7 }, options))).toMatchObject({ id: "1" });
    for (const [index, atMs] of arrivals.entries())
      if (index > 0) expect(atMs - (arrivals[index - 1] ?? 0)).toBeGreaterThanOrEqual(2000);
    expect(arrivals).toHaveLength(10);
  });

  test("a used-up quota is waited for, whatever `retries` is; without pacing, it is a failure", async () => {
    const full = refusal("rate_limit_exceeded", { "Retry-After": "2" });
    for (const [pacing, attempts] of [
      [true, 10],
      [false, 3],
    ] as const) {
      const { time, store, arrivals } = serverWith([...Array(9).fill(full), REX], { pacing });
      await time.until(store.pets.get(1, { retries: 2 }).catch((error) => expect(error.status).toBe(429)));
      expect(arrivals).toHaveLength(attempts);
    }
  });
});

describe("the real clock", () => {
  test("a wait ends no earlier than it should, however busy the program is as it begins", async () => {
    const busyUntilMs = performance.now() + 25;
    while (performance.now() < busyUntilMs);
    const startedAtMs = REAL_CLOCK.now();
    await REAL_CLOCK.sleep(20.7);
    expect(REAL_CLOCK.now() - startedAtMs).toBeGreaterThanOrEqual(20.7);
  });

  test("a wait for longer than timers can be set for does not end at once, but by its signal, of which it lets go", async () => {
    const abort = new AbortController();
    let isOver = false;
    const waits = [2 ** 31, 2 ** 60, Number.POSITIVE_INFINITY].map((ms) =>
      REAL_CLOCK.sleep(ms, abort.signal).then(() => {
        isOver = true;
      }),
    );
    await Bun.sleep(5);
    expect(isOver).toBeFalse();
    const removed = spyOn(abort.signal, "removeEventListener");
    abort.abort();
    await Promise.all(waits);
    expect(removed).toHaveBeenCalledTimes(1);
  });

  test("a wait whose signal is aborted already is none", async () => {
    await REAL_CLOCK.sleep(1e9, AbortSignal.abort());
    await REAL_CLOCK.sleep(0);
    await REAL_CLOCK.sleep(-1);
  });
});
