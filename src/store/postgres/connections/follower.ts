import type { SQL } from "bun";
import { withTimeout } from "../../../base/time/timeout.ts";
import type { Pool } from "./pool.ts";

/** The pause between two looks, each of which costs the server a connection. */
export const LOOK_INTERVAL_MS = 2_000;
const LOOK_TIMEOUT_MS = 2_000;

/** The mode is "on" for a replica, and for a primary that is set to be read-only. */
export const READ_ONLY_MODE = "current_setting('transaction_read_only') AS mode";

/**
 * Lets the connections of a pool follow an address that is moved from a primary that was demoted. Its connections would
 * stay open, and go on answering reads: so while their server takes no writes, a new connection looks again and again
 * whether the address leads to one that does. A pool that is meant for a replica keeps its connections.
 */
export class Follower {
  #nextLookMs = Number.NEGATIVE_INFINITY;
  #looking: SQL | undefined;
  #isClosed = false;

  constructor(
    private readonly pool: Pick<Pool, "newClient" | "replaceConnections">,
    private wasReadOnly: boolean,
  ) {}

  /** To be told again and again what a connection of the pool has said. It never throws. */
  noteMode(isReadOnly: boolean, nowMs = performance.now()): void {
    // After a change, connections may lead to different servers.
    if (isReadOnly !== this.wasReadOnly) this.pool.replaceConnections();
    else if (isReadOnly && !this.#looking && nowMs >= this.#nextLookMs && !this.#isClosed) void this.#look();
    else return;
    this.wasReadOnly = isReadOnly;
    this.#nextLookMs = nowMs + LOOK_INTERVAL_MS;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#looking?.close({ timeout: 0 }).catch(() => {});
  }

  async #look(): Promise<void> {
    const client = this.pool.newClient();
    this.#looking = client;
    try {
      const answer = await withTimeout<Row[]>(client.unsafe(`SELECT ${READ_ONLY_MODE}`), LOOK_TIMEOUT_MS);
      if (answer?.value[0]?.mode === "off" && !this.#isClosed) this.pool.replaceConnections();
    } catch {
      // The address leads nowhere for now, so there is nothing to follow yet.
    } finally {
      this.#looking = undefined;
      await client.close({ timeout: 0 }).catch(() => {});
    }
  }
}

interface Row {
  readonly mode: string;
}
