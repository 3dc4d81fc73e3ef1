import type { SQL } from "bun";
import { type ConnectionStats, STORE_CLOSED, type StatementKind, StoreUnavailable } from "../../ports/store.ts";
import type { SqlValue } from "../../sql/table.ts";
import type { ClientMaker, SessionSettings } from "./client.ts";
import { type CopyingConnection, connectionOf, type Run } from "./connection.ts";
import { isConnectionLost, isReadOnly, storeFailure } from "./failures.ts";
import { Link, MAX_CONNECT_SECONDS } from "./link.ts";
import { leastBusy, linkForRead, PIPELINED_READS } from "./routing.ts";
import { Task } from "./task.ts";

/** The limit for a connection and the answer together: less than a client's patience. */
export const DEADLINE_MS = 1_800;
export const SWEEP_INTERVAL_MS = 100;
const STANDSTILL_MS = 3 * SWEEP_INTERVAL_MS;
const CHECK_TIMEOUT_MS = 500;

/** The pause after a connection could not be opened, without other connections and with some. */
const RECONNECT_DELAY_MS = 200;
const GROW_DELAY_MS = 1_000;
/** While all are busy, not every statement asks for one more. */
const GROWTH_INTERVAL_MS = 2;

/** Pipelined statements per connection: three times as fast as waiting for each answer. */
const MAX_PIPELINED = 32;
/** Beyond this many at once per connection, load is shed rather than queued. */
const MAX_TASKS_PER_CONNECTION = 100;

/** The most connections to remember that could not be ended on the server yet. */
const MAX_ABANDONED = 100;
const CLOSE_TIMEOUT_SECONDS = 1;

const TERMINATE = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE application_name = ANY ($1::text::text[]) AND usename = current_user AND state <> 'idle'`;

export interface PoolOptions {
  readonly connections: number;
  readonly settings: SessionSettings;
  /** Unique for each process: the server tells connections apart by it. */
  readonly name: string;
  /** The time after which a statement has failed. */
  readonly deadlineMs?: number | undefined;
}

/** A pool of connections in which nothing waits for ever. */
export class Pool {
  /** Told how long each statement or transaction took, with the wait for a connection. */
  onAnswer: ((kind: StatementKind, seconds: number) => void) | undefined;
  readonly #links: Link[] = [];
  /** In the order of their start, so overdue ones come first. */
  readonly #tasks = new Set<Task>();
  #waiting: Task[] = [];
  /** Connections that were given up while the server may still be working for them. */
  #abandoned: string[] = [];
  #opened = 0;
  #noDialBeforeMs = 0;
  #noGrowthBeforeMs = 0;
  #lastError: Error | undefined;
  #sweeper: Timer | undefined;
  #sweptMs = 0;
  #wasLate = false;
  #isClosed = false;

  constructor(
    private readonly makeClient: ClientMaker,
    private readonly options: PoolOptions,
  ) {}

  /** Runs a statement that only reads. Throws StoreUnavailable if there is no answer in time, as do the others. */
  readonly read: Run = <Row>(statement: string, parameters: readonly SqlValue[] = []) =>
    this.#submit<Row[]>("read", (sql) => sql.unsafe(statement, parameters as SqlValue[]));

  /** Runs one statement that is a transaction by itself. */
  readonly write: Run = <Row>(statement: string, parameters: readonly SqlValue[] = []) =>
    this.#submit<Row[]>("write", (sql) => sql.unsafe(statement, parameters as SqlValue[]));

  transact<T>(work: (tx: CopyingConnection) => Promise<T>): Promise<T> {
    return this.#submit<T>("transaction", (sql, task) =>
      sql.begin(async (tx) => {
        const result = await work(connectionOf(tx));
        task.mayBeCommitted = true;
        return result;
      }),
    );
  }

  get stats(): ConnectionStats {
    const open = this.#links.filter((link) => link.isOpen);
    return {
      open: open.length,
      inUse: open.filter((link) => link.inFlight > 0).length,
      waiting: this.#waiting.filter((task) => !task.isSettled).length,
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#sweeper);
    for (const task of this.#waiting.splice(0)) this.#fail(task, new StoreUnavailable(STORE_CLOSED));
    await Promise.all(this.#links.splice(0).map((link) => link.end(CLOSE_TIMEOUT_SECONDS)));
  }

  #submit<T>(kind: StatementKind, start: Task["start"]): Promise<T> {
    if (this.#isClosed) return Promise.reject(new StoreUnavailable(STORE_CLOSED));
    if (this.#tasks.size >= this.options.connections * MAX_TASKS_PER_CONNECTION)
      return Promise.reject(new StoreUnavailable("too many statements at once"));
    return new Promise((resolve, reject) => {
      const task = new Task(kind, start, performance.now(), resolve as (value: unknown) => void, reject);
      this.#tasks.add(task);
      if (!this.#sweeper) this.#startSweeping(task.beganMs);
      this.#place(task, task.beganMs);
    });
  }

  #startSweeping(nowMs: number): void {
    this.#sweptMs = nowMs;
    this.#sweeper = setInterval(this.#sweep, SWEEP_INTERVAL_MS).unref();
  }

  #place(task: Task, nowMs: number): void {
    const link = this.#waiting.length === 0 ? this.#linkFor(task.kind, nowMs) : undefined;
    if (link) this.#send(task, link);
    else this.#waiting.push(task);
  }

  #send(task: Task, link: Link): void {
    const writes = task.kind !== "read";
    task.link = link;
    link.sent(writes);
    if (task.kind === "transaction") link.isReserved = true;
    const answered = (): void => {
      link.answered(writes, performance.now());
      if (task.kind === "transaction") link.isReserved = false;
      if (this.#waiting.length > 0) this.#sendWaiting();
    };
    task.start(link.sql, task).then(
      (result) => {
        if (!task.isSettled) {
          this.#settle(task);
          task.resolve(result);
        }
        answered();
      },
      (error: unknown) => {
        if (!task.isSettled) this.#failed(task, error);
        answered();
      },
    );
  }

  /** A client beside the connections of the pool, which leads where the address leads now. Whoever asks for it closes it. */
  newClient(): SQL {
    const { settings, name } = this.options;
    const maxConnectSeconds = MAX_CONNECT_SECONDS;
    return this.makeClient({ settings: { ...settings, application_name: `${name} beside` }, maxConnectSeconds });
  }

  /** To be called when the server has turned read-only: the address may lead to a new primary by now. */
  replaceConnections(): void {
    for (const link of [...this.#links]) link.retire(performance.now());
  }

  #failed(task: Task, error: unknown): void {
    if (isReadOnly(error)) this.replaceConnections();
    if (task.kind === "read" && !task.isRepeated && !this.#isClosed && isConnectionLost(error)) {
      task.isRepeated = true;
      task.link = undefined;
      this.#place(task, performance.now());
    } else this.#fail(task, storeFailure(error, task.changed));
  }

  #fail(task: Task, error: unknown): void {
    if (task.isSettled) return;
    this.#settle(task);
    task.reject(error);
  }

  #settle(task: Task): void {
    task.isSettled = true;
    this.#tasks.delete(task);
    this.onAnswer?.(task.kind, (performance.now() - task.beganMs) / 1_000);
  }

  #sendWaiting(): void {
    const nowMs = performance.now();
    let sent = 0;
    for (const task of this.#waiting) {
      if (!task.isSettled) {
        const link = this.#linkFor(task.kind, nowMs);
        if (!link) break;
        this.#send(task, link);
      }
      sent++;
    }
    if (sent > 0) this.#waiting.splice(0, sent);
  }

  /** The connection to send something on now. If all are busy and there is room, one more is opened. */
  #linkFor(kind: StatementKind, nowMs: number): Link | undefined {
    const link = kind === "read" ? linkForRead(this.#links, nowMs) : leastBusy(this.#links, nowMs);
    const isBusy = link && link.inFlight >= (kind === "read" ? PIPELINED_READS : 1);
    if (!link || (isBusy && nowMs >= this.#noGrowthBeforeMs)) {
      this.#noGrowthBeforeMs = nowMs + GROWTH_INTERVAL_MS;
      if (!this.#check(nowMs)) this.#dial(nowMs);
    }
    return link && link.inFlight < MAX_PIPELINED ? link : undefined;
  }

  /** A connection that was idle for long is being checked. */
  #check(nowMs: number): boolean {
    if (this.#links.some((link) => link.isChecking)) return true;
    const stale = this.#links.find((link) => link.isStale(nowMs));
    stale?.check(nowMs);
    return stale !== undefined;
  }

  /** Opens one at a time: the first shows whether the server has room for more. */
  #dial(nowMs: number): void {
    if (this.#isClosed || this.#links.length >= this.options.connections || nowMs < this.#noDialBeforeMs) return;
    if (this.#links.some((link) => link.isOpening)) return;
    const name = `${this.options.name} ${++this.#opened}`;
    this.#links.push(new Link(name, this.makeClient, this.options.settings, this.#events));
  }

  readonly #events = {
    opened: (): void => {
      this.#lastError = undefined;
      this.#sendWaiting();
      if (this.#waiting.length > 0) this.#dial(performance.now());
      this.#terminateAbandoned();
    },
    closed: (link: Link, error: Error, wasOpen: boolean): void => {
      const index = this.#links.indexOf(link);
      if (index >= 0) this.#links.splice(index, 1);
      for (const other of this.#links) other.suspect();
      const hasOthers = this.#links.length > 0;
      if (!wasOpen) {
        this.#lastError = error;
        this.#noDialBeforeMs = performance.now() + (hasOthers ? GROW_DELAY_MS : RECONNECT_DELAY_MS);
      }
      if (hasOthers || this.#waiting.length === 0) return;
      if (wasOpen) this.#dial(performance.now());
      else {
        const failure = new StoreUnavailable("cannot connect to PostgreSQL", { cause: error });
        for (const task of this.#waiting.splice(0)) this.#fail(task, failure);
      }
    },
  };

  readonly #sweep = (): void => {
    const nowMs = performance.now();
    // After a pause of this process, answers may have arrived that it has not seen yet: they come first.
    const isLate = nowMs - this.#sweptMs > STANDSTILL_MS;
    this.#sweptMs = nowMs;
    this.#wasLate = isLate && !this.#wasLate;
    if (!this.#wasLate) this.#giveUpOverdue(nowMs);
    if (this.#waiting.length > 0) this.#sendWaiting();
    if (this.#tasks.size === 0 && !this.#links.some((link) => link.isChecking)) {
      clearInterval(this.#sweeper);
      this.#sweeper = undefined;
    }
  };

  #giveUpOverdue(nowMs: number): void {
    if (this.#links.some((link) => nowMs - (link.checkedSinceMs ?? nowMs) > CHECK_TIMEOUT_MS)) this.#closeIdle();
    const { deadlineMs = DEADLINE_MS } = this.options;
    const late = new Set<Link>();
    for (const task of this.#tasks) {
      if (nowMs - task.beganMs < deadlineMs) break;
      if (task.link) late.add(task.link);
      const what = task.link ? "no answer in time" : "no connection became free in time";
      this.#fail(task, new StoreUnavailable(what, { changed: task.changed, cause: this.#lastError }));
    }
    for (const link of late) this.#abandon(link);
    if (late.size > 0) this.#terminateAbandoned();
  }

  /** If one is dead, the others probably are; finding out one by one would take too long. */
  #closeIdle(): void {
    for (const link of [...this.#links]) if (link.isOpen && link.inFlight === 0) link.close();
  }

  /** The server goes on with a statement, and waits for locks, even after its client is gone. */
  #abandon(link: Link): void {
    this.#abandoned.push(link.name);
    link.close();
  }

  #terminateAbandoned(): void {
    const names = this.#abandoned;
    if (names.length === 0 || this.#isClosed) return;
    this.#abandoned = [];
    const list = `{${names.map((name) => `"${name}"`).join(",")}}`;
    this.read(TERMINATE, [list]).catch(() => {
      this.#abandoned = [...names, ...this.#abandoned].slice(-MAX_ABANDONED);
    });
  }
}
