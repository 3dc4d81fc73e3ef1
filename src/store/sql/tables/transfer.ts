import type { Awaitable } from "../../../base/time/awaitable.ts";
import type { Dialect } from "../searches.ts";
import type { Row, Table } from "../table.ts";
import { COPIES_TABLE } from "../transfer.ts";
import { first, type Performed, run, type Work } from "../work.ts";
import { journalAppender } from "./journal.ts";
import { metadataWork } from "./metadata.ts";

// The ports of a copy, which both databases implement: rows to read, and rows to write.

type TransferWork = ReturnType<typeof transferWork>;

export interface RowReader extends Performed<TransferWork["reads"]> {
  /** Yields rows by ascending key, or only those after an id. Text is ordered by its bytes, on every database. */
  rows(table: Table, afterId?: bigint): AsyncIterable<readonly Row[]>;
}

/** The source of a copy. Its rows stay as they are while it is open. */
export interface RowSource extends RowReader {
  /** Identifies the store, whatever is changed in it: an interrupted copy is continued from the same source. */
  readonly id: string;
  /** Returns whether an earlier release identified the store so. */
  wasKnownAs(id: string): Awaitable<boolean>;
  /** Returns the last id that each of these tables has ever assigned. */
  lastIds(tables: readonly Table[]): Awaitable<ReadonlyMap<Table, bigint>>;
  /** Fails with an OperatorError if a service has begun to use it since it was opened, where that is possible. */
  refuseUse(): Awaitable<void>;
  close(): Awaitable<void>;
}

/** Writes rows: each call is a transaction, unless transact() makes one of several. */
export interface RowWriter extends RowReader, Performed<TransferWork["writes"]> {
  /** Inserts rows, and replaces existing ones unless the table is append-only. */
  write(table: Table, rows: readonly Row[]): Awaitable<void>;
  /** Later ids are assigned above these. */
  continueIds(lastIds: ReadonlyMap<Table, bigint>): Awaitable<void>;
}

/** The target of a copy. */
export interface RowTarget extends RowWriter {
  /** Runs work in one transaction, in which nobody else can write to these tables. */
  transact<T>(tables: readonly Table[], work: (tx: RowWriter) => Promise<T>): Promise<T>;
  /** Fails with an OperatorError if a service or command uses it, where that is not ruled out. */
  refuseUse(): Awaitable<void>;
  close(): Awaitable<void>;
}

/** The work of a copy that both databases do alike. */
export const transferWork = (dialect: Dialect) => {
  const { placeholder: $, idIsOneOf, idList } = dialect;
  const ofIds = idIsOneOf($(1));
  return {
    reads: {
      ...metadataWork(dialect).reads,
      /** Counts all rows, or those with an id up to this one. */
      *count({ name }: Table, upToId?: bigint): Work<number> {
        const condition = upToId === undefined ? "" : `WHERE id <= ${upToId}`;
        return Number((yield* first(`SELECT count(*) AS count FROM ${name} ${condition}`))?.count);
      },
      /** Returns those of these ids that exist. */
      *existing({ name }: Table, ids: readonly bigint[]): Work<readonly bigint[]> {
        const found = yield* run<{ id: bigint }>(`SELECT id FROM ${name} WHERE ${ofIds}`, [idList(ids)]);
        return found.map(({ id }) => id);
      },
    },
    writes: {
      *hasRows({ name }: Table): Work<boolean> {
        return (yield* first(`SELECT 1 FROM ${name} LIMIT 1`)) !== undefined;
      },
      /** Returns the greatest id that exists. */
      *maxId({ name }: Table): Work<bigint | undefined> {
        return (yield* first<{ id: bigint | null }>(`SELECT max(id) AS id FROM ${name}`))?.id ?? undefined;
      },
      *empty({ name }: Table): Work<void> {
        yield* run(`DELETE FROM ${name}`);
      },
      *delete({ name }: Table, ids: readonly bigint[]): Work<void> {
        yield* run(`DELETE FROM ${name} WHERE ${ofIds}`, [idList(ids)]);
      },
      /** Returns the copies that the database is the target of. It is not served until all are finished. */
      *copies() {
        const rows = yield* run<Row>(`SELECT source, finished_at FROM ${COPIES_TABLE}`);
        return rows.map((row) => ({ source: row.source as string, isFinished: row.finished_at !== null }));
      },
      *beginCopy(source: string): Work<void> {
        yield* run(`INSERT INTO ${COPIES_TABLE} (source) VALUES (${$(1)})`, [source]);
      },
      *finishCopy(source: string): Work<void> {
        yield* run(`UPDATE ${COPIES_TABLE} SET finished_at = ${$(1)} WHERE source = ${$(2)}`, [Date.now(), source]);
      },
      *forgetCopy(source: string): Work<void> {
        yield* run(`DELETE FROM ${COPIES_TABLE} WHERE source = ${$(1)}`, [source]);
      },
      /** Lets running services notice that keys have changed. */
      *raiseKeyRevision(): Work<void> {
        yield* run("UPDATE key_revision SET revision = revision + 1");
      },
      appendJournal: journalAppender(dialect),
    },
  };
};
