import { withTimeout } from "../../base/time/timeout.ts";
import type { Handlers } from "../../base/worker/rpc.ts";
import { SupervisedWorker } from "../../base/worker/supervised-worker.ts";
import type { ConsoleEndpoint } from "../../http/pages/console/relay.ts";
import type { Log } from "../../telemetry/log.ts";
import type { MetricsSnapshot } from "../../telemetry/metrics.ts";
import type { Connections } from "../listening/connection-limit.ts";
import type { DrainStep } from "../listening/drain.ts";
import type { ForwardedLine } from "./forwarded-log.ts";

// The threads that serve beside the first one. They share the port, whose connections the kernel divides among them;
// the tallies, which are in shared memory; and the writer thread of the store. Nothing is sent between them to answer
// a read or to count a request. The first thread starts and stops the others, writes their log lines, publishes their
// metrics, and saves their tallies.

/** The methods of a further serving thread, which the first one calls. */
export type ThreadMethods = Connections & {
  /** From now on, each response is the last one of its connection. */
  announceStop(): void;
  /** Runs one drain step. */
  drain(step: DrainStep): Promise<void>;
  /** Polls for changed keys, and the store: the first thread has seen a change. */
  poll(): void;
  /** Undefined: metrics are off. */
  metrics(): Promise<MetricsSnapshot | undefined>;
};

/** The methods of the first thread, which the others call. */
export type HostMethods = {
  log(lines: readonly ForwardedLine[]): void;
  /** Resolves when all tallies are on disk. */
  save(): Promise<void>;
  /** Starts the console's thread unless it runs, and resolves to where it listens. */
  openConsole(): Promise<ConsoleEndpoint>;
};

export interface ThreadsParts<Data> {
  readonly count: number;
  /** False: too few files can be opened for so many more threads. */
  readonly hasRoom: (threads: number) => boolean;
  /** Lets further threads listen on the port. False: the system cannot do that. */
  readonly share: () => boolean;
  /** Makes what one thread is started with. */
  readonly newData: () => Data;
  readonly handlers: Handlers<HostMethods>;
  /**
   * Called for the first thread that could not start or has ended by itself: the service must not go on without it. By
   * default, the error is uncaught.
   */
  readonly onDeath?: ((error: Error) => void) | undefined;
  readonly log: Pick<Log, "info" | "warn">;
  /** Limits a stop's wait for all drain steps together, and then for threads to close. */
  readonly drainTimeoutMs?: number;
  readonly closeTimeoutMs?: number;
  readonly script: string;
}

/** The first replies are out by then. */
const START_AFTER_MS = 100;
/** Longer than a thread gives its own requests. A thread that does not answer must not hold up a stop for ever. */
const DRAIN_TIMEOUT_MS = 7_000;
const CLOSE_TIMEOUT_MS = 3_000;
/** The longest that a scrape waits for a thread. */
const METRICS_TIMEOUT_MS = 1_000;

type Thread<Data> = SupervisedWorker<Data, ThreadMethods, HostMethods>;

export class Threads<Data> {
  #threads: Thread<Data>[] = [];
  readonly #stopping = new AbortController();
  #hasLostOne = false;
  /** True: it was said that there is no room. */
  #isShort = false;
  /** When to stop waiting for threads that have not been drained. */
  #drainEndsAtMs: number | undefined;
  readonly #lastMetrics = new WeakMap<Thread<Data>, MetricsSnapshot>();

  constructor(private readonly parts: ThreadsParts<Data>) {}

  /** Starts them in a moment. Resolves when all of them answer requests, or the service stops before that. */
  async start(): Promise<void> {
    const { count, share, log, onDeath = throwUncaught } = this.parts;
    if (count === 0) return;
    await this.#becomesPossible(count);
    if (this.#isStopping) return;
    try {
      if (!share()) {
        log.warn(
          "this system cannot divide the connections of a port among threads: one thread answers. Set THREADS=1",
        );
        return;
      }
    } catch (error) {
      onDeath(error as Error);
      return;
    }
    const started = await Promise.all(Array.from({ length: count }, (_, i) => this.#startOne(i + 2)));
    if (started.every(Boolean) && !this.#isStopping) log.info({ threads: count + 1 }, "all threads answer requests");
  }

  /** Waits until the first replies are out, and until there is room for so many threads. */
  async #becomesPossible(threads: number): Promise<void> {
    const { hasRoom, log } = this.parts;
    const { promise: never } = Promise.withResolvers<never>();
    for (;;) {
      await withTimeout(never, START_AFTER_MS, this.#stopping.signal);
      if (this.#isStopping || hasRoom(threads)) return;
      if (!this.#isShort)
        log.warn("fewer threads answer until more files can be opened: raise their limit (ulimit -n)");
      this.#isShort = true;
    }
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  announceStop(): void {
    this.#stopping.abort();
    for (const { remote } of this.#threads) remote.notify("announceStop");
  }

  limit(areLimited: boolean): void {
    for (const { remote } of this.#threads) remote.notify("limit", areLimited);
  }

  poll(): void {
    for (const { remote } of this.#threads) remote.notify("poll");
  }

  renew(): void {
    for (const { remote } of this.#threads) remote.notify("renew");
  }

  /** Runs one drain step in all threads, which those that are starting take too. */
  async drain(step: DrainStep): Promise<void> {
    const { drainTimeoutMs = DRAIN_TIMEOUT_MS } = this.parts;
    this.#drainEndsAtMs ??= performance.now() + drainTimeoutMs;
    const drained = this.#threads.map(({ remote }) => remote.call("drain", step));
    await withTimeout(Promise.allSettled(drained), this.#drainEndsAtMs - performance.now());
  }

  /** Ends them. Their writes in progress are on disk then. */
  async close(): Promise<void> {
    const { closeTimeoutMs = CLOSE_TIMEOUT_MS } = this.parts;
    this.announceStop();
    await Promise.all(this.#threads.map((thread) => thread.end(closeTimeoutMs)));
    this.#threads = [];
  }

  /** The latest metrics of each thread; the last known where one does not answer, so that no counter goes back. */
  async metrics(): Promise<readonly MetricsSnapshot[]> {
    const snapshots = await Promise.all(this.#threads.map((thread) => this.#metricsOf(thread)));
    return snapshots.filter((snapshot) => snapshot !== undefined);
  }

  async #metricsOf(thread: Thread<Data>): Promise<MetricsSnapshot | undefined> {
    const asked = thread.remote.call("metrics").catch(() => undefined);
    const reply = await withTimeout(asked, METRICS_TIMEOUT_MS);
    if (reply?.value) this.#lastMetrics.set(thread, reply.value);
    return this.#lastMetrics.get(thread);
  }

  /** Resolves to whether it answers requests. If it cannot start for want of files, it is tried again. */
  async #startOne(number: number): Promise<boolean> {
    while (!this.#isStopping) {
      let thread: Thread<Data> | undefined;
      try {
        thread = this.#newThread(number);
        this.#threads.push(thread);
        await thread.started;
        return true;
      } catch (error) {
        if (this.#isStopping) break;
        if (this.parts.hasRoom(1)) {
          this.#die(number, error as Error);
          break;
        }
        this.#threads = this.#threads.filter((each) => each !== thread);
      }
      await this.#becomesPossible(1);
    }
    return false;
  }

  #newThread(number: number): Thread<Data> {
    const { script, newData, handlers } = this.parts;
    const thread: Thread<Data> = new SupervisedWorker({
      script,
      name: `serving ${number}`,
      data: newData(),
      handlers,
      onDeath: (reason) => {
        if (thread.hasStarted) this.#die(number, reason);
      },
    });
    return thread;
  }

  #die(number: number, { message }: Error): void {
    if (this.#hasLostOne) return;
    this.#hasLostOne = true;
    const { onDeath = throwUncaught } = this.parts;
    onDeath(new Error(`serving thread ${number} has ended: ${message}`));
  }
}

/** Throws in a turn of its own, where nobody catches it. */
const throwUncaught = (error: Error): void =>
  void setImmediate(() => {
    throw error;
  });
