import type { FailureLog } from "../../telemetry/log.ts";

/** Tasks that outlive the request that started them. The thread ends after them, or tells them to stop. */
export class BackgroundTasks {
  readonly #running = new Set<Promise<void>>();
  readonly #stopping = new AbortController();

  constructor(private readonly failures: FailureLog) {}

  get isIdle(): boolean {
    return this.#running.size === 0;
  }

  /** Keeps the thread alive until the task has ended. Its failure is logged under the message. */
  run(failure: string, task: (signal: AbortSignal) => Promise<void>): void {
    const { signal } = this.#stopping;
    const running = task(signal)
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
