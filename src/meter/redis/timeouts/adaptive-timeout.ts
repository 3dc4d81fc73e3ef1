const PERIOD_MS = 10_000;
const MAX_MS = 1_000;

/**
 * The timeout of an answer: a fixed time, and longer if a recent answer took more than half of that. A Redis that is
 * slow but alive keeps counting for all instances, and one that has died is still given up within a second.
 */
export class AdaptiveTimeout {
  #slowestMs = 0;
  #slowestBeforeMs = 0;
  #periodEndsAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly leastMs: number) {}

  get ms(): number {
    const slowestMs = Math.max(this.#slowestMs, this.#slowestBeforeMs);
    return Math.max(this.leastMs, Math.min(2 * slowestMs, MAX_MS));
  }

  /** Records the time of an answer, even if it came too late. */
  record(tookMs: number): void {
    if (tookMs > this.#slowestMs) this.#slowestMs = tookMs;
  }

  /** Forgets slow answers after one to two periods. */
  age(nowMs: number): void {
    if (nowMs < this.#periodEndsAtMs) return;
    const isLongAgo = nowMs >= this.#periodEndsAtMs + PERIOD_MS;
    this.#slowestBeforeMs = isLongAgo ? 0 : this.#slowestMs;
    this.#slowestMs = 0;
    this.#periodEndsAtMs = nowMs + PERIOD_MS;
  }
}
