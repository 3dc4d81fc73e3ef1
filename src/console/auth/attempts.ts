import { BoundedMap } from "../../base/bounded-map.ts";
import { MINUTE_MS, toWholeSeconds } from "../../base/time/clock.ts";

export const ATTEMPTS_PER_MINUTE = 60;
/** A caller with more addresses evades the limit: tokens are too long to be guessed anyway. */
const MAX_ADDRESSES = 10_000;

interface Attempts {
  readonly endsAtMs: number;
  count: number;
}

/** Limits requests without a valid session or token, per address and minute. */
export class AttemptLimit {
  readonly #attempts = new BoundedMap<Attempts>(MAX_ADDRESSES);

  constructor(private readonly time: { monotonicMs(): number }) {}

  /** Returns the seconds that an address has to wait; 0: it need not. */
  waitSeconds(address: string): number {
    const attempts = this.#attemptsOf(address);
    return attempts && attempts.count >= ATTEMPTS_PER_MINUTE
      ? toWholeSeconds(attempts.endsAtMs - this.time.monotonicMs())
      : 0;
  }

  add(address: string): void {
    const attempts = this.#attemptsOf(address);
    if (attempts) attempts.count++;
    else this.#attempts.set(address, { endsAtMs: this.time.monotonicMs() + MINUTE_MS, count: 1 });
  }

  #attemptsOf(address: string): Attempts | undefined {
    const attempts = this.#attempts.get(address);
    return attempts && attempts.endsAtMs > this.time.monotonicMs() ? attempts : undefined;
  }
}
