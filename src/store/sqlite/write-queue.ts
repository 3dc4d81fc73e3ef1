import type { IdempotencyKey } from "../../domain/idempotency.ts";
import { STORE_CLOSED, type StoreProblem, StoreUnavailable } from "../store.ts";
import { reasonOf } from "./attempt.ts";
import type { WriteOutcome, WriteOutcomes } from "./group-commit.ts";
import type { Write, WriteInput, WriteName, WriteResult, Writes } from "./writer.ts";
import type { WriterSettings } from "./writer-connection.ts";

export type ToThread =
  | { readonly kind: "open"; readonly settings: WriterSettings }
  | { readonly kind: "write"; readonly writes: readonly Write[]; readonly handedOverAtMs: number }
  /** The event loop has closed its connection. */
  | { readonly kind: "suspended" }
  | { readonly kind: "close" };

export type FromThread =
  | WriteOutcomes
  | { readonly kind: "problem"; readonly problem: StoreProblem; readonly message: string }
  /** A sync has failed: nothing is acknowledged from here on. */
  | { readonly kind: "distrust"; readonly reason: string }
  /** The event loop is to close its connection, */
  | { readonly kind: "suspend" }
  /** and may open it again. */
  | { readonly kind: "resume" }
  /** The database was opened again and checked. */
  | { readonly kind: "trust" };

/** A write whose outcome somebody waits for. */
interface Pending {
  readonly write: Write;
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
}

/**
 * This many are handed over at once, or what there is at the end of a turn of the event loop: early
 * enough for the thread to work at the same time as the event loop, rather than in turns with it.
 */
const HAND_OVER_BATCH_SIZE = 16;
/** This many are settled in one turn of the event loop: reads are served in between. */
const SETTLE_BATCH_SIZE = 12;
/** More than any number of connections causes at once. Beyond it, load is shed. */
const MAX_WAITING = 10_000;
/** A disk that does not respond must not hold up a stop for ever. */
const CLOSE_TIMEOUT_MS = 5_000;

export interface WriteQueueOptions {
  /** What the thread opens; asked for when one starts. */
  readonly settings: () => Omit<WriterSettings, "isTrusted">;
  /** The other connection of this process, which is closed while the database is opened again. */
  readonly reader?: { suspend(): void; resume(): void };
  readonly onProblem?: (problem: StoreProblem, error: Error) => void;
  /** What the thread runs. */
  readonly script?: string;
}

const WRITER_THREAD = new URL("./writer-thread.ts", import.meta.url).href;

/**
 * Has writes carried out by a thread, which is started with the first of them unless it was before.
 * Whatever is handed over during a commit becomes the next commit.
 */
export class WriteQueue implements Writes {
  #thread: Worker | undefined;
  #gathered: Pending[] = [];
  /** Handed over to the thread, in this order. */
  #underWay: Pending[] = [];
  /** Of the first of those, not settled yet. */
  #outcomes: WriteOutcome[] = [];
  #whenIdle: (() => void) | undefined;
  #distrust: string | undefined;
  #isClosed = false;

  constructor(private readonly options: WriteQueueOptions) {}

  /** Why every write is refused: after a sync that failed, until the database was opened again and checked. */
  get distrust(): string | undefined {
    return this.#distrust;
  }

  perform<Name extends WriteName>(
    name: Name,
    input: WriteInput<Name>,
    idempotencyKey?: IdempotencyKey,
  ): Promise<WriteResult<Name>> {
    if (this.#isClosed) return Promise.reject(new StoreUnavailable(STORE_CLOSED));
    if (this.#waiting >= MAX_WAITING)
      return Promise.reject(new StoreUnavailable("too many writes are waiting for the disk"));
    const { promise, resolve, reject } = Promise.withResolvers<WriteResult<Name>>();
    const count = this.#gathered.push({
      write: [name, input, idempotencyKey],
      resolve: resolve as (result: never) => void,
      reject,
    });
    if (count === 1) setImmediate(() => this.#handOver());
    else if (count === HAND_OVER_BATCH_SIZE) this.#handOver();
    return promise;
  }

  start(): void {
    this.#thread ??= this.#startThread();
  }

  /** Finishes what was begun, and begins nothing more: the lock for serving is released next. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#waiting > 0)
      await Promise.race([
        new Promise<void>((resolve) => {
          this.#whenIdle = resolve;
        }),
        Bun.sleep(CLOSE_TIMEOUT_MS),
      ]);
    await this.#endThread();
    this.#reject(this.#gathered.splice(0), new StoreUnavailable(STORE_CLOSED));
    this.#reject(
      this.#underWay.splice(this.#outcomes.length),
      new StoreUnavailable("the disk did not respond", { changed: "unknown" }),
    );
  }

  async #endThread(): Promise<void> {
    const thread = this.#thread;
    if (!thread) return;
    this.#thread = undefined;
    const ended = new Promise((resolve) => thread.addEventListener("close", resolve));
    thread.postMessage({ kind: "close" } satisfies ToThread);
    await Promise.race([ended, Bun.sleep(CLOSE_TIMEOUT_MS)]);
    thread.terminate();
  }

  get #waiting(): number {
    return this.#gathered.length + this.#underWay.length;
  }

  #handOver(): void {
    if (this.#gathered.length === 0) return;
    try {
      this.start();
    } catch (error) {
      // In a turn of its own, nobody else would catch it.
      this.#reject(
        this.#gathered.splice(0),
        new StoreUnavailable(`the writer thread cannot be started: ${reasonOf(error)}`, { cause: error }),
      );
      this.#checkIdle();
      return;
    }
    const writes = this.#gathered.map(({ write }) => write);
    this.#underWay.push(...this.#gathered);
    this.#gathered = [];
    this.#thread?.postMessage({ kind: "write", writes, handedOverAtMs: Date.now() } satisfies ToThread);
  }

  #startThread(): Worker {
    const { settings, script = WRITER_THREAD } = this.options;
    const toOpen: WriterSettings = { ...settings(), isTrusted: this.#distrust === undefined };
    const thread = new Worker(script);
    thread.addEventListener("message", ({ data }: MessageEvent<FromThread>) => {
      if (data.kind !== "all_done" && data.kind !== "mixed") this.#attend(thread, data);
      else if (this.#thread === thread) this.#take(outcomesIn(data));
    });
    thread.addEventListener("error", ({ message }) => this.#lose(thread, message));
    thread.addEventListener("close", () => this.#lose(thread, "it ended"));
    thread.postMessage({ kind: "open", settings: toOpen } satisfies ToThread);
    return thread;
  }

  /** What a thread says beside outcomes, while it closes too. */
  #attend(thread: Worker, message: Exclude<FromThread, WriteOutcomes>): void {
    const { reader, onProblem } = this.options;
    if (message.kind === "problem") onProblem?.(message.problem, new StoreUnavailable(message.message));
    else if (message.kind === "resume") reader?.resume();
    else if (message.kind === "suspend") {
      reader?.suspend();
      thread.postMessage({ kind: "suspended" } satisfies ToThread);
    } else {
      this.#distrust = message.kind === "distrust" ? message.reason : undefined;
      if (message.kind === "distrust") onProblem?.("sync", new StoreUnavailable(message.reason));
    }
  }

  #take(outcomes: readonly WriteOutcome[]): void {
    if (this.#outcomes.push(...outcomes) === outcomes.length) this.#settle();
  }

  /** A batch in each turn of the event loop, until none is left. */
  #settle(): void {
    const outcomes = this.#outcomes.splice(0, SETTLE_BATCH_SIZE);
    if (this.#outcomes.length > 0) setImmediate(() => this.#settle());
    for (const outcome of outcomes) settle(this.#underWay.shift() as Pending, outcome);
    this.#checkIdle();
  }

  /** The thread is gone, and whether it carried out what it had is unknown. The next write starts another. */
  #lose(thread: Worker, reason: string): void {
    if (this.#thread !== thread) return;
    this.#thread = undefined;
    thread.terminate();
    this.options.reader?.resume();
    const lost = this.#underWay.splice(this.#outcomes.length);
    const error = new StoreUnavailable(`the writer thread was lost: ${reason}`, { changed: "unknown" });
    this.#reject(lost, error);
    this.#checkIdle();
  }

  #reject(pending: readonly Pending[], error: Error): void {
    for (const { reject } of pending) reject(error);
  }

  #checkIdle(): void {
    if (this.#waiting === 0) this.#whenIdle?.();
  }
}

const outcomesIn = (outcomes: WriteOutcomes): readonly WriteOutcome[] =>
  outcomes.kind === "all_done" ? outcomes.results.map((result) => ({ kind: "done", result })) : outcomes.outcomes;

function settle({ resolve, reject }: Pending, outcome: WriteOutcome): void {
  if (outcome.kind === "done") resolve(outcome.result as never);
  else if (outcome.kind === "unavailable") reject(new StoreUnavailable(outcome.message, outcome));
  else reject(new Error(outcome.message));
}
