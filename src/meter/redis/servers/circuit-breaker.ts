import type { Scheduler } from "../timeouts/scheduler.ts";

const PROBE_DELAY_MS = 250;
const PROBE_DELAY_MAX_MS = 10_000;
/** A failure this soon after a recovery means that the recovery was not real. */
const RELAPSE_PERIOD_MS = 10_000;

export interface CircuitBreakerParts {
  /** Calls the service without effect, in the same way as real calls. Rejects if the service does not work. */
  readonly probe: () => Promise<unknown>;
  readonly onChange: (isOpen: boolean, error?: unknown) => void;
  readonly scheduler: Scheduler;
}

/** Stops the calls to a service that fails, until a probe of it succeeds. */
export class CircuitBreaker {
  #isOpen = false;
  #isSuspected = false;
  #isDisposed = false;
  #probeDelayMs = PROBE_DELAY_MS;
  #recoveredAtMs = Number.NEGATIVE_INFINITY;
  #cancelProbe = () => {};

  constructor(private readonly parts: CircuitBreakerParts) {}

  /** True: the service must not be called. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Records a call that took too long, which may be the fault of this process: a probe decides at once. */
  suspect(): void {
    if (this.#isSuspected || this.#isOpen) return;
    this.#isSuspected = true;
    this.parts
      .probe()
      .catch((error: unknown) => this.trip(error))
      .finally(() => {
        this.#isSuspected = false;
      });
  }

  /** Records a failed call: no more calls until a probe succeeds. After a relapse the probes wait twice as long. */
  trip(error: unknown): void {
    if (this.#isOpen || this.#isDisposed) return;
    this.#isOpen = true;
    const isRelapse = this.parts.scheduler.nowMs() - this.#recoveredAtMs < RELAPSE_PERIOD_MS;
    this.#probeDelayMs = isRelapse ? Math.min(2 * this.#probeDelayMs, PROBE_DELAY_MAX_MS) : PROBE_DELAY_MS;
    this.parts.onChange(true, error);
    this.#scheduleProbe();
  }

  /** Ends the probes. */
  dispose(): void {
    this.#isDisposed = true;
    this.#cancelProbe();
  }

  #scheduleProbe(): void {
    if (this.#isDisposed) return;
    this.#cancelProbe = this.parts.scheduler.schedule(this.#probeDelayMs, () => {
      this.parts.probe().then(
        () => this.#close(),
        () => this.#scheduleProbe(),
      );
    });
  }

  #close(): void {
    if (this.#isDisposed) return;
    this.#isOpen = false;
    this.#recoveredAtMs = this.parts.scheduler.nowMs();
    this.parts.onChange(false);
  }
}
