/** The most that one turn of the event loop counts, however long it takes. */
const LONGEST_TURN_MS = 20;

/**
 * Time during which this process was able to run. It almost stands still while the process is stopped, starved of CPU
 * or busy: answers that Redis has sent meanwhile are still waiting to be read.
 */
export class RunningTime {
  #nowMs = 0;
  #turnedAtMs = Number.NaN;

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Starts to measure, at first or after a pause. */
  start(nowMs: number): void {
    this.#turnedAtMs = nowMs;
  }

  /** Counts a turn of the event loop. */
  turn(nowMs: number): void {
    this.#nowMs += Math.min(nowMs - this.#turnedAtMs, LONGEST_TURN_MS);
    this.#turnedAtMs = nowMs;
  }
}
