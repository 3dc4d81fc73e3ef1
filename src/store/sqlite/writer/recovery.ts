import type { StoreProblem } from "../../ports/store.ts";

// After a sync that failed nobody knows what is on disk: the kernel forgets what it could not write, and the next sync
// succeeds. So nothing is acknowledged until the log was written once more, all connections of the process were closed,
// and the database was opened and checked. These are the states of that; the writer thread carries out the effects.

/** Told by the writer to serving threads. */
export type RecoveryPhase =
  | { readonly kind: "trusted" }
  /** Writes are refused, and reads go on. */
  | { readonly kind: "distrusted"; readonly reason: string }
  /** Writes are refused, and the connection has to be closed. */
  | { readonly kind: "suspended"; readonly reason: string };

export const TRUSTED: RecoveryPhase = { kind: "trusted" };

/** `Port` stands for a serving thread. */
export type RecoveryState<Port> = { readonly ports: ReadonlySet<Port> } & (
  | { readonly kind: "trusted" }
  /** Waits for the moment of the next attempt, which begins with the log. */
  | ({ readonly kind: "distrusted" } & Failure)
  /** Waits for serving threads to close their connections, then opens the database again. */
  | ({ readonly kind: "suspended"; readonly waitsFor: ReadonlySet<Port> } & Failure)
  /** The database was opened again; reads go on while it is checked. */
  | ({ readonly kind: "checking" } & Failure)
);

interface Failure {
  readonly reason: string;
  readonly retryAfterMs: number;
}

export type RecoveryEvent<Port> =
  | { readonly kind: "joined"; readonly port: Port }
  /** A serving thread writes nothing any more, or has ended. */
  | { readonly kind: "left"; readonly port: Port }
  | { readonly kind: "connection_closed"; readonly port: Port }
  | { readonly kind: "sync_failed"; readonly reason: string }
  | { readonly kind: "attempt_due" }
  | { readonly kind: "log_secured" }
  | { readonly kind: "reopened" }
  | { readonly kind: "checked" }
  /** An attempt has failed at any of its steps. */
  | { readonly kind: "failed"; readonly reason: string };

export interface ProblemMessage {
  readonly kind: "problem";
  readonly problem: StoreProblem;
  readonly message: string;
}

export type RecoveryEffect<Port> =
  | { readonly kind: "tell"; readonly ports: ReadonlySet<Port>; readonly message: RecoveryPhase | ProblemMessage }
  /** Leads to attempt_due. */
  | { readonly kind: "schedule"; readonly afterMs: number }
  /** Leads to log_secured, or to failed. */
  | { readonly kind: "secure_log" }
  /** Leads to reopened, or to failed. */
  | { readonly kind: "reopen" }
  /** Leads to checked, or to failed. */
  | { readonly kind: "check" };

export interface Transition<Port> {
  readonly state: RecoveryState<Port>;
  /** To be carried out in this order. */
  readonly effects: readonly RecoveryEffect<Port>[];
}

/** A disk that fails may recover. Each attempt writes all of the log, so they become fewer. */
export const FIRST_RETRY_AFTER_MS = 1_000;
export const MAX_RETRY_AFTER_MS = 10_000;

export const newRecovery = <Port>(): RecoveryState<Port> => ({ kind: "trusted", ports: new Set() });

/** Why nothing may be acknowledged; undefined while all is well. */
export const distrustIn = (state: RecoveryState<unknown>): string | undefined =>
  state.kind === "trusted" ? undefined : state.reason;

const phaseOf = (state: RecoveryState<unknown>): RecoveryPhase =>
  state.kind === "trusted"
    ? TRUSTED
    : { kind: state.kind === "suspended" ? "suspended" : "distrusted", reason: state.reason };

/** An event that a state does not wait for changes nothing. */
export function transition<Port>(state: RecoveryState<Port>, event: RecoveryEvent<Port>): Transition<Port> {
  switch (event.kind) {
    case "joined":
      return join(state, event.port);
    case "left":
      return closed({ ...state, ports: without(state.ports, event.port) }, event.port);
    case "connection_closed":
      return closed(state, event.port);
    case "sync_failed":
      return state.kind === "trusted" ? distrust(state.ports, event.reason) : unchanged(state);
    case "attempt_due":
      return { state, effects: state.kind === "distrusted" ? [{ kind: "secure_log" }] : [] };
    case "log_secured":
      return state.kind === "distrusted" ? suspend(state) : unchanged(state);
    case "reopened":
      return state.kind === "suspended" ? enter({ ...failureIn(state), kind: "checking" }, CHECK) : unchanged(state);
    case "checked":
      return state.kind === "checking" ? enter({ kind: "trusted", ports: state.ports }) : unchanged(state);
    case "failed":
      return state.kind === "trusted" ? unchanged(state) : retry(state, event.reason);
  }
}

type Failed<Port> = Exclude<RecoveryState<Port>, { kind: "trusted" }>;

const REOPEN = { kind: "reopen" } as const;
const CHECK = { kind: "check" } as const;

const unchanged = <Port>(state: RecoveryState<Port>): Transition<Port> => ({ state, effects: [] });

/** Before anything else happens, all serving threads are told the phase. */
const enter = <Port>(state: RecoveryState<Port>, ...effects: RecoveryEffect<Port>[]): Transition<Port> => ({
  state,
  effects: [{ kind: "tell", ports: state.ports, message: phaseOf(state) }, ...effects],
});

const failureIn = <Port>({ ports, reason, retryAfterMs }: Failed<Port>) => ({ ports, reason, retryAfterMs });

function without<Port>(ports: ReadonlySet<Port>, gone: Port): ReadonlySet<Port> {
  const others = new Set(ports);
  others.delete(gone);
  return others;
}

/** The phase is told also while all is well: the thread may have had a port to another writer, which it lost. */
function join<Port>(before: RecoveryState<Port>, port: Port): Transition<Port> {
  const ports = new Set(before.ports).add(port);
  const state =
    before.kind === "suspended"
      ? { ...before, ports, waitsFor: new Set(before.waitsFor).add(port) }
      : { ...before, ports };
  return { state, effects: [{ kind: "tell", ports: new Set([port]), message: phaseOf(state) }] };
}

function closed<Port>(state: RecoveryState<Port>, port: Port): Transition<Port> {
  if (state.kind !== "suspended" || !state.waitsFor.has(port)) return unchanged(state);
  const waitsFor = without(state.waitsFor, port);
  return { state: { ...state, waitsFor }, effects: waitsFor.size === 0 ? [REOPEN] : [] };
}

const distrust = <Port>(ports: ReadonlySet<Port>, reason: string): Transition<Port> =>
  enter({ kind: "distrusted", ports, reason, retryAfterMs: FIRST_RETRY_AFTER_MS }, { kind: "schedule", afterMs: 0 });

const suspend = <Port>(state: Failed<Port>): Transition<Port> =>
  enter({ ...failureIn(state), kind: "suspended", waitsFor: state.ports }, ...(state.ports.size === 0 ? [REOPEN] : []));

const retry = <Port>(state: Failed<Port>, message: string): Transition<Port> =>
  enter(
    { ...failureIn(state), kind: "distrusted", retryAfterMs: Math.min(2 * state.retryAfterMs, MAX_RETRY_AFTER_MS) },
    { kind: "tell", ports: state.ports, message: { kind: "problem", problem: "reopen", message } },
    { kind: "schedule", afterMs: state.retryAfterMs },
  );
