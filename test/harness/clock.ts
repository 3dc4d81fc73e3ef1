import type { SystemTime } from "../../src/domain/clock.ts";

/** A clock that moves only when it is told to. */
export class FakeClock implements SystemTime {
  private elapsedMs = 0;

  constructor(private ms = Date.parse("2027-03-01T12:00:00.250Z")) {}

  nowMs(): number {
    return this.ms;
  }

  monotonicMs(): number {
    return this.elapsedMs;
  }

  /** Time passes. */
  advance(ms: number): void {
    this.ms += ms;
    this.elapsedMs += ms;
  }

  /** Somebody sets the clock: no time passes. */
  jump(ms: number): void {
    this.ms += ms;
  }

  set(moment: string): void {
    this.ms = Date.parse(moment);
  }
}
