/** Jobs become due at multiples of this, and at rest at multiples of twice as much. */
const TICK_MS = 500;
const MORE_TO_DO_DELAY_MS = 1;

/** Returned by a run that has more to do at once. No boolean fits, since one could mean something else. */
export const MORE_TO_DO = Symbol("more to do");
/** Returned by a run that leaves nothing to do until its job is woken. */
export const AT_REST = Symbol("at rest");

/** One run of a job. */
export type Run = () => Promise<void> | Promise<typeof MORE_TO_DO | typeof AT_REST | undefined>;

export interface Job {
  /** There is something to do again: it runs after its interval if it was at rest. */
  wake(): void;
  /** No other run follows. Resolves when the one in progress has ended. */
  stop(): Promise<void>;
}

interface Entry {
  readonly intervalMs: number;
  readonly run: Run;
  readonly onFailure: (error: unknown) => void;
  /** Infinite while it runs or rests. */
  dueMs: number;
  isRunning: boolean;
  /** It was woken since its latest run began. */
  isWoken: boolean;
  running: Promise<void>;
}

/**
 * The repeated jobs of a thread. All share one timer and are due at its ticks, so that a thread without work wakes up
 * once for all of them. Runs of one job never overlap: its interval, give or take half a tick, follows each of them.
 * While `isBusy` says no, a tick is twice as long: each costs half a millisecond in a process whose code and data have
 * left the caches of the processor.
 */
export class Schedule {
  readonly #entries = new Set<Entry>();
  #timer: Timer | undefined;
  #firesAtMs = Number.POSITIVE_INFINITY;

  constructor(
    private readonly shortTickMs = TICK_MS,
    private readonly isBusy = () => true,
  ) {}

  start(intervalMs: number, run: Run, onFailure: (error: unknown) => void): Job {
    const running = Promise.resolve();
    const entry: Entry = { intervalMs, run, onFailure, dueMs: 0, isRunning: false, isWoken: false, running };
    this.#entries.add(entry);
    this.#plan(entry);
    return {
      wake: () => {
        entry.isWoken = true;
        if (!entry.isRunning && entry.dueMs === Number.POSITIVE_INFINITY) this.#plan(entry);
      },
      stop: () => {
        this.#entries.delete(entry);
        if (this.#entries.size === 0) this.#disarm();
        return entry.running;
      },
    };
  }

  /** Makes the job due after its interval, at a tick. */
  #plan(entry: Entry): void {
    const tickMs = this.isBusy() ? this.shortTickMs : 2 * this.shortTickMs;
    const ticks = Math.round(performance.now() / tickMs) + Math.ceil(entry.intervalMs / tickMs);
    entry.dueMs = ticks * tickMs;
    this.#arm();
  }

  #arm(): void {
    let dueMs = Number.POSITIVE_INFINITY;
    for (const entry of this.#entries) dueMs = Math.min(dueMs, entry.dueMs);
    if (dueMs >= this.#firesAtMs) return;
    this.#disarm();
    this.#firesAtMs = dueMs;
    this.#timer = setTimeout(this.#fire, Math.max(0, Math.ceil(dueMs - performance.now())));
  }

  #disarm(): void {
    clearTimeout(this.#timer);
    this.#firesAtMs = Number.POSITIVE_INFINITY;
  }

  readonly #fire = (): void => {
    // A timer may be early by a fraction of a millisecond.
    const nowMs = Math.max(performance.now(), this.#firesAtMs);
    this.#disarm();
    for (const entry of this.#entries) if (entry.dueMs <= nowMs) entry.running = this.#run(entry);
    this.#arm();
  };

  async #run(entry: Entry): Promise<void> {
    Object.assign(entry, { dueMs: Number.POSITIVE_INFINITY, isRunning: true, isWoken: false });
    let outcome: Awaited<ReturnType<Run>>;
    try {
      outcome = await entry.run();
    } catch (error) {
      entry.onFailure(error);
    }
    entry.isRunning = false;
    if (!this.#entries.has(entry) || (outcome === AT_REST && !entry.isWoken)) return;
    if (outcome === MORE_TO_DO) {
      entry.dueMs = performance.now() + MORE_TO_DO_DELAY_MS;
      this.#arm();
    } else this.#plan(entry);
  }
}
