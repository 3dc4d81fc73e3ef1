/** Between two turns of the event loop more time than this may pass, but no more of it counts. */
const LONGEST_TURN_MS = 20;

/**
 * Time during which this process was able to run. It almost stands still while the process is stopped, is starved of
 * CPU or is busy: what Redis has answered meanwhile is still waiting to be read.
 */
export class RunningTime {
  #nowMs = 0;
  #turnedAtMs = Number.NaN;

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Measuring begins, or begins again after a pause. */
  start(nowMs: number): void {
    this.#turnedAtMs = nowMs;
  }

  /** The event loop has come round. */
  turn(nowMs: number): void {
    this.#nowMs += Math.min(nowMs - this.#turnedAtMs, LONGEST_TURN_MS);
    this.#turnedAtMs = nowMs;
  }
}
