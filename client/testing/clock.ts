import type { TestClock } from "../src/testing.ts";

interface Sleeper {
  readonly atMs: number;
  readonly wake: () => void;
}

/** Simulated time. It stands still while requests are on their way; otherwise it goes to the end of the next wait. */
export class Clock implements TestClock {
  readonly #startMs: number;
  #elapsedMs = 0;
  #underWay = 0;
  #isGoingOn = false;
  readonly #sleepers = new Set<Sleeper>();

  constructor(startMs: number) {
    this.#startMs = startMs;
  }

  now(): number {
    return this.#elapsedMs;
  }

  /** The service's time. */
  nowMs(): number {
    return this.#startMs + this.#elapsedMs;
  }

  date(): Date {
    return new Date(this.nowMs());
  }

  advance(ms: number): void {
    if (!(ms >= 0)) throw new TypeError(`ms is ${String(ms)}. It must be a number from 0 on.`);
    this.#elapsedMs += ms;
    for (const { atMs, wake } of [...this.#sleepers]) if (atMs <= this.#elapsedMs) wake();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#sleepers.delete(sleeper);
        signal?.removeEventListener("abort", wake);
        resolve();
      };
      const sleeper = { atMs: this.#elapsedMs + Math.max(0, ms), wake };
      this.#sleepers.add(sleeper);
      signal?.addEventListener("abort", wake);
      if (signal?.aborted) wake();
      else this.#goOnSoon();
    });
  }

  /** Lets no time pass until an exchange is over, or aborted: then the exchange rejects with the signal's reason. */
  async during<T>(signal: AbortSignal, exchange: Promise<T>): Promise<T> {
    this.#underWay++;
    let abort: () => void = () => {};
    const aborted = new Promise<never>((_, reject) => {
      abort = () => reject(signal.reason);
    });
    signal.addEventListener("abort", abort);
    try {
      return await Promise.race([exchange, aborted]);
    } finally {
      signal.removeEventListener("abort", abort);
      this.#underWay--;
      this.#goOnSoon();
    }
  }

  /** Waits for a turn of the event loop first, in which whoever got an answer may send the next request. */
  #goOnSoon(): void {
    if (this.#isGoingOn || this.#sleepers.size === 0) return;
    this.#isGoingOn = true;
    setTimeout(() => {
      this.#isGoingOn = false;
      if (this.#underWay > 0 || this.#sleepers.size === 0) return;
      const nextMs = Math.min(...Array.from(this.#sleepers, ({ atMs }) => atMs));
      this.advance(Math.max(0, nextMs - this.#elapsedMs));
      this.#goOnSoon();
    });
  }
}
