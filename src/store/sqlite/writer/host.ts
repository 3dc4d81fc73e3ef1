import type { WriterSettings } from "./connection.ts";
import type { FromHandle, ToHandle, ToThread } from "./messages.ts";

export interface WriterHostOptions {
  /** Called when a thread starts, for what it opens. */
  readonly settings: () => Omit<WriterSettings, "isTrusted">;
  /** Returns false after a failed sync, until the database was opened again. */
  readonly isTrusted: () => boolean;
  /** The script of the thread. */
  readonly script?: string;
}

/** A disk that does not respond must not hold up a stop for ever. */
const CLOSE_TIMEOUT_MS = 5_000;

const WRITER_THREAD = new URL("./writer-thread.ts", import.meta.url).href;

/**
 * Starts the writer thread, and makes a port to it for the queue of each serving thread. The first request for a port
 * starts the thread, and after a loss the next request starts another.
 */
export class WriterHost {
  #thread: Worker | undefined;
  readonly #onLoss = new Set<(reason: string) => void>();

  constructor(private readonly options: WriterHostOptions) {}

  onLoss(listener: (reason: string) => void): void {
    this.#onLoss.add(listener);
  }

  /** A new port to the thread. Throws when that cannot be started. */
  newPort(): MessagePort {
    this.#thread ??= this.#start();
    const { port1, port2 } = new MessageChannel();
    this.#thread.postMessage({ kind: "connect", port: port2 } satisfies ToThread, [port2]);
    return port1;
  }

  /** Returns a port for a queue in another thread, through which that asks for ports to the writer. */
  newHandle(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    const tell = (reason: string) => port1.postMessage({ kind: "lost", reason } satisfies ToHandle);
    const leave = () => {
      this.#onLoss.delete(tell);
      port1.close();
    };
    port1.onmessage = ({ data }: { data: FromHandle }) => (data.kind === "request" ? this.#answer(port1) : leave());
    // A terminated thread cannot say that it leaves, but its ports are closed.
    port1.addEventListener("close", leave);
    this.onLoss(tell);
    return port2;
  }

  #answer(storeHandle: MessagePort): void {
    try {
      const port = this.newPort();
      storeHandle.postMessage({ kind: "port", port } satisfies ToHandle, [port]);
    } catch (error) {
      storeHandle.postMessage({ kind: "failed", reason: (error as Error).message } satisfies ToHandle);
    }
  }

  async close(): Promise<void> {
    const thread = this.#thread;
    if (!thread) return;
    this.#thread = undefined;
    const ended = new Promise((resolve) => thread.addEventListener("close", resolve));
    try {
      thread.postMessage({ kind: "close" } satisfies ToThread);
      await Promise.race([ended, Bun.sleep(CLOSE_TIMEOUT_MS)]);
    } catch {
      // It has ended by itself a moment ago.
    }
    thread.terminate();
  }

  #start(): Worker {
    const { settings, isTrusted, script = WRITER_THREAD } = this.options;
    const toOpen: WriterSettings = { ...settings(), isTrusted: isTrusted() };
    const thread = new Worker(script);
    thread.addEventListener("error", ({ message }) => this.#lose(thread, message));
    // Messages that it sent before may still be on their way.
    thread.addEventListener("close", () => setImmediate(() => this.#lose(thread, "it ended")));
    thread.postMessage({ kind: "open", settings: toOpen } satisfies ToThread);
    return thread;
  }

  #lose(thread: Worker, reason: string): void {
    if (this.#thread !== thread) return;
    this.#thread = undefined;
    thread.terminate();
    for (const listener of this.#onLoss) listener(reason);
  }
}
