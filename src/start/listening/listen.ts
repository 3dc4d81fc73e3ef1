import type { Server } from "bun";
import { OperatorError } from "../../base/operator-error.ts";
import { SpareFiles } from "../../base/system/spare-files.ts";
import { Drain, type DrainStep } from "./drain.ts";
import { Listener } from "./listener.ts";

const IDLE_TIMEOUT_SECONDS = 30;
const QUIET_MS = 50;
/** A backstop: our own limits are far lower. Beyond it, Bun answers by itself, without an Error body. */
export const REQUEST_MAX_BYTES = 32 * 1024 * 1024;

/** Options of Bun.serve that a port may have of its own. */
interface PortOptions {
  readonly idleTimeout?: number;
  readonly maxRequestBodySize?: number;
}

const RENEWAL_PAUSE_MS = 100;
/** To open a port once more takes one, before that its descriptor is looked for, and one is in case of others. */
const FILES_TO_RENEW = 2;

/** The ports that a service listens on. */
export class Listeners {
  readonly #listeners: Listener[] = [];
  #isStopping = false;
  #areLimited = false;
  #drains: readonly Drain[] | undefined;
  /** The listeners that a failed renewal has left to do. */
  #renewable: Listener[] | undefined;
  /** With these, a port can be renewed when all files are open. */
  readonly #spareFiles = new SpareFiles(FILES_TO_RENEW);

  /** `quietMs`: how long no request may have arrived before a stop closes idle connections. */
  constructor(
    private readonly opened: AsyncDisposableStack,
    private readonly quietMs = QUIET_MS,
  ) {
    this.#spareFiles.refill();
    opened.defer(() => this.#spareFiles.release());
  }

  /** `isShared`: other threads listen on the same port. Fails with an OperatorError that names the setting. */
  listen(hostname: string, port: number, setting: string, isShared = false, options: PortOptions = {}): Listener {
    const listener = new Listener(hostname, port, isShared, (...where) => bind(hostname, setting, ...where, options));
    this.#listeners.push(listener);
    this.opened.defer(() => listener.finish(0));
    return listener;
  }

  /** True: every response is the last one of its connection. */
  get areClosing(): boolean {
    return this.#isStopping || this.#areLimited;
  }

  /** While they are limited, connections end with their next response, and idle ones end now. */
  limit(areLimited: boolean): void {
    this.#areLimited = areLimited;
    this.#tellListeners();
    this.#spareFiles.refill();
    // A stop closes idle connections itself, when no request is on its way in them.
    if (!areLimited || this.#drains) return;
    for (const listener of this.#listeners) listener.closeIdle();
  }

  /** Closes the connections that have not sent a whole request. Call it again if it fails. */
  renew(): void {
    if (this.#drains) return;
    this.#renewable ??= [...this.#listeners];
    let failure: unknown;
    this.#renewable = this.#renewable.filter((listener) => {
      this.#spareFiles.release();
      try {
        listener.renew();
        return false;
      } catch (error) {
        failure = error;
        return true;
      } finally {
        this.#spareFiles.refill();
      }
    });
    if (this.#renewable.length > 0) throw failure;
    this.#renewable = undefined;
  }

  /** Renews now or, if all files are open at the moment, a little later. For a thread that another one tells to. */
  renewSoon(): void {
    try {
      this.renew();
    } catch {
      setTimeout(() => this.renewSoon(), RENEWAL_PAUSE_MS).unref();
    }
  }

  /** Connections are still accepted, but from now on each of them ends with its next response. */
  announceStop(): void {
    this.#isStopping = true;
    this.#tellListeners();
  }

  /**
   * After the last step, every request that was sent before is answered; a connection that has only begun to send one
   * does not delay it.
   */
  async takeStep(step: DrainStep): Promise<void> {
    this.announceStop();
    this.#drains ??= this.#listeners.map((listener) => new Drain(listener, this.quietMs));
    await Promise.all(this.#drains.map((drain) => drain[step]()));
  }

  #tellListeners(): void {
    for (const listener of this.#listeners) listener.isClosing = this.areClosing;
  }
}

/** Opens a port. Fails with an OperatorError that names the setting. */
export function bind(
  hostname: string,
  setting: string,
  port: number,
  isShared = false,
  options: PortOptions = {},
): Server<undefined> {
  try {
    return Bun.serve({
      hostname,
      port,
      // Without `false`, `development: false` silently lets a second process share the port.
      reusePort: isShared,
      development: false,
      idleTimeout: IDLE_TIMEOUT_SECONDS,
      maxRequestBodySize: REQUEST_MAX_BYTES,
      // The listener replaces it before anyone can ask.
      fetch: () => new Response(),
      ...options,
    });
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code === "EADDRINUSE")
      throw new OperatorError(`port ${port} on ${hostname} is in use: stop what uses it, or set ${setting}`);
    throw new OperatorError(
      `cannot listen on ${hostname}, port ${port}: ${message}. ${setting.replace("PORT", "HOST")} must be an address of this machine, and ${setting} a port that you may use`,
    );
  }
}
