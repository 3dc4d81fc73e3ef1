import type { Awaitable } from "../../base/time/awaitable.ts";
import { endConnection } from "./header-template.ts";

const INTERVAL_MS = 100;
const MAX_RESPONSES = 100;

/** Counts responses of a kind: more than 1,000 a second are a flood, unless fewer are enough. */
export class Flood {
  #intervalEndsAtMs = 0;
  #responses = 0;

  /** `max`: in a tenth of a second. */
  constructor(
    private readonly nowMs: () => number,
    private readonly max = MAX_RESPONSES,
  ) {}

  /** Counts one. Whether it is one too many. */
  isReached(): boolean {
    const nowMs = this.nowMs();
    if (nowMs >= this.#intervalEndsAtMs) {
      this.#intervalEndsAtMs = nowMs + INTERVAL_MS;
      this.#responses = 0;
    }
    return ++this.#responses > this.max;
  }
}

const monotonic = (): number => performance.now();

/**
 * Nothing limits how often probes are asked for. In a flood, each response ends its connection: others then wait for one
 * request of each flooding connection, not for all that are pipelined in it.
 */
export class ProbeFlood {
  readonly #flood: Flood;

  constructor(nowMs = monotonic) {
    this.#flood = new Flood(nowMs);
  }

  bound(response: Response): Response {
    return this.#flood.isReached() ? endConnection(response) : response;
  }
}

/** Well below the 30 s after which an idle connection is closed. */
const MAX_HOLD_MS = 10_000;

/**
 * For refusals of callers who are certain to be refused again, and for preflights. Those who connect again at once would
 * keep Bun accepting, which it does before it looks at other connections. So in a flood each response is held back for
 * as many milliseconds as others are being held: about 1,000 a second leave each thread, however many ask.
 */
export class HeldFlood {
  readonly #flood: Flood;
  #held = 0;

  constructor(nowMs = monotonic) {
    this.#flood = new Flood(nowMs);
  }

  bound(response: Response): Awaitable<Response> {
    return this.#flood.isReached() ? this.#hold(response) : response;
  }

  async #hold(response: Response): Promise<Response> {
    await Bun.sleep(Math.min(++this.#held, MAX_HOLD_MS));
    this.#held--;
    return response;
  }
}
