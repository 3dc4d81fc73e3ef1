import { OperatorError } from "../../../base/operator-error.ts";
import type { Connection } from "./connection.ts";

/** How long a migration waits for others. */
export interface Patience {
  /** For a lock on a table at a time: whoever comes later waits behind it, reads included. */
  readonly lockTimeoutMs: number;
  /** For such a lock in all. */
  readonly limitMs: number;
  /** For another process that migrates. */
  readonly migratorLimitMs: number;
}

export const PATIENCE: Patience = { lockTimeoutMs: 200, limitMs: 60_000, migratorLimitMs: 600_000 };

const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 2_000;

/** A lock that was not obtained in time, a deadlock, a conflict: nothing was changed, and it can be tried again. */
const CONTENTION = /^(55P03|40P01|40001)$/;

interface ProcessRow {
  readonly pid: number;
  readonly application_name: string;
  /** Null for a role that may not know. */
  readonly seconds: number | null;
}

const processText = ({ pid, application_name, seconds }: ProcessRow): string =>
  `process ${pid}${application_name ? ` (${application_name})` : ""}${seconds === null ? "" : `, in a transaction for ${seconds} s`}`;

/** Names the processes that a condition on pg_stat_activity selects, or nothing if there are none. */
export async function processesWhere({ run }: Connection, condition: string): Promise<string> {
  const rows = await run<ProcessRow>(
    `SELECT pid, application_name, extract(epoch FROM clock_timestamp() - xact_start)::int AS seconds
      FROM pg_stat_activity WHERE ${condition} ORDER BY xact_start LIMIT 3`,
  );
  return rows.map(processText).join("; ");
}

interface LockWaitParts extends Patience {
  /** Looks at who holds a lock, while the migration waits for it. In no transaction: an index waits for all that read. */
  readonly observer: () => Promise<Connection>;
  /** Of the backend that waits. */
  readonly pid: number;
  readonly onProgress: (message: string) => void;
}

/** Waiting for locks without making others wait: in short attempts, with pauses in which everybody else gets through. */
export class LockWait {
  readonly lockTimeoutMs: number;
  readonly limitMs: number;
  #holders = "unknown";

  constructor(private readonly parts: LockWaitParts) {
    this.lockTimeoutMs = parts.lockTimeoutMs;
    this.limitMs = parts.limitMs;
  }

  /** Runs work, whose lock timeout is the short one, until it obtains its locks. */
  async briefly<T>(who: string, work: () => Promise<T>): Promise<T> {
    const deadlineMs = performance.now() + this.limitMs;
    let pauseMs = FIRST_PAUSE_MS;
    for (let tries = 1; ; tries++) {
      try {
        return await this.#observed(this.lockTimeoutMs / 2, work);
      } catch (error) {
        if (!isContention(error)) throw error;
        if (performance.now() >= deadlineMs) throw this.#gaveUp(who);
        if (tries === 1) this.parts.onProgress(`${who} waits for a lock, held by ${this.#holders}`);
      }
      await Bun.sleep(Math.min(pauseMs, Math.max(0, deadlineMs - performance.now())));
      pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
    }
  }

  /** Runs work, whose lock timeout is the limit: for what makes nobody else wait. */
  async patiently<T>(who: string, work: () => Promise<T>): Promise<T> {
    try {
      return await this.#observed(this.limitMs / 2, work);
    } catch (error) {
      throw isContention(error) ? this.#gaveUp(who) : error;
    }
  }

  async #observed<T>(everyMs: number, work: () => Promise<T>): Promise<T> {
    let looking = Promise.resolve();
    const timer = setInterval(() => {
      looking = this.#look();
    }, everyMs);
    try {
      return await work();
    } finally {
      clearInterval(timer);
      await looking;
    }
  }

  async #look(): Promise<void> {
    const { observer, pid } = this.parts;
    try {
      const found = await processesWhere(await observer(), `pid = ANY(pg_blocking_pids(${pid}))`);
      if (found !== "") this.#holders = found;
    } catch {
      // Who it is remains unknown, which is no reason not to wait.
    }
  }

  #gaveUp(who: string): OperatorError {
    return new OperatorError(
      `${who} waited ${Math.round(this.limitMs / 1000)} s for a lock, held by ${this.#holders}: end that, and run animal-store migrate again`,
    );
  }
}

const isContention = (error: unknown): boolean => CONTENTION.test((error as { errno?: string } | null)?.errno ?? "");
