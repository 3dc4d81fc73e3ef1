import type { FailureLog } from "../telemetry/log.ts";
import type { Background } from "./handler.ts";

/** Work that goes on after its request was answered: the thread ends after it, or tells it to stop. */
export class BackgroundWork implements Background {
  readonly #running = new Set<Promise<void>>();
  readonly #stopping = new AbortController();

  constructor(private readonly failures: FailureLog) {}

  get isIdle(): boolean {
    return this.#running.size === 0;
  }

  run(failure: string, work: (signal: AbortSignal) => Promise<void>): void {
    const { signal } = this.#stopping;
    const running = work(signal)
      .catch((error: unknown) => {
        if (!signal.aborted) this.failures.report(failure, error);
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running);
  }
}
