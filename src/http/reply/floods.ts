import type { Awaitable } from "../../base/time/awaitable.ts";

const INTERVAL_MS = 100;
const MAX_RESPONSES = 100;
const monotonic = (): number => performance.now();

/** Counts responses of a kind: by default, more than 1,000 a second are a flood. */
export class Flood {
  #intervalEndsAtMs = 0;
  #responses = 0;

  /** `max`: how many responses are fine in a tenth of a second. */
  constructor(
    private readonly nowMs: () => number = monotonic,
    private readonly max = MAX_RESPONSES,
  ) {}

  /** Counts a response. Returns whether it is one too many. */
  isReached(): boolean {
    const nowMs = this.nowMs();
    if (nowMs >= this.#intervalEndsAtMs) {
      this.#intervalEndsAtMs = nowMs + INTERVAL_MS;
      this.#responses = 0;
    }
    return ++this.#responses > this.max;
  }
}

/** Stays well below the 30 s after which an idle connection is closed. */
const MAX_HOLD_MS = 10_000;

/**
 * Delays preflights, and refusals of callers who are certain to be refused again. In a flood, reconnecting callers would
 * keep Bun accepting, which it does before it serves other connections; so each response is held for as many
 * milliseconds as others are held: about 1,000 a second leave each thread, however many ask.
 */
export class HeldFlood extends Flood {
  #held = 0;

  bound(response: Response): Awaitable<Response> {
    return this.isReached() ? this.#hold(response) : response;
  }

  async #hold(response: Response): Promise<Response> {
    await Bun.sleep(Math.min(++this.#held, MAX_HOLD_MS));
    this.#held--;
    return response;
  }
}
