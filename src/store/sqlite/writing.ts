import { StoreUnavailable } from "../store.ts";
import type { Outcome, Write, WriteName, Writer } from "./writer.ts";

export type ToThread =
  | { readonly kind: "open"; readonly path: string }
  | { readonly kind: "write"; readonly writes: readonly Write[] }
  | { readonly kind: "close" };

/** A write whose outcome somebody waits for. */
interface Asked {
  readonly write: Write;
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
}

/**
 * So many are handed over at once, or what there is at the end of a turn of the event loop: soon
 * enough that the thread works at the same time as the event loop, and not in turns with it.
 */
const HANDED_OVER_AT_ONCE = 16;
/** So many are settled in one turn of the event loop: in between, whoever reads is served. */
const SETTLED_AT_ONCE = 12;
/** More than any number of connections asks for at once: beyond it, load is shed. */
const MAX_WAITING = 10_000;
/** A disk that does not answer must not hold up a stop for ever. */
const CLOSE_DEADLINE_MS = 5_000;

/**
 * Has writes carried out by a thread of its own, which starts with the first of them if it was not
 * started before. Whatever is handed over while it is at a commit is its next commit.
 */
export class Writing {
  #thread: Worker | undefined;
  #gathered: Asked[] = [];
  /** Handed over, in that order. */
  #underWay: Asked[] = [];
  /** Of the first of those, to be told. */
  #outcomes: Outcome[] = [];
  #whenIdle: (() => void) | undefined;

  constructor(
    private readonly path: string,
    private readonly script = new URL("./writer-thread.ts", import.meta.url).href,
  ) {}

  /** Resolves when the write is on disk. */
  perform<Name extends WriteName>(name: Name, ...args: Parameters<Writer[Name]>): Promise<ReturnType<Writer[Name]>> {
    if (this.#waiting >= MAX_WAITING) return Promise.reject(new StoreUnavailable("too many writes wait for the disk"));
    const { promise, resolve, reject } = Promise.withResolvers<ReturnType<Writer[Name]>>();
    const count = this.#gathered.push({
      write: [name, ...args],
      resolve: resolve as (result: never) => void,
      reject,
    });
    if (count === 1) setImmediate(() => this.#handOver());
    else if (count === HANDED_OVER_AT_ONCE) this.#handOver();
    return promise;
  }

  start(): void {
    this.#thread ??= this.#startThread();
  }

  /** Finishes what was asked for. */
  async close(): Promise<void> {
    if (this.#waiting > 0)
      await Promise.race([
        new Promise<void>((resolve) => {
          this.#whenIdle = resolve;
        }),
        Bun.sleep(CLOSE_DEADLINE_MS),
      ]);
    const thread = this.#thread;
    if (!thread) return;
    this.#thread = undefined;
    const gone = new Promise((resolve) => thread.addEventListener("close", resolve));
    thread.postMessage({ kind: "close" } satisfies ToThread);
    await Promise.race([gone, Bun.sleep(CLOSE_DEADLINE_MS)]);
    thread.terminate();
  }

  get #waiting(): number {
    return this.#gathered.length + this.#underWay.length;
  }

  #handOver(): void {
    if (this.#gathered.length === 0) return;
    this.start();
    const writes = this.#gathered.map(({ write }) => write);
    this.#underWay.push(...this.#gathered);
    this.#gathered = [];
    this.#thread?.postMessage({ kind: "write", writes } satisfies ToThread);
  }

  #startThread(): Worker {
    const thread = new Worker(this.script);
    thread.addEventListener("message", ({ data }: MessageEvent<Outcome[]>) => {
      if (this.#thread !== thread) return;
      if (this.#outcomes.push(...data) === data.length) this.#settle();
    });
    thread.addEventListener("error", ({ message }) => this.#lose(thread, message));
    thread.addEventListener("close", () => this.#lose(thread, "it ended"));
    thread.postMessage({ kind: "open", path: this.path } satisfies ToThread);
    return thread;
  }

  /** Some in each turn of the event loop, until none is left. */
  #settle(): void {
    const outcomes = this.#outcomes.splice(0, SETTLED_AT_ONCE);
    if (this.#outcomes.length > 0) setImmediate(() => this.#settle());
    for (const outcome of outcomes) settle(this.#underWay.shift() as Asked, outcome);
    this.#noteIdle();
  }

  /** The thread is gone: nobody knows what became of what it had. The next write starts another. */
  #lose(thread: Worker, reason: string): void {
    if (this.#thread !== thread) return;
    this.#thread = undefined;
    thread.terminate();
    const lost = this.#underWay.splice(this.#outcomes.length);
    const error = new StoreUnavailable(`the writing thread was lost: ${reason}`, { changed: "unknown" });
    for (const { reject } of lost) reject(error);
    this.#noteIdle();
  }

  #noteIdle(): void {
    if (this.#waiting === 0) this.#whenIdle?.();
  }
}

function settle({ resolve, reject }: Asked, outcome: Outcome): void {
  if (outcome.kind === "done") resolve(outcome.result as never);
  else if (outcome.kind === "unavailable") reject(new StoreUnavailable(outcome.message));
  else reject(new Error(outcome.message));
}
