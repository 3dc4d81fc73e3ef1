import type { SQL } from "bun";
import type { ClientMaker, SessionSettings } from "./client.ts";

/** A connection that was idle for longer may be dead unnoticed, so it is checked before use. */
const IDLE_TRUST_MS = 2_000;

/** A pool opens one connection at a time: an attempt that hangs would keep it from a server that is back. */
export const MAX_CONNECT_SECONDS = 2;

/** The least age at which a connection is retired: if all servers are read-only, each write would cost one. */
const MIN_AGE_MS = 1_000;

export interface LinkEvents {
  opened(link: Link): void;
  /** The connection could not be opened, or was lost. */
  closed(link: Link, error: Error, wasOpen: boolean): void;
}

/** One connection of a pool, from its opening to its end; it is never opened again. */
export class Link {
  readonly sql: SQL;
  /** Statements without an answer yet, and how many of them write. */
  inFlight = 0;
  writes = 0;
  /** A transaction has the connection, or is about to. */
  isReserved = false;
  /** Start of a check that has no answer yet. */
  checkedSinceMs: number | undefined;
  #state: "opening" | "open" | "closed" = "opening";
  #isRetired = false;
  #retirement: Timer | undefined;
  #openedMs = 0;
  #idleSinceMs = 0;

  constructor(
    /** The name by which the server tells this connection from others. */
    readonly name: string,
    makeClient: ClientMaker,
    settings: SessionSettings,
    private readonly events: LinkEvents,
  ) {
    this.sql = makeClient({
      settings: { ...settings, application_name: name },
      maxConnectSeconds: MAX_CONNECT_SECONDS,
      onClose: (error) => this.#closed(error ?? new Error("the connection was closed")),
    });
    this.sql.connect().then(this.#opened, this.#closed);
  }

  get isOpen(): boolean {
    return this.#state === "open";
  }

  get isOpening(): boolean {
    return this.#state === "opening";
  }

  get isChecking(): boolean {
    return this.checkedSinceMs !== undefined;
  }

  /** A statement may be sent now. */
  isFree(nowMs: number): boolean {
    return this.#isAvailable && (this.inFlight > 0 || nowMs - this.#idleSinceMs < IDLE_TRUST_MS);
  }

  /** It could be used if a check succeeded. */
  isStale(nowMs: number): boolean {
    return this.#isAvailable && !this.isFree(nowMs);
  }

  get #isAvailable(): boolean {
    return this.#state === "open" && !this.isReserved && !this.isChecking && !this.#isRetired;
  }

  check(nowMs: number): void {
    this.checkedSinceMs = nowMs;
    this.sql.unsafe("SELECT 1", []).then(this.#checked, () => this.close());
  }

  sent(writes: boolean): void {
    this.inFlight++;
    if (writes) this.writes++;
  }

  answered(writes: boolean, nowMs: number): void {
    this.inFlight--;
    if (writes) this.writes--;
    this.#idleSinceMs = nowMs;
    if (this.#isRetired && this.inFlight === 0) this.close();
  }

  /** Takes nothing new, and closes once everything is answered; a connection that is new waits a while longer. */
  retire(nowMs: number): void {
    if (this.#state !== "open" || this.#retirement) return;
    const delayMs = this.#openedMs + MIN_AGE_MS - nowMs;
    if (delayMs > 0) this.#retirement = setTimeout(this.#retireNow, delayMs).unref();
    else this.#retireNow();
  }

  readonly #retireNow = (): void => {
    if (this.#state !== "open") return;
    this.#isRetired = true;
    if (this.inFlight === 0) this.close();
  };

  /** Another connection was lost: this one is checked before it is used again. */
  suspect(): void {
    this.#idleSinceMs = Number.NEGATIVE_INFINITY;
  }

  /** Statements without an answer fail. */
  close(): void {
    this.#closed(new Error("the connection was given up"));
  }

  /** Lets statements end first. */
  async end(timeoutSeconds: number): Promise<void> {
    this.#state = "closed";
    await this.sql.close({ timeout: timeoutSeconds });
  }

  readonly #opened = (): void => {
    if (this.#state !== "opening") return;
    this.#state = "open";
    this.#openedMs = this.#idleSinceMs = performance.now();
    this.events.opened(this);
  };

  readonly #checked = (): void => {
    this.checkedSinceMs = undefined;
    this.#idleSinceMs = performance.now();
    if (this.#state === "open") this.events.opened(this);
  };

  readonly #closed = (error: Error): void => {
    if (this.#state === "closed") return;
    const wasOpen = this.#state === "open";
    this.#state = "closed";
    this.sql.close({ timeout: 0 }).catch(() => {});
    this.events.closed(this, error, wasOpen);
  };
}
