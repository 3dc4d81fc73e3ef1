import { MINUTE_MS } from "../../base/time/clock.ts";
import { newConsoleSecret } from "../../domain/console-session.ts";
import type { ConsoleEndpoint } from "../../http/pages/console/relay.ts";
import type { Log } from "../../telemetry/log.ts";
import { Calls } from "./calls.ts";
import type { HostMethods } from "./threads.ts";

// The thread of the console, which the first thread of the service starts for all of them.

/** What the first thread calls in it. */
export type ConsoleThreadMethods<Blueprint> = {
  /** Resolves when it answers requests, with the address if it has a port of its own. */
  start(blueprint: Blueprint): Promise<string | undefined>;
  /** Whether nothing goes on in it. */
  isIdle(nothing: undefined): boolean;
  close(nothing: undefined): Promise<void>;
};

/** Plain data, but for the port of a handle at an embedded store. */
interface Sendable {
  readonly storeHandle: { readonly port?: MessagePort | undefined };
}

export interface ConsoleHostParts<Blueprint> {
  /** What it is made from: it listens on the socket, unless it has a port of its own. */
  readonly newBlueprint: (endpoint: ConsoleEndpoint) => Blueprint;
  readonly methods: Pick<HostMethods, "log">;
  readonly time: { monotonicMs(): number };
  readonly log: Log;
  /** What the thread runs. */
  readonly script: string;
  /** Whether it runs as long as the service: it has a port of its own. */
  readonly isLasting: boolean;
  /** How often is looked whether it is still needed. */
  readonly checkIntervalMs?: number | undefined;
  /** After which one with a port of its own is started again. */
  readonly restartPauseMs?: number;
}

/** It ends when it has not been asked for anything for so long. */
const IDLE_MS = 15 * MINUTE_MS;
const CHECK_INTERVAL_MS = MINUTE_MS;
const CLOSE_TIMEOUT_MS = 3_000;
/** A thread that cannot live must not be started without end. */
const RESTART_PAUSE_MS = 1_000;

interface Running {
  readonly worker: Worker;
  readonly endpoint: ConsoleEndpoint;
  readonly folder: string | undefined;
  /** Resolves when it answers. */
  readonly started: Promise<string | undefined>;
  readonly end: (reason: string) => void;
}

export class ConsoleHost<Blueprint extends Sendable> {
  #running: (Running & { readonly calls: Calls<ConsoleThreadMethods<Blueprint>> }) | undefined;
  #usedAtMs = 0;
  #crashedAtMs = Number.NEGATIVE_INFINITY;
  #isClosed = false;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly parts: ConsoleHostParts<Blueprint>) {}

  /** Where it listens, as soon as it does. */
  readonly open = async (): Promise<ConsoleEndpoint> => {
    const running = this.#run();
    await running.started;
    return running.endpoint;
  };

  /** Starts one that has a port of its own. Returns its address. */
  async start(): Promise<string | undefined> {
    return this.#run().started;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#stop();
  }

  #run() {
    if (this.#isClosed) throw new Error("the service is stopping");
    const nowMs = this.parts.time.monotonicMs();
    this.#usedAtMs = nowMs;
    if (!this.#running && !this.parts.isLasting && nowMs - this.#crashedAtMs < RESTART_PAUSE_MS)
      throw new Error("it has ended a moment ago");
    this.#running ??= this.#startThread();
    return this.#running;
  }

  #startThread() {
    const { newBlueprint, methods, script, log, isLasting } = this.parts;
    const { socket, folder } = newSocket();
    const endpoint = { socket, password: newConsoleSecret() };
    // First of all, as it may fail.
    const blueprint = newBlueprint(endpoint);
    const worker = new Worker(script, { name: "console" });
    const calls = new Calls<ConsoleThreadMethods<Blueprint>>(worker, methods);
    const end = (reason: string): void => {
      if (this.#running !== running) return;
      this.#running = undefined;
      this.#crashedAtMs = this.parts.time.monotonicMs();
      calls.end(new Error(reason));
      worker.terminate();
      remove(folder);
      if (this.#isClosed) return;
      log.error({ reason }, "the thread of the console has ended: it is started again when it is needed");
      if (isLasting && hasStarted) this.#restartSoon();
    };
    worker.addEventListener("error", ({ message }) => end(message));
    worker.addEventListener("close", () => end("it closed"));
    let hasStarted = false;
    const { port } = blueprint.storeHandle;
    const started = calls.call("start", blueprint, port ? [port] : []).then(
      (address) => {
        hasStarted = true;
        return address;
      },
      (error: Error) => {
        end(error.message);
        throw error;
      },
    );
    const running = { worker, calls, endpoint, folder, started, end };
    if (!isLasting) this.#timer ??= this.#watch();
    return running;
  }

  /** One with a port of its own: there is no request that could start it. */
  #restartSoon(): void {
    const timer = setTimeout(() => {
      if (this.#isClosed) return;
      // Its failure is logged, and the next attempt follows.
      this.start().catch(() => this.#restartSoon());
    }, this.parts.restartPauseMs ?? RESTART_PAUSE_MS);
    timer.unref();
  }

  #watch(): ReturnType<typeof setInterval> {
    const timer = setInterval(() => void this.#endIfIdle(), this.parts.checkIntervalMs ?? CHECK_INTERVAL_MS);
    timer.unref();
    return timer;
  }

  async #endIfIdle(): Promise<void> {
    const running = this.#running;
    const isUnused = () => this.parts.time.monotonicMs() - this.#usedAtMs >= IDLE_MS;
    if (!running || !isUnused()) return;
    const isIdle = await running.calls.call("isIdle", undefined).catch(() => false);
    if (!isIdle || !isUnused() || this.#running !== running) return;
    await this.#stop();
    this.parts.log.info(
      `the console was not used for ${IDLE_MS / MINUTE_MS} minutes: its thread has ended, and the next request starts it`,
    );
  }

  async #stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    if (!running) return;
    const closed = running.started.then(() => running.calls.call("close", undefined)).catch(() => {});
    await Promise.race([closed, Bun.sleep(CLOSE_TIMEOUT_MS)]);
    running.worker.terminate();
    running.calls.end(new Error("it was closed"));
    remove(running.folder);
  }
}

/** On Linux it needs no file, so that a read-only disk is enough, and nothing is left behind by a process that is killed. */
function newSocket(): { readonly socket: string; readonly folder: string | undefined } {
  if (process.platform === "linux")
    return { socket: `\0animal-store-console-${crypto.randomUUID()}`, folder: undefined };
  const { fs, os } = modules();
  const folder = fs.mkdtempSync(`${os.tmpdir()}/animal-store-`);
  return { socket: `${folder}/console`, folder };
}

function remove(folder: string | undefined): void {
  if (folder !== undefined) modules().fs.rmSync(folder, { recursive: true, force: true });
}

/** A start takes no longer for what it does not need. */
const modules = () => ({ fs: process.getBuiltinModule("node:fs"), os: process.getBuiltinModule("node:os") });
