import { Mistake } from "../../../base/mistake.ts";
import { withTimeout } from "../../../base/time/timeout.ts";
import { parsePostgresUrl } from "../../urls/postgres-url.ts";
import { noAnswer } from "./client.ts";
import { type Connection, openSession, type Session } from "./connection.ts";
import { BESIDE } from "./lock-wait.ts";
import { sqlStateOf } from "./sql-state.ts";

/** One look may be wrong: while this process stood still, its sessions were idle. */
const MISSES = 2;

/** A process that waits for its client this long has not received what was sent to it, or its answer was lost. */
const AT_WORK = `SELECT 1 FROM pg_stat_activity WHERE pid = $1
  AND (state IN ('active', 'disabled') OR clock_timestamp() - state_change < $2 * interval '1 ms')`;

export interface WatchOptions {
  readonly answerTimeoutMs: number;
  readonly lookIntervalMs: number;
}

/** Waits for statements that may take long, as long as the server is at work on them: it looks on other connections. */
export class Watch {
  /** The process of the server that is at work, once it has told its id. */
  #pid: number | undefined;
  /** Aborted: nobody is at work any more, and nothing else is waited for. */
  readonly #lost = new AbortController();

  constructor(
    private readonly url: string,
    private readonly options: WatchOptions,
  ) {}

  /** From now on, this session is the one that answers are awaited from. Returns the id of its process. */
  async on(session: Connection): Promise<number> {
    this.#pid = undefined;
    const [row] = await session.run<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    this.#pid = row?.pid;
    return row?.pid ?? 0;
  }

  /**
   * Fails with an OperatorError if nobody is at work any more; the work may then hang until its sessions are closed.
   * `isOurTurn`: it is the work that lets the server wait.
   */
  async during<T>(work: Promise<T>, isOurTurn = () => false): Promise<T> {
    for (let misses = 0; misses < MISSES; ) {
      // After one of its statements was given up, a transaction need not wait for another look.
      const done = await withTimeout(work, this.options.lookIntervalMs, this.#lost.signal);
      if (done) return done.value;
      if (this.#lost.signal.aborted) break;
      misses = isOurTurn() || (await this.#isAtWork()) ? 0 : misses + 1;
    }
    this.#lost.abort();
    throw noAnswer(this.url, this.options.answerTimeoutMs);
  }

  async #isAtWork(): Promise<boolean> {
    let session: Session | undefined;
    try {
      session = await openSession(this.url, BESIDE);
      const address = parsePostgresUrl(new URL(this.url));
      // A pooler gives each transaction another process, and may have none to spare: that it answers must do.
      if (address instanceof Mistake || address.isPooled) return true;
      if (this.#pid === undefined) return false;
      const { answerTimeoutMs } = this.options;
      const found = await withTimeout(session.run(AT_WORK, [this.#pid, answerTimeoutMs]), answerTimeoutMs);
      return found !== undefined && found.value.length > 0;
    } catch (error) {
      // A server that refuses is there, for instance one that has no connection left.
      return sqlStateOf(error) !== undefined;
    } finally {
      await session?.close();
    }
  }
}
