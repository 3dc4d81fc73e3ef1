import type { SystemTime } from "../../../src/base/time/clock.ts";

const [NOW, ELAPSED] = [0, 1];

/** A clock that moves only when it is told to, in all threads that have one with the same buffer. */
export class FakeClock implements SystemTime {
  readonly buffer: SharedArrayBuffer;
  readonly #times: Float64Array<SharedArrayBuffer>;

  /** With the buffer of another clock, it shows the time of that one. */
  constructor(ms = Date.parse("2027-03-01T12:00:00.250Z"), buffer?: SharedArrayBuffer) {
    this.buffer = buffer ?? new SharedArrayBuffer(16);
    this.#times = new Float64Array(this.buffer);
    if (!buffer) this.#times[NOW] = ms;
  }

  nowMs(): number {
    return this.#times[NOW] as number;
  }

  monotonicMs(): number {
    return this.#times[ELAPSED] as number;
  }

  /** Time passes. */
  advance(ms: number): void {
    (this.#times[NOW] as number) += ms;
    (this.#times[ELAPSED] as number) += ms;
  }

  /** Somebody sets the clock: no time passes. */
  jump(ms: number): void {
    (this.#times[NOW] as number) += ms;
  }

  set(moment: string): void {
    this.#times[NOW] = Date.parse(moment);
  }
}
