import { SpareFiles } from "../system/spare-files.ts";
import { withTimeout } from "../time/timeout.ts";
import { type Handlers, type Methods, Rpc } from "./rpc.ts";

/** The methods that every supervised thread has beside its own; runThread() provides them. */
export type Lifecycle<Data> = {
  /** Resolves when the thread answers calls. */
  start(data: Data): Promise<void>;
  /** Resolves when it has nothing left to do, and may be terminated. */
  close(): Promise<void>;
};

export interface SupervisedWorkerOptions<Data, Own extends Methods> {
  readonly script: string;
  readonly name: string;
  /** Sent to the thread, which starts with it. */
  readonly data: Data;
  /** The methods that the thread may call. */
  readonly handlers: Handlers<Own>;
  /** It could not start, has thrown, or has ended by itself. Called once, and not after end(). */
  readonly onDeath: (reason: Error) => void;
}

/** Bun opens two for a thread, and ends the process if it cannot; the others are for what is opened meanwhile. */
const FILES_TO_START = 4;

/** A thread that is started with some data, called, watched, and ended within a limit. */
export class SupervisedWorker<Data, Remote extends Methods, Own extends Methods> {
  /** Rejects when it could not start. */
  readonly started: Promise<void>;
  /** Calls the thread's own methods, and waits until it has started before that. */
  readonly remote: Rpc<Remote>;
  readonly #worker: Worker;
  readonly #rpc: Rpc<Lifecycle<Data>, Own>;
  hasStarted = false;
  #isEnding = false;

  /** Throws if too few files can be opened. */
  constructor({ script, name, data, handlers, onDeath }: SupervisedWorkerOptions<Data, Own>) {
    requireFiles();
    this.#worker = new Worker(script, { name });
    this.#rpc = new Rpc(this.#worker, handlers, (reason) => {
      this.#worker.terminate();
      if (!this.#isEnding) onDeath(reason);
    });
    this.remote = this.#rpc as unknown as Rpc<Remote>;
    this.#worker.addEventListener("error", ({ message }) => this.#rpc.end(new Error(message)));
    this.started = this.#rpc.call("start", data).then(() => {
      this.hasStarted = true;
    });
    this.started.catch((error: Error) => this.#rpc.end(error));
  }

  /** Lets it close, and terminates it when it has, or when time is up. */
  async end(timeoutMs: number): Promise<void> {
    this.#isEnding = true;
    const closed = this.#rpc.call("close").catch(() => {});
    await withTimeout(closed, timeoutMs);
    this.#rpc.end(new Error("it was closed"));
  }
}

function requireFiles(): void {
  const files = new SpareFiles(FILES_TO_START);
  const isEnough = files.refill();
  files.release();
  if (!isEnough) throw new Error("too few files can be opened for one more thread: raise their limit (ulimit -n)");
}
