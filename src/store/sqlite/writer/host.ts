import { Rpc, transfer } from "../../../base/worker/rpc.ts";
import { SupervisedWorker } from "../../../base/worker/supervised-worker.ts";
import type { WriterSettings } from "./connection.ts";
import type { HandleMethods, HostMethods, WriterMethods } from "./messages.ts";

/** A disk that does not respond must not hold up a stop for ever. */
const CLOSE_TIMEOUT_MS = 5_000;

const WRITER_THREAD = new URL("./writer-thread.ts", import.meta.url).href;

/**
 * Starts the writer thread, and makes a port to it for the queue of each serving thread. The first request for a port
 * starts the thread, and after a loss the next request starts another.
 */
export class WriterHost {
  #thread: SupervisedWorker<WriterSettings, WriterMethods, Record<never, never>> | undefined;
  readonly #onLoss = new Set<(reason: string) => void>();

  constructor(
    /** Called when a thread starts, for what it opens. */
    private readonly settings: () => WriterSettings,
    private readonly script = WRITER_THREAD,
  ) {}

  onLoss(listener: (reason: string) => void): void {
    this.#onLoss.add(listener);
  }

  /** A new port to the thread. Throws when that cannot be started. */
  readonly newPort = (): MessagePort => {
    this.#thread ??= this.#start();
    const { port1, port2 } = new MessageChannel();
    this.#thread.remote.notify("connect", transfer(port2, [port2]));
    return port1;
  };

  /** Returns a port for a queue in another thread, through which that asks for ports to the writer. */
  newHandle(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    const newPort = () => {
      const port = this.newPort();
      return transfer(port, [port]);
    };
    // The port is closed also when the other thread is terminated.
    const handle = new Rpc<HandleMethods, HostMethods>(port1, { newPort }, () => this.#onLoss.delete(tell));
    const tell = (reason: string) => handle.notify("lose", reason);
    this.onLoss(tell);
    return port2;
  }

  async close(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.end(CLOSE_TIMEOUT_MS);
  }

  #start(): SupervisedWorker<WriterSettings, WriterMethods, Record<never, never>> {
    return new SupervisedWorker({
      script: this.script,
      name: "writer",
      data: this.settings(),
      handlers: {},
      onDeath: ({ message }) => {
        this.#thread = undefined;
        for (const listener of this.#onLoss) listener(message);
      },
    });
  }
}
