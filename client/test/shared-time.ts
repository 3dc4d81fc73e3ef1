import { FakeClock } from "../../test/harness/time/clock.ts";
import type { ClientClock } from "../src/options.ts";

interface Sleeper {
  readonly atMs: number;
  readonly wake: () => void;
}

/** After this many idle turns of the event loop, nothing more will happen. */
const QUIET_TURNS = 3;

/**
 * Simulated time for the service and its clients. It stands still while requests are in flight; when everything is
 * waiting, it jumps to the end of the next wait.
 */
export class SharedTime implements ClientClock {
  readonly clock: FakeClock;
  readonly #sleepers = new Set<Sleeper>();
  #onTheirWay = 0;
  #events = 0;

  constructor(clock = new FakeClock()) {
    this.clock = clock;
  }

  now(): number {
    return this.clock.monotonicMs();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#events++;
      const wake = (): void => {
        this.#sleepers.delete(sleeper);
        signal?.removeEventListener("abort", wake);
        this.#events++;
        resolve();
      };
      const sleeper = { atMs: this.now() + ms, wake };
      this.#sleepers.add(sleeper);
      signal?.addEventListener("abort", wake);
      if (signal?.aborted) wake();
    });
  }

  /** The number of pending waits. */
  get sleeping(): number {
    return this.#sleepers.size;
  }

  /** Keeps time from passing until the work is done. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#onTheirWay++;
    try {
      return await work();
    } finally {
      this.#onTheirWay--;
      this.#events++;
    }
  }

  /** The fetch for clients, in which each response takes some time. */
  readonly fetch = (url: string, init: RequestInit): Promise<Response> =>
    this.during(async () => {
      const response = await fetch(url, init);
      const { status, headers } = response;
      const body = status === 204 || status === 304 ? null : await response.arrayBuffer();
      this.clock.advance(3);
      return new Response(body, { status, headers });
    });

  /** Lets time pass until the work is done. */
  async until<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const done = (): void => {
      isDone = true;
    };
    work.then(done, done);
    for (;;) {
      await this.settle();
      if (isDone) return await work;
      this.#wakeNext();
    }
  }

  /** Waits, without time passing, until nothing more happens by itself. */
  async settle(): Promise<void> {
    for (let quiet = 0, before = this.#events; quiet < QUIET_TURNS || this.#onTheirWay > 0; quiet++) {
      await new Promise(setImmediate);
      if (this.#events !== before) quiet = 0;
      before = this.#events;
    }
  }

  /** Advances time, and wakes each sleeper when it is due. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.now() + ms;
    for (;;) {
      await this.settle();
      if (this.#nextMs() > untilMs) break;
      this.#wakeNext();
    }
    this.clock.advance(untilMs - this.now());
    await this.settle();
  }

  #nextMs(): number {
    return Math.min(...Array.from(this.#sleepers, ({ atMs }) => atMs));
  }

  #wakeNext(): void {
    const nextMs = this.#nextMs();
    if (nextMs === Number.POSITIVE_INFINITY) throw new Error("Nobody is on the way, and nobody waits: a deadlock.");
    this.clock.advance(Math.max(0, nextMs - this.now()));
    for (const { atMs, wake } of [...this.#sleepers]) if (atMs <= this.now()) wake();
  }
}
