import { systemClock } from "../../base/time/clock.ts";

export const STOP_SIGNALS = ["SIGTERM", "SIGINT"] as const;
export type StopSignal = (typeof STOP_SIGNALS)[number];

/** The exit code that a shell reports for a process ended by Ctrl+C. */
export const EXIT_INTERRUPTED = 130;

export interface StopSignalParts {
  /** Called once, with the first signal. */
  readonly begin: (signal: StopSignal) => void;
  /** Called by Ctrl+C: the stop goes on without waiting for load balancers. */
  readonly hurry?: () => void;
  /** Called by the second Ctrl+C: the process ends at once. */
  readonly interrupt: () => void;
  readonly nowMs?: () => number;
}

/**
 * One Ctrl+C arrives twice under npm: the terminal sends it to every process, and npm passes its own on, which takes a
 * moment on a busy machine.
 */
const SAME_KEYSTROKE_MS = 1_000;

/**
 * The first signal begins a stop. Ctrl+C hurries: a person at a terminal has no load balancer to wait for. The second
 * Ctrl+C ends everything at once. SIGTERM, which supervisors may send again, never does.
 */
export function stopSignals({ begin, hurry = () => {}, interrupt, nowMs = systemClock.monotonicMs }: StopSignalParts) {
  let hasBegun = false;
  let pressedAtMs: number | undefined;
  return function receive(signal: StopSignal): void {
    if (!hasBegun) begin(signal);
    hasBegun = true;
    if (signal !== "SIGINT") return;
    if (pressedAtMs === undefined) {
      pressedAtMs = nowMs();
      hurry();
    } else if (nowMs() - pressedAtMs >= SAME_KEYSTROKE_MS) interrupt();
  };
}
