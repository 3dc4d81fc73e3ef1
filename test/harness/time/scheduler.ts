import type { Scheduler } from "../../../src/meter/redis/timeouts/scheduler.ts";

interface Task {
  readonly atMs: number;
  readonly run: () => void;
}

/** A scheduler that runs tasks only when time is advanced. */
export class FakeScheduler implements Scheduler {
  #nowMs = 0;
  #tasks: Task[] = [];

  nowMs(): number {
    return this.#nowMs;
  }

  schedule(delayMs: number, run: () => void): () => void {
    const task = { atMs: this.#nowMs + delayMs, run };
    this.#tasks.push(task);
    return () => {
      this.#tasks = this.#tasks.filter((other) => other !== task);
    };
  }

  /** Runs the task at once, because there is no network. */
  afterArrivals(task: () => void): void {
    task();
  }

  /** The time until the next task is due; undefined if there is none. */
  get nextDelayMs(): number | undefined {
    return this.#tasks.length === 0 ? undefined : Math.min(...this.#tasks.map(({ atMs }) => atMs)) - this.#nowMs;
  }

  /** Advances time, and runs the tasks that are due. */
  advance(ms: number): void {
    this.#nowMs += ms;
    const due = this.#tasks.filter(({ atMs }) => atMs <= this.#nowMs);
    this.#tasks = this.#tasks.filter(({ atMs }) => atMs > this.#nowMs);
    for (const { run } of due) run();
  }
}
