import type { Clock } from "../../src/domain/clock.ts";

/** A clock that moves only when it is told to. */
export class FakeClock implements Clock {
  constructor(private ms = Date.parse("2027-03-01T12:00:00.250Z")) {}

  nowMs(): number {
    return this.ms;
  }

  advance(ms: number): void {
    this.ms += ms;
  }

  set(moment: string): void {
    this.ms = Date.parse(moment);
  }
}
