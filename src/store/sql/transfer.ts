import { OperatorError } from "../../base/operator-error.ts";
import type { Awaitable } from "../../base/time/awaitable.ts";
import type { NewJournalEntry } from "../../domain/journal.ts";
import type { CountingPlace } from "../ports/store.ts";
import type { Row, Table } from "./table.ts";

// The ports of a copy, which both databases implement: rows to read, and rows to write.

/** The rows that are read or written at a time. */
export const BATCH_SIZE = 2_000;

export interface RowReader {
  /** Counts all rows, or those with an id up to this one. */
  count(table: Table, upToId?: bigint): Awaitable<number>;
  /** Yields rows by ascending key, or only those after an id. Text is ordered by its bytes, on every database. */
  rows(table: Table, afterId?: bigint): AsyncIterable<readonly Row[]>;
}

/** The source of a copy. Its rows stay as they are while it is open. */
export interface RowSource extends RowReader {
  /** Identifies the store, whatever is changed in it: an interrupted copy is continued from the same source. */
  readonly id: string;
  /** Returns whether an earlier release identified the store so. */
  wasKnownAs(id: string): Awaitable<boolean>;
  /** Returns those of these ids that exist. */
  existing(table: Table, ids: readonly bigint[]): Awaitable<readonly bigint[]>;
  /** Returns the last id that each of these tables has ever assigned. */
  lastIds(tables: readonly Table[]): Awaitable<ReadonlyMap<Table, bigint>>;
  /** Returns where its service counts requests; undefined if none has recorded it. */
  countingPlace(): Awaitable<CountingPlace | undefined>;
  /** Fails with an OperatorError if a service has begun to use it since it was opened, where that is possible. */
  refuseUse(): Awaitable<void>;
  close(): Awaitable<void>;
}

/** A copy that a database is the target of. It is not served until all are finished. */
export interface NotedCopy {
  readonly source: string;
  readonly isFinished: boolean;
}

/** Writes rows: each call is a transaction, unless transact() makes one of several. */
export interface RowWriter extends RowReader {
  hasRows(table: Table): Awaitable<boolean>;
  /** Returns the greatest id that exists. */
  maxId(table: Table): Awaitable<bigint | undefined>;
  /** Inserts rows, and replaces existing ones unless the table is append-only. */
  write(table: Table, rows: readonly Row[]): Awaitable<void>;
  empty(table: Table): Awaitable<void>;
  delete(table: Table, ids: readonly bigint[]): Awaitable<void>;
  /** Later ids are assigned above these. */
  continueIds(lastIds: ReadonlyMap<Table, bigint>): Awaitable<void>;
  copies(): Awaitable<readonly NotedCopy[]>;
  beginCopy(source: string): Awaitable<void>;
  finishCopy(source: string): Awaitable<void>;
  forgetCopy(source: string): Awaitable<void>;
  /** Lets running services notice that keys have changed. */
  raiseKeyRevision(): Awaitable<void>;
  appendJournal(entry: NewJournalEntry): Awaitable<void>;
}

/** The target of a copy. */
export interface RowTarget extends RowWriter {
  /** Runs work in one transaction, in which nobody else can write to these tables. */
  transact<T>(tables: readonly Table[], work: (tx: RowWriter) => Promise<T>): Promise<T>;
  /** Fails with an OperatorError if a service or command uses it, where that is not ruled out. */
  refuseUse(): Awaitable<void>;
  close(): Awaitable<void>;
}

/** A database with an unfinished copy is not served. */
export const unfinishedCopy = (): OperatorError =>
  new OperatorError("a copy into this database was not finished", { kind: "finish_copy" });

/** The table of copies exists in a database that was the target of one. */
export const COPIES_TABLE = "copies";
export const SELECT_UNFINISHED_COPY = `SELECT 1 FROM ${COPIES_TABLE} WHERE finished_at IS NULL`;
