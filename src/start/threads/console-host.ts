import { PrivateSocket } from "../../base/system/private-socket.ts";
import { MINUTE_MS } from "../../base/time/clock.ts";
import type { Handlers } from "../../base/worker/rpc.ts";
import { SupervisedWorker } from "../../base/worker/supervised-worker.ts";
import { newConsoleSecret } from "../../domain/console-session.ts";
import type { ConsoleEndpoint } from "../../http/pages/console/relay.ts";
import type { Log } from "../../telemetry/log.ts";
import type { Connections } from "../listening/connection-limit.ts";
import type { HostMethods } from "./threads.ts";

// The thread of the console, which the first thread of the service starts for all of them.

/** The methods of the console's thread. */
export type ConsoleThreadMethods = Connections & {
  /** Undefined: it has no port of its own. */
  address(): string | undefined;
  /** True: no request and no work in the background is in progress. */
  isIdle(): boolean;
};

export type ConsoleHostMethods = Pick<HostMethods, "log">;

interface ConsoleHostParts<Data> {
  /** Makes what the thread is started with. It listens on the endpoint; without one, on a port of its own. */
  readonly newData: (endpoint: ConsoleEndpoint | undefined) => Data;
  readonly handlers: Handlers<ConsoleHostMethods>;
  /** False: too few files can be opened for one more thread. */
  readonly hasRoom: () => boolean;
  readonly time: { monotonicMs(): number };
  readonly log: Log;
  readonly script: string;
  /** True: it has a port of its own, and runs as long as the service. */
  readonly isLasting: boolean;
  /** The interval of checks whether the console is still needed. */
  readonly checkIntervalMs?: number | undefined;
  /** The pause before one with a port of its own is started again. */
  readonly restartPauseMs?: number;
}

/** The thread ends after this time without a request. */
const IDLE_MS = 15 * MINUTE_MS;
const CHECK_INTERVAL_MS = MINUTE_MS;
const CLOSE_TIMEOUT_MS = 3_000;
/** A thread that cannot live must not be started without end. */
const RESTART_PAUSE_MS = 1_000;

interface Running<Data> {
  readonly thread: SupervisedWorker<Data, ConsoleThreadMethods, ConsoleHostMethods>;
  /** Undefined: it has a port of its own. */
  readonly socket: PrivateSocket | undefined;
  readonly password: string;
}

export class ConsoleHost<Data> {
  #running: Running<Data> | undefined;
  #usedAtMs = 0;
  #diedAtMs = Number.NEGATIVE_INFINITY;
  #isClosed = false;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly parts: ConsoleHostParts<Data>) {}

  /** Resolves to where it listens, as soon as it does. */
  readonly open = async (): Promise<ConsoleEndpoint> => {
    const { thread, socket, password } = this.#run();
    if (!socket) throw new Error("it has a port of its own");
    await thread.started;
    return { socket: socket.address, password };
  };

  /** Starts one that has a port of its own. Returns its address. */
  async start(): Promise<string | undefined> {
    return this.#run().thread.remote.call("address");
  }

  limit(areLimited: boolean): void {
    this.#running?.thread.remote.notify("limit", areLimited);
  }

  renew(): void {
    this.#running?.thread.remote.notify("renew");
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#stop();
  }

  #run(): Running<Data> {
    if (this.#isClosed) throw new Error("the service is stopping");
    const nowMs = this.parts.time.monotonicMs();
    this.#usedAtMs = nowMs;
    if (!this.#running && !this.parts.isLasting && nowMs - this.#diedAtMs < RESTART_PAUSE_MS)
      throw new Error("it has ended a moment ago");
    this.#running ??= this.#startThread();
    return this.#running;
  }

  #startThread(): Running<Data> {
    if (!this.parts.hasRoom())
      throw new Error("too few files can be opened for the console: raise their limit (ulimit -n)");
    const socket = this.parts.isLasting ? undefined : new PrivateSocket();
    try {
      return this.#startThreadOn(socket);
    } catch (error) {
      socket?.close();
      throw error;
    }
  }

  #startThreadOn(socket: PrivateSocket | undefined): Running<Data> {
    const { newData, handlers, script, isLasting, checkIntervalMs = CHECK_INTERVAL_MS } = this.parts;
    const password = newConsoleSecret();
    const thread = new SupervisedWorker<Data, ConsoleThreadMethods, ConsoleHostMethods>({
      script,
      name: "console",
      data: newData(socket && { socket: socket.path, password }),
      handlers,
      onDeath: ({ message }) => this.#bury(running, message),
    });
    const running = { thread, socket, password };
    if (!isLasting) this.#timer ??= setInterval(() => void this.#endIfIdle(), checkIntervalMs).unref();
    return running;
  }

  #bury(running: Running<Data>, reason: string): void {
    if (this.#running === running) this.#running = undefined;
    this.#diedAtMs = this.parts.time.monotonicMs();
    running.socket?.close();
    if (this.#isClosed) return;
    this.parts.log.error({ reason }, "the thread of the console has ended: it is started again when it is needed");
    if (this.parts.isLasting && running.thread.hasStarted) this.#restartSoon();
  }

  /** No request could start one with a port of its own. */
  #restartSoon(): void {
    setTimeout(() => {
      if (this.#isClosed) return;
      // Its failure is logged, and the next attempt follows.
      this.start().catch(() => this.#restartSoon());
    }, this.parts.restartPauseMs ?? RESTART_PAUSE_MS).unref();
  }

  async #endIfIdle(): Promise<void> {
    const running = this.#running;
    const isUnused = () => this.parts.time.monotonicMs() - this.#usedAtMs >= IDLE_MS;
    if (!running || !isUnused()) return;
    const isIdle = await running.thread.remote.call("isIdle").catch(() => false);
    if (!isIdle || !isUnused() || this.#running !== running) return;
    await this.#stop();
    this.parts.log.info(
      `the console was not used for ${IDLE_MS / MINUTE_MS} minutes: its thread has ended, and the next request starts it`,
    );
  }

  async #stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    await running?.thread.end(CLOSE_TIMEOUT_MS);
    running?.socket?.close();
  }
}
