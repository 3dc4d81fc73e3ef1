import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  distrustIn,
  FIRST_RETRY_AFTER_MS,
  MAX_RETRY_AFTER_MS,
  newRecovery,
  type RecoveryEffect,
  type RecoveryEvent,
  type RecoveryState,
  TRUSTED,
  type Transition,
  transition,
} from "./recovery.ts";

type State = RecoveryState<string>;
type Event = RecoveryEvent<string>;
type Effect = RecoveryEffect<string>;

const A_AND_B = new Set(["a", "b"]);
const FAILURE = { ports: A_AND_B, reason: "EIO", retryAfterMs: FIRST_RETRY_AFTER_MS };

const trusted: State = { kind: "trusted", ports: A_AND_B };
const distrusted: State = { kind: "distrusted", ...FAILURE };
const suspended: State = { kind: "suspended", ...FAILURE, waitsFor: A_AND_B };
const waitsForB: State = { ...suspended, waitsFor: new Set(["b"]) };
const checking: State = { kind: "checking", ...FAILURE };
const STATES = { trusted, distrusted, suspended, waitsForB, checking };

const joined: Event = { kind: "joined", port: "c" };
const leftB: Event = { kind: "left", port: "b" };
const closedB: Event = { kind: "connection_closed", port: "b" };
const syncFailed: Event = { kind: "sync_failed", reason: "EIO" };
const due: Event = { kind: "attempt_due" };
const secured: Event = { kind: "log_secured" };
const reopened: Event = { kind: "reopened" };
const checked: Event = { kind: "checked" };
const failed: Event = { kind: "failed", reason: "still EIO" };
const EVENTS = { joined, leftB, closedB, syncFailed, due, secured, reopened, checked, failed };

const WITH_C = new Set(["a", "b", "c"]);
const ONLY_A = new Set(["a"]);
const tell = (ports: ReadonlySet<string>, message: Extract<Effect, { kind: "tell" }>["message"]): Effect => ({
  kind: "tell",
  ports,
  message,
});
const DISTRUSTED = { kind: "distrusted", reason: "EIO" } as const;
const SUSPENDED = { kind: "suspended", reason: "EIO" } as const;

const retried: Transition<string> = {
  state: { ...distrusted, retryAfterMs: 2 * FIRST_RETRY_AFTER_MS },
  effects: [
    tell(A_AND_B, DISTRUSTED),
    tell(A_AND_B, { kind: "problem", problem: "reopen", message: "still EIO" }),
    { kind: "schedule", afterMs: FIRST_RETRY_AFTER_MS },
  ],
};

/** Every transition; an event that is not listed under a state changes nothing in it. */
const TRANSITIONS: Record<keyof typeof STATES, Partial<Record<keyof typeof EVENTS, Transition<string>>>> = {
  trusted: {
    joined: { state: { ...trusted, ports: WITH_C }, effects: [tell(new Set(["c"]), TRUSTED)] },
    leftB: { state: { ...trusted, ports: ONLY_A }, effects: [] },
    syncFailed: { state: distrusted, effects: [tell(A_AND_B, DISTRUSTED), { kind: "schedule", afterMs: 0 }] },
  },
  distrusted: {
    joined: { state: { ...distrusted, ports: WITH_C }, effects: [tell(new Set(["c"]), DISTRUSTED)] },
    leftB: { state: { ...distrusted, ports: ONLY_A }, effects: [] },
    due: { state: distrusted, effects: [{ kind: "secure_log" }] },
    secured: { state: suspended, effects: [tell(A_AND_B, SUSPENDED)] },
    failed: retried,
  },
  suspended: {
    joined: { state: { ...suspended, ports: WITH_C, waitsFor: WITH_C }, effects: [tell(new Set(["c"]), SUSPENDED)] },
    leftB: { state: { ...suspended, ports: ONLY_A, waitsFor: ONLY_A }, effects: [] },
    closedB: { state: { ...suspended, waitsFor: ONLY_A }, effects: [] },
    reopened: { state: checking, effects: [tell(A_AND_B, DISTRUSTED), { kind: "check" }] },
    failed: retried,
  },
  waitsForB: {
    joined: {
      state: { ...waitsForB, ports: WITH_C, waitsFor: new Set(["b", "c"]) },
      effects: [tell(new Set(["c"]), SUSPENDED)],
    },
    leftB: { state: { ...waitsForB, ports: ONLY_A, waitsFor: new Set() }, effects: [{ kind: "reopen" }] },
    closedB: { state: { ...waitsForB, waitsFor: new Set() }, effects: [{ kind: "reopen" }] },
    reopened: { state: checking, effects: [tell(A_AND_B, DISTRUSTED), { kind: "check" }] },
    failed: retried,
  },
  checking: {
    joined: { state: { ...checking, ports: WITH_C }, effects: [tell(new Set(["c"]), DISTRUSTED)] },
    leftB: { state: { ...checking, ports: ONLY_A }, effects: [] },
    checked: { state: trusted, effects: [tell(A_AND_B, TRUSTED)] },
    failed: retried,
  },
};

const names = <Key extends string>(of: Record<Key, unknown>): Key[] => Object.keys(of) as Key[];

describe("recovery after a failed sync", () => {
  test.each(names(STATES).flatMap((state) => names(EVENTS).map((event) => [state, event] as const)))(
    "%s, then %s",
    (state, event) => {
      const expected = TRANSITIONS[state][event] ?? { state: STATES[state], effects: [] };
      expect(transition(STATES[state], EVENTS[event])).toEqual(expected);
    },
  );

  test("without serving threads the database is opened again as soon as the log is secured", () => {
    const alone: State = { ...distrusted, ports: new Set() };
    expect(transition(alone, secured).effects.at(-1)).toEqual({ kind: "reopen" });
  });

  test("attempts become fewer, and begin anew after a success", () => {
    const waits: number[] = [];
    let state: State = transition(newRecovery<string>(), syncFailed).state;
    for (let i = 0; i < 6; i++) {
      const next = transition(state, failed);
      waits.push(...next.effects.flatMap((effect) => (effect.kind === "schedule" ? [effect.afterMs] : [])));
      state = next.state;
    }
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, MAX_RETRY_AFTER_MS, MAX_RETRY_AFTER_MS]);
    for (const event of [secured, reopened, checked, syncFailed]) state = transition(state, event).state;
    expect(state).toMatchObject({ kind: "distrusted", retryAfterMs: FIRST_RETRY_AFTER_MS });
  });

  test("whoever joins, leaves or dies, it waits only for threads that are there, and it ends when steps succeed", () => {
    const port = fc.constantFrom("a", "b", "c");
    const event = fc.oneof(
      fc.record({ kind: fc.constantFrom("joined", "left", "connection_closed" as const), port }),
      fc.constantFrom(syncFailed, due, secured, failed),
    ) as fc.Arbitrary<Event>;
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        let state: State = newRecovery();
        const pending: Effect[] = [];
        const happen = (event: Event) => {
          const next = transition(state, event);
          state = next.state;
          pending.push(...next.effects);
          if (state.kind === "suspended") for (const port of state.waitsFor) expect(state.ports.has(port)).toBe(true);
        };
        for (const event of events) happen(event);
        // From here on the disk works. Every thread ends, without a word.
        if (state.kind === "distrusted") happen(due);
        for (const port of ["a", "b", "c"]) happen({ kind: "left", port });
        const next: Partial<Record<Effect["kind"], Event>> = { secure_log: secured, reopen: reopened, check: checked };
        for (let effect = pending.shift(); effect; effect = pending.shift()) {
          const event = next[effect.kind];
          if (event) happen(event);
        }
        expect([state.kind, distrustIn(state)]).toEqual(["trusted", undefined]);
      }),
    );
  });
});
