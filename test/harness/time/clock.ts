import type { SystemTime } from "../../../src/base/time/clock.ts";

const [NOW, ELAPSED] = [0, 1];

/** A clock that moves only when told to, in all threads that share its buffer. */
export class FakeClock implements SystemTime {
  readonly buffer: SharedArrayBuffer;
  readonly #times: Float64Array<SharedArrayBuffer>;

  /** With the buffer of another clock, it shows the same time. */
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

  /** Lets time pass. */
  advance(ms: number): void {
    (this.#times[NOW] as number) += ms;
    (this.#times[ELAPSED] as number) += ms;
  }

  /** Sets the wall clock, without time passing. */
  jump(ms: number): void {
    (this.#times[NOW] as number) += ms;
  }

  set(moment: string): void {
    this.#times[NOW] = Date.parse(moment);
  }
}
