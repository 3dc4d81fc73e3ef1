import { OperatorError } from "../../../base/operator-error.ts";
import type { Connection } from "./connection.ts";

/** The limits of a migration's waits for others. */
export const PATIENCE = {
  /** Limits one attempt to lock a table: later statements queue behind it, reads included. */
  lockTimeoutMs: 200,
  /** Limits all attempts for such a lock together. */
  limitMs: 60_000,
  /** Limits the wait for another process that migrates. */
  migratorLimitMs: 600_000,
};

export type Patience = typeof PATIENCE;

/** Sessions beside the one that migrates. */
export const BESIDE = { application_name: "animal-store migrate" };

const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 2_000;

/** A lock timeout, a deadlock or a conflict: nothing was changed, and it can be tried again. */
const CONTENTION = /^(55P03|40P01|40001)$/;

interface ProcessRow {
  readonly pid: number;
  readonly application_name: string;
  /** Null if the role may not see it. */
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
  /** Reads who holds a lock that the migration waits for. In no transaction: an index waits for all of those. */
  readonly observer: () => Promise<Connection>;
  /** The id of the backend that waits. */
  readonly pid: number;
  readonly onProgress: (message: string) => void;
}

const UNKNOWN = "unknown";

/** Waits for locks without blocking others: in short attempts, with pauses in which everybody else gets through. */
export class LockWait {
  #holders = UNKNOWN;

  constructor(readonly parts: LockWaitParts) {}

  /** Runs work with the short lock timeout, again and again until it obtains its locks. */
  async briefly<T>(who: string, work: () => Promise<T>): Promise<T> {
    const deadlineMs = performance.now() + this.parts.limitMs;
    let pauseMs = FIRST_PAUSE_MS;
    let told: string | undefined;
    for (;;) {
      try {
        return await this.#observed(this.parts.lockTimeoutMs / 2, work);
      } catch (error) {
        if (!isContention(error)) throw error;
        if (performance.now() >= deadlineMs) throw this.#gaveUp(who);
        // Told once, and once more if it was not known yet by whom.
        if (told === undefined || (told === UNKNOWN && this.#holders !== UNKNOWN))
          this.parts.onProgress(`${who} waits for a lock, held by ${this.#holders}`);
        told = this.#holders;
      }
      await Bun.sleep(Math.min(pauseMs, Math.max(0, deadlineMs - performance.now())));
      pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
    }
  }

  /** Runs work with the whole limit as its lock timeout: for statements that block nobody. */
  async patiently<T>(who: string, work: () => Promise<T>): Promise<T> {
    try {
      return await this.#observed(this.parts.limitMs / 2, work);
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
      // The holder remains unknown, which is no reason not to wait.
    }
  }

  #gaveUp(who: string): OperatorError {
    return new OperatorError(
      `${who} waited ${Math.round(this.parts.limitMs / 1000)} s for a lock, held by ${this.#holders}`,
      { kind: "migrate_after_lock" },
    );
  }
}

const isContention = (error: unknown): boolean => CONTENTION.test((error as { errno?: string } | null)?.errno ?? "");
