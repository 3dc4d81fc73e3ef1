import { systemClock } from "./clock.ts";

/** Limits how often something happens in windows of a fixed length, each of which opens with the first event. */
export class RateLimit {
  #windowEndsAtMs = 0;
  #events = 0;

  constructor(
    private readonly max: number,
    private readonly windowMs: number,
    private readonly nowMs: () => number = systemClock.monotonicMs,
  ) {}

  /** Counts an event. Returns whether it is one too many. */
  isReached(): boolean {
    const nowMs = this.nowMs();
    if (nowMs >= this.#windowEndsAtMs) {
      this.#windowEndsAtMs = nowMs + this.windowMs;
      this.#events = 0;
    }
    return ++this.#events > this.max;
  }
}
