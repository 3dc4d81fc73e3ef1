import type { Awaitable } from "../../base/time/awaitable.ts";
import type { NewJournalEntry } from "../../domain/journal.ts";
import type { CountingPlace } from "../ports/store.ts";
import type { Row, Table } from "./table.ts";

// What a copy needs of a database, whichever it is: rows to read, or to write.

/** How many rows are read or written at a time. */
export const BATCH_SIZE = 2_000;

export interface RowReader {
  /** All of them, or those with an id up to this one. */
  count(table: Table, upToId?: bigint): Awaitable<number>;
  /** By ascending key, text by its bytes, so that every database agrees on what comes next; or only those after an id. */
  rows(table: Table, afterId?: bigint): AsyncIterable<readonly Row[]>;
}

/** Where rows are copied from: they stay as they are while it is open. */
export interface RowSource extends RowReader {
  /** Stays the same whatever is changed in it: an interrupted copy is continued from the same source. */
  readonly id: string;
  /** Whether this is what an earlier release knew it by. */
  wasKnownAs(id: string): Awaitable<boolean>;
  /** Which of these ids there are. */
  existing(table: Table, ids: readonly bigint[]): Awaitable<readonly bigint[]>;
  /** The last id that each of these tables has ever assigned. */
  lastIds(tables: readonly Table[]): Awaitable<ReadonlyMap<Table, bigint>>;
  /** Where its service counts requests; undefined: none has noted it. */
  countingPlace(): Awaitable<CountingPlace | undefined>;
  /** Fails with an OperatorError if a service has begun to use it since it was opened, where that is possible. */
  refuseUse(): Awaitable<void>;
  close(): Awaitable<void>;
}

/** Which copies a database is the target of. It is not served until they are finished. */
export interface NotedCopy {
  readonly source: string;
  readonly isFinished: boolean;
}

/** What rows are written to, in a transaction of each call, or in one for all. */
export interface RowWriter extends RowReader {
  hasRows(table: Table): Awaitable<boolean>;
  /** The greatest id there is. */
  maxId(table: Table): Awaitable<bigint | undefined>;
  /** Rows that are there already are replaced, unless the table is append-only. */
  write(table: Table, rows: readonly Row[]): Awaitable<void>;
  empty(table: Table): Awaitable<void>;
  delete(table: Table, ids: readonly bigint[]): Awaitable<void>;
  /** None of these ids, nor a lower one, is assigned from now on. */
  continueIds(lastIds: ReadonlyMap<Table, bigint>): Awaitable<void>;
  copies(): Awaitable<readonly NotedCopy[]>;
  beginCopy(source: string): Awaitable<void>;
  finishCopy(source: string): Awaitable<void>;
  forgetCopy(source: string): Awaitable<void>;
  /** Services hear that keys have changed. */
  raiseKeyRevision(): Awaitable<void>;
  appendJournal(entry: NewJournalEntry): Awaitable<void>;
}

/** Where rows are copied to. */
export interface RowTarget extends RowWriter {
  /** In one transaction, in which nobody else can write to these tables. */
  transact<T>(tables: readonly Table[], work: (tx: RowWriter) => Promise<T>): Promise<T>;
  /** Fails with an OperatorError if a service or command uses it, where that is not ruled out. */
  refuseUse(): Awaitable<void>;
  close(): Awaitable<void>;
}

/** Why a database is not served. */
export const UNFINISHED_COPY = "a copy into this database was not finished: run animal-store copy again";

/** The table of copies, of a database that was the target of one. */
export const COPIES_TABLE = "copies";
export const SELECT_UNFINISHED_COPY = `SELECT 1 FROM ${COPIES_TABLE} WHERE finished_at IS NULL`;
