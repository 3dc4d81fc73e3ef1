import type { Listener } from "./listener.ts";

/** Long enough for a slow body; without DRAIN_SECONDS, a stop ends before the usual 10 s of a supervisor. */
export const STOP_TIMEOUT_MS = 6_000;
/** A client that is told to close its connection may open another one: a stop does not wait for those that go on. */
const QUIET_TIMEOUT_MS = 500;
const HELD_QUIET_MS = 50;
const HELD_TIMEOUT_MS = 400;

/**
 * The steps of a stop. All threads take each step before any of them takes the next: a client that one of them has
 * answered for the last time may connect to another.
 */
export const DRAIN_STEPS = ["calm", "hold", "closePort", "finish"] as const;
export type DrainStep = (typeof DRAIN_STEPS)[number];

/**
 * Stops a listener that is closing. Bun closes idle connections together with the port, and loses requests that are on
 * their way in them; so it first waits for a quiet moment, in which each busy connection gets its last response.
 */
export class Drain implements Record<DrainStep, () => unknown> {
  readonly #startedAtMs = performance.now();
  #isQuiet = false;
  #release: (() => void) | undefined;
  #finished: Promise<void> | undefined;

  constructor(
    private readonly listener: Listener,
    private readonly quietMs: number,
  ) {}

  async calm(): Promise<void> {
    this.#isQuiet = await becomesQuiet(this.listener, this.quietMs, QUIET_TIMEOUT_MS);
  }

  /**
   * Keeps clients waiting that keep coming back: then none of them opens a connection while the port is closed. A port
   * that threads share is not quiet before all of them are.
   */
  async hold(): Promise<void> {
    if (this.#isQuiet && !this.listener.isShared) return;
    this.#release = this.listener.hold();
    await becomesQuiet(this.listener, HELD_QUIET_MS, HELD_TIMEOUT_MS);
  }

  closePort(): void {
    this.#finished = this.listener.finish(STOP_TIMEOUT_MS - (performance.now() - this.#startedAtMs));
  }

  async finish(): Promise<void> {
    this.#release?.();
    await this.#finished;
  }
}

/** Waits until no request has arrived for a while, and twice as long if any has. False: they keep coming. */
async function becomesQuiet(listener: Listener, quietMs: number, timeoutMs: number): Promise<boolean> {
  const startedAtMs = performance.now();
  let { arrivals } = listener;
  let quietAtMs = startedAtMs + quietMs;
  for (;;) {
    const nowMs = performance.now();
    if (nowMs >= quietAtMs) return true;
    if (nowMs >= startedAtMs + timeoutMs) return false;
    await Bun.sleep(1);
    if (listener.arrivals === arrivals) continue;
    arrivals = listener.arrivals;
    quietAtMs = performance.now() + 2 * quietMs;
  }
}
