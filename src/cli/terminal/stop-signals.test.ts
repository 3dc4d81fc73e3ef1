import { expect, test } from "bun:test";
import fc from "fast-check";
import { STOP_SIGNALS, type StopSignal, stopSignals } from "./stop-signals.ts";

/** Returns the outcome of signals at these moments. */
function outcomeOf(signals: readonly (readonly [StopSignal, number])[]): string[] {
  const outcome: string[] = [];
  let now = 0;
  const receive = stopSignals({
    begin: (signal) => outcome.push(`begin ${signal}`),
    hurry: () => outcome.push("hurry"),
    interrupt: () => outcome.push("interrupt"),
    nowMs: () => now,
  });
  for (const [signal, atMs] of signals) {
    now = atMs;
    receive(signal);
  }
  return outcome;
}

test("one Ctrl+C is one stop, also when npm passes on its own", () => {
  expect(outcomeOf([["SIGINT", 5]])).toEqual(["begin SIGINT", "hurry"]);
  expect(
    outcomeOf([
      ["SIGINT", 5],
      ["SIGINT", 6],
      ["SIGINT", 1004],
    ]),
  ).toEqual(["begin SIGINT", "hurry"]);
});

test("a second Ctrl+C ends everything at once", () => {
  expect(
    outcomeOf([
      ["SIGINT", 5],
      ["SIGINT", 7],
      ["SIGINT", 1005],
    ]),
  ).toEqual(["begin SIGINT", "hurry", "interrupt"]);
});

test("SIGTERM is one stop however often it is sent, which Ctrl+C hurries and a second Ctrl+C ends", () => {
  const terms = [0, 1, 5000, 9000].map((atMs) => ["SIGTERM", atMs] as const);
  expect(outcomeOf(terms)).toEqual(["begin SIGTERM"]);
  expect(outcomeOf([...terms, ["SIGINT", 9000]])).toEqual(["begin SIGTERM", "hurry"]);
  expect(outcomeOf([...terms, ["SIGINT", 9000], ["SIGTERM", 10_500]])).toEqual(["begin SIGTERM", "hurry"]);
  expect(outcomeOf([...terms, ["SIGINT", 9000], ["SIGINT", 10_000]])).toEqual(["begin SIGTERM", "hurry", "interrupt"]);
});

test("whatever arrives: a stop begins once, and first; only a Ctrl+C a second after another one ends it", () => {
  const arrival = fc.tuple(fc.constantFrom(...STOP_SIGNALS), fc.integer({ min: 0, max: 5000 }));
  fc.assert(
    fc.property(fc.array(arrival, { minLength: 1, maxLength: 12 }), (arrivals) => {
      const ordered = arrivals.sort(([, a], [, b]) => a - b);
      const outcome = outcomeOf(ordered);
      expect(outcome.filter((step) => step.startsWith("begin"))).toEqual([`begin ${ordered[0]?.[0]}`]);
      expect(outcome[0]).toStartWith("begin");
      const pressed = ordered.filter(([signal]) => signal === "SIGINT").map(([, atMs]) => atMs);
      const [first = 0] = pressed;
      expect(outcome.filter((step) => step === "hurry")).toHaveLength(Math.min(1, pressed.length));
      expect(outcome.includes("interrupt")).toBe(pressed.some((atMs) => atMs >= first + 1000));
    }),
  );
});
