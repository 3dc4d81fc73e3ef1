import { BoundedMap } from "../../base/bounded-map.ts";
import type { Awaitable } from "../../base/time/awaitable.ts";
import { systemClock } from "../../base/time/clock.ts";
import { RateLimit } from "../../base/time/rate-limit.ts";

const INTERVAL_MS = 100;
const MAX_RESPONSES = 100;

/** Counts responses of a kind: by default, more than 1,000 a second are a flood. */
export class Flood extends RateLimit {
  /** `max`: how many responses are fine in a tenth of a second. */
  constructor(nowMs = systemClock.monotonicMs, max = MAX_RESPONSES) {
    super(max, INTERVAL_MS, nowMs);
  }
}

/** Stays well below the 30 s after which an idle connection is closed. */
const MAX_HOLD_MS = 10_000;

/**
 * Delays refusals of callers who are certain to be refused again. In a flood, reconnecting callers would
 * keep Bun accepting, which it does before it serves other connections; so each response is held for as many
 * milliseconds as others are held: about 1,000 a second leave each thread, however many ask.
 */
export class HeldFlood extends Flood {
  #held = 0;

  bound(response: Response, request: Request): Awaitable<Response> {
    return this.isReached() ? this.#hold(response, request) : response;
  }

  /** Nobody waits for a response whose connection is closed, and thousands of them would be held for seconds. */
  async #hold(response: Response, { signal }: Request): Promise<Response> {
    const over = Promise.withResolvers<void>();
    const timer = setTimeout(over.resolve, Math.min(++this.#held, MAX_HOLD_MS));
    signal.addEventListener("abort", () => over.resolve());
    await over.promise;
    clearTimeout(timer);
    this.#held--;
    return response;
  }
}

const MAX_ADDRESSES = 10_000;

/** Delays what needs no key and is never refused: for each address by itself, so that nobody waits for another's flood. */
export class HeldFloods {
  readonly #floods = new BoundedMap<HeldFlood>(MAX_ADDRESSES);

  constructor(private readonly nowMs = systemClock.monotonicMs) {}

  bound(address: string, response: Response, request: Request): Awaitable<Response> {
    let flood = this.#floods.get(address);
    if (!flood) {
      flood = new HeldFlood(this.nowMs);
      this.#floods.set(address, flood);
    }
    return flood.bound(response, request);
  }
}
