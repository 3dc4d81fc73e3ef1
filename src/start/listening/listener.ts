import type { Server } from "bun";
import { reachableHost } from "../../base/system/reachable-host.ts";
import { STARTING } from "../../http/faults/faults.ts";
import { publicError } from "../../http/pages/page.ts";
import type { Handlers } from "../../http/pipeline/handler.ts";
import { ending } from "./ending.ts";
import { finish } from "./finish.ts";
import { sharePort } from "./share-port.ts";

/** Limits requests in progress when their port is opened anew: longer than a write waits for a lock. */
const RENEWAL_TIMEOUT_MS = 3_000;

export class Listener {
  #server: Server<undefined>;
  /** Kept here, since a stopped server has none. */
  readonly port: number;
  #handlers: Handlers = { fetch: () => publicError(STARTING) };
  #isClosing = false;
  /** The requests that have arrived while it was closing. */
  arrivals = 0;
  readonly #finishing = new Set<Promise<void>>();
  #hasFailedToRenew = false;

  /** `bind` opens the port; port 0 is any free one, and the same one ever after. */
  constructor(
    private readonly hostname: string,
    port: number,
    public isShared: boolean,
    private readonly bind: (port: number, isShared: boolean) => Server<undefined>,
  ) {
    this.#server = bind(port, isShared);
    this.port = this.#server.port as number;
    this.#answer();
  }

  /** An address that clients on this machine can use, even when it listens on all addresses. */
  get origin(): string {
    return `http://${reachableHost(this.hostname)}:${this.port}`;
  }

  /** Lets other threads listen on the same port. Returns whether the system can do that. */
  share(): boolean {
    this.isShared = sharePort(this.port);
    return this.isShared;
  }

  /** Sets the handlers; until then, the answer is 503. */
  serve(handlers: Handlers): void {
    this.#handlers = handlers;
    this.#answer();
  }

  /** While it is closing, every request that arrives gets the last response of its connection. */
  set isClosing(isClosing: boolean) {
    if (isClosing === this.#isClosing) return;
    this.#isClosing = isClosing;
    this.#answer();
  }

  /** Requests that arrive from now on are answered when the function that it returns is called. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#answer(promise);
    return resolve;
  }

  #answer(released?: Promise<void>): void {
    const count = () => void this.arrivals++;
    this.#server.reload(this.#isClosing ? ending(this.#handlers, count, released) : this.#handlers);
  }

  /** Closes the connections between two requests. */
  closeIdle(): void {
    this.#server.closeIdleConnections();
  }

  /**
   * Also closes connections that have not sent a whole request. Bun closes them only together with their port, so it is
   * opened once more, and then closed. Call it again if it fails: all files may be open, so the port is closed first.
   */
  renew(): void {
    const previous = this.#server;
    if (this.#hasFailedToRenew) this.#retire(previous);
    this.#hasFailedToRenew = true;
    this.isShared ||= sharePort(this.port);
    this.#server = this.bind(this.port, this.isShared);
    this.#answer();
    this.#hasFailedToRenew = false;
    this.#retire(previous);
  }

  #retire(server: Server<undefined>): void {
    const finishing = finish(server, RENEWAL_TIMEOUT_MS).finally(() => this.#finishing.delete(finishing));
    this.#finishing.add(finishing);
  }

  /** Closes the port at once, and all connections when the requests in progress are answered, or time is up. */
  async finish(timeoutMs: number): Promise<void> {
    await Promise.all([finish(this.#server, timeoutMs), ...this.#finishing]);
  }
}
