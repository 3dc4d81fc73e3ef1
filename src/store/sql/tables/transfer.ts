import type { NewJournalEntry } from "../../../domain/journal.ts";
import type { Dialect } from "../searches.ts";
import type { Row, Table } from "../table.ts";
import { COPIES_TABLE, type NotedCopy, type RowReader, type RowSource, type RowWriter } from "../transfer.ts";
import { first, run, type Work } from "../work.ts";
import { journalAppender } from "./journal.ts";
import { metadataWork } from "./metadata.ts";

export type TransferReads = Pick<RowSource, "count" | "existing" | "countingPlace">;
export type TransferWrites = Omit<RowWriter, keyof RowReader | "write" | "continueIds">;

/** The work of a copy that both databases do alike. */
export const transferWork = (dialect: Dialect) => {
  const { placeholder: $, idIsOneOf, idList } = dialect;
  const ofIds = idIsOneOf($(1));
  return {
    reads: {
      ...metadataWork(dialect).reads,
      *count({ name }: Table, upToId?: bigint): Work<number> {
        const condition = upToId === undefined ? "" : `WHERE id <= ${upToId}`;
        return Number((yield* first(`SELECT count(*) AS count FROM ${name} ${condition}`))?.count);
      },
      *existing({ name }: Table, ids: readonly bigint[]): Work<readonly bigint[]> {
        const found = yield* run<{ id: bigint }>(`SELECT id FROM ${name} WHERE ${ofIds}`, [idList(ids)]);
        return found.map(({ id }) => id);
      },
    },
    writes: {
      *hasRows({ name }: Table): Work<boolean> {
        return (yield* first(`SELECT 1 FROM ${name} LIMIT 1`)) !== undefined;
      },
      *maxId({ name }: Table): Work<bigint | undefined> {
        return (yield* first<{ id: bigint | null }>(`SELECT max(id) AS id FROM ${name}`))?.id ?? undefined;
      },
      *empty({ name }: Table): Work<void> {
        yield* run(`DELETE FROM ${name}`);
      },
      *delete({ name }: Table, ids: readonly bigint[]): Work<void> {
        yield* run(`DELETE FROM ${name} WHERE ${ofIds}`, [idList(ids)]);
      },
      *copies(): Work<readonly NotedCopy[]> {
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
      *raiseKeyRevision(): Work<void> {
        yield* run("UPDATE key_revision SET revision = revision + 1");
      },
      appendJournal: journalAppender(dialect) as (entry: NewJournalEntry) => Work<void>,
    },
  };
};
