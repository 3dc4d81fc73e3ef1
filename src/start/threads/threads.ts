import type { ConsoleEndpoint } from "../../http/pages/console/relay.ts";
import type { Log } from "../../telemetry/log.ts";
import type { MetricsSnapshot } from "../../telemetry/metrics.ts";
import type { DrainStep } from "../ports/drain.ts";
import { Calls } from "./calls.ts";
import type { ForwardedLine } from "./forwarded-log.ts";

// The threads that serve beside the first one. They share the port, and the kernel divides the connections among them;
// the tallies, which are in shared memory; and the writer thread of the store. Nothing is sent between them to answer
// a read or to count a request. The first thread starts and stops the others, speaks for them in the log and in the
// metrics, and saves what they count.

/** What the first thread calls in the others. */
export type ThreadMethods<Blueprint> = {
  /** Resolves when it answers requests. */
  start(blueprint: Blueprint): Promise<void>;
  /** From now on, each response is the last one of its connection. */
  announceStop(nothing: undefined): void;
  /** Takes one step on the way to the moment when everything is answered that was sent to it. */
  drain(step: DrainStep): Promise<void>;
  close(nothing: undefined): Promise<void>;
  /** Undefined: nothing is measured. */
  metrics(nothing: undefined): Promise<MetricsSnapshot | undefined>;
};

/** What they call in the first one. */
export type HostMethods = {
  log(lines: readonly ForwardedLine[]): void;
  /** Resolves when everything that was counted is on disk. */
  save(nothing: undefined): Promise<void>;
  /** Where the console answers, which is started for it. */
  openConsole(nothing: undefined): Promise<ConsoleEndpoint>;
};

export interface ThreadsParts<Blueprint> {
  readonly count: number;
  /** Whether enough files can be opened for one more thread. */
  readonly hasRoom: () => boolean;
  /** Lets them listen on the port too. Returns whether the system can do that. */
  readonly share: () => boolean;
  /** What one thread is made from. */
  readonly newBlueprint: () => Blueprint;
  readonly methods: HostMethods;
  /** The first thread that could not start, or has ended by itself: the service must not go on with a hole in it. */
  readonly onDeath: (error: Error) => void;
  readonly log: Pick<Log, "info" | "warn">;
  /** How long a stop waits for them to be drained, and then to close. */
  readonly drainTimeoutMs?: number;
  readonly closeTimeoutMs?: number;
  /** What a thread runs. */
  readonly script: string;
}

/** Plain data, but for the port of a handle at an embedded store. */
interface Sendable {
  readonly storeHandle: { readonly port?: MessagePort | undefined };
}

/** The first replies are out by then. */
const START_AFTER_MS = 100;

interface Thread<Blueprint> {
  readonly worker: Worker;
  readonly calls: Calls<ThreadMethods<Blueprint>>;
  isDead: boolean;
}

/** Longer than a thread gives its own requests. One that does not answer must not hold up a stop for ever. */
const DRAIN_TIMEOUT_MS = 7_000;
const CLOSE_TIMEOUT_MS = 1_500;
/** How long a scrape waits for a thread. */
const METRICS_TIMEOUT_MS = 1_000;

export class Threads<Blueprint extends Sendable> {
  #threads: Thread<Blueprint>[] = [];
  /** Resolves when all that were started answer requests. */
  #complete = Promise.resolve();
  readonly #stopping = Promise.withResolvers<void>();
  #isStopping = false;
  #isClosing = false;
  /** When a thread that has not been drained by then is no longer waited for. */
  #drainEndsAtMs: number | undefined;

  constructor(private readonly parts: ThreadsParts<Blueprint>) {}

  /** Starts them in a moment. Resolves when all of them answer requests, or the service stops before that. */
  start(): Promise<void> {
    if (this.parts.count > 0) this.#complete = this.#startAll();
    return this.#complete;
  }

  async #startAll(): Promise<void> {
    const { count, share, log, onDeath } = this.parts;
    await this.#becomesPossible();
    if (this.#isStopping) return;
    try {
      if (!share()) {
        log.warn(
          "this system cannot divide the connections of a port among threads: one thread answers. Set THREADS=1",
        );
        return;
      }
      for (let i = 0; i < count; i++) this.#threads.push(this.#startOne(i + 2));
    } catch (error) {
      onDeath(error as Error);
      return;
    }
    await Promise.all(this.#threads.map((thread) => this.#join(thread)));
    if (this.#alive.length === count && !this.#isStopping)
      log.info({ threads: count + 1 }, "all threads answer requests");
  }

  /** Waits until the first replies are out, and until there is room. */
  async #becomesPossible(): Promise<void> {
    const { hasRoom, log } = this.parts;
    for (let waits = 0; ; waits++) {
      await Promise.race([Bun.sleep(START_AFTER_MS), this.#stopping.promise]);
      if (this.#isStopping || hasRoom()) return;
      if (waits === 0) log.warn("one thread answers until more files can be opened: raise their limit (ulimit -n)");
    }
  }

  announceStop(): void {
    this.#isStopping = true;
    this.#stopping.resolve();
    for (const { calls } of this.#alive) calls.call("announceStop", undefined).catch(() => {});
  }

  async drain(step: DrainStep): Promise<void> {
    const { drainTimeoutMs = DRAIN_TIMEOUT_MS } = this.parts;
    this.#drainEndsAtMs ??= performance.now() + drainTimeoutMs;
    const leftMs = () => Math.max(0, (this.#drainEndsAtMs as number) - performance.now());
    await within(leftMs(), [this.#complete]);
    await within(
      leftMs(),
      this.#alive.map(({ calls }) => calls.call("drain", step)),
    );
  }

  /** Ends them. What they have begun to write is on disk then. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.announceStop();
    const { closeTimeoutMs = CLOSE_TIMEOUT_MS } = this.parts;
    await within(closeTimeoutMs, [this.#complete]);
    await within(
      closeTimeoutMs,
      this.#alive.map(({ calls }) => calls.call("close", undefined)),
    );
    for (const { worker } of this.#threads) worker.terminate();
    this.#threads = [];
  }

  /** What each of them has measured; the last known where one does not answer, so that no counter goes back. */
  async metrics(): Promise<readonly MetricsSnapshot[]> {
    const snapshots = await Promise.all(this.#threads.map((thread) => this.#metricsOf(thread)));
    return snapshots.filter((snapshot) => snapshot !== undefined);
  }

  readonly #lastMetrics = new WeakMap<Thread<Blueprint>, MetricsSnapshot>();

  async #metricsOf(thread: Thread<Blueprint>): Promise<MetricsSnapshot | undefined> {
    const answer = thread.calls.call("metrics", undefined).catch(() => undefined);
    const snapshot = await Promise.race([answer, Bun.sleep(METRICS_TIMEOUT_MS).then(() => undefined)]);
    if (snapshot) this.#lastMetrics.set(thread, snapshot);
    return this.#lastMetrics.get(thread);
  }

  get #alive(): Thread<Blueprint>[] {
    return this.#threads.filter(({ isDead }) => !isDead);
  }

  #startOne(number: number): Thread<Blueprint> {
    const worker = new Worker(this.parts.script, { name: `serving ${number}` });
    const thread = { worker, calls: new Calls<ThreadMethods<Blueprint>>(worker, this.parts.methods), isDead: false };
    const die = (reason: string) => this.#bury(thread, `serving thread ${number} has ended: ${reason}`);
    worker.addEventListener("error", ({ message }) => die(message));
    worker.addEventListener("close", () => die("it closed"));
    return thread;
  }

  async #join(thread: Thread<Blueprint>): Promise<void> {
    try {
      const blueprint = this.parts.newBlueprint();
      const { port } = blueprint.storeHandle;
      await thread.calls.call("start", blueprint, port ? [port] : []);
    } catch (error) {
      this.#bury(thread, (error as Error).message);
    }
  }

  #bury(thread: Thread<Blueprint>, reason: string): void {
    if (thread.isDead) return;
    thread.isDead = true;
    const error = new Error(reason);
    thread.calls.end(error);
    if (!this.#isClosing && this.#alive.length === this.parts.count - 1) this.parts.onDeath(error);
  }
}

async function within(timeoutMs: number, answers: readonly Promise<void>[]): Promise<void> {
  await Promise.race([Promise.allSettled(answers), Bun.sleep(timeoutMs)]);
}
