import type { Database } from "bun:sqlite";
import { OperatorError } from "../../base/operator-error.ts";
import { CHANGES_NO_SCHEMA, COPIES_FROM, COPIES_INTO } from "../schema/migrate.ts";
import { rowsOf } from "../sql/pages.ts";
import { ANIMALS, FACTS, INTERNAL_TABLES, STORE_ID, selectMetadata, TABLES } from "../sql/rows.ts";
import { type Row, type SqlValue, type Table, upsertInto } from "../sql/table.ts";
import {
  type RowReader,
  type RowSource,
  type RowTarget,
  type RowWriter,
  transferWork,
} from "../sql/tables/transfer.ts";
import { COPIES_TABLE } from "../sql/transfer.ts";
import { performing } from "../sql/work.ts";
import { beginSnapshot } from "./animal-snapshot.ts";
import { closeWithoutCheckpoint } from "./file/close.ts";
import { openLocked, openShared } from "./file/database.ts";
import { closeOfCommand } from "./file/left-log.ts";
import { reasonOf } from "./sql/attempt.ts";
import { SQLITE } from "./sql/dialect.ts";
import { performer } from "./sql/work.ts";
import { dropNameIndex } from "./tables/name-index.ts";
import { raiseGeneration } from "./wal/generation.ts";

/** Opens a file whose rows are copied: nobody serves it meanwhile, and no command can write to it. Fails with an OperatorError. */
export async function openSource(givenPath: string): Promise<RowSource> {
  const { path, db, unlock } = await openLocked(givenPath, COPIES_FROM);
  const close = () => {
    if (db.inTransaction) db.run("ROLLBACK");
    unlock();
    closeOfCommand(db);
  };
  using onFailure = new DisposableStack();
  onFailure.defer(close);
  refuseUnknownSchema(db);
  lockAgainstWrites(db, path);
  const { value: id } = db.query(selectMetadata("?")).get(STORE_ID) as { value: string };
  onFailure.move();
  return sourceOn(db, id, close);
}

/** Opens a file of which a snapshot is copied, whether a service runs on it or not. It only reads. */
export async function openSnapshot(givenPath: string): Promise<RowSource> {
  const db = beginSnapshot(await openShared(givenPath, CHANGES_NO_SCHEMA));
  return sourceOn(db, creationOf(db), () => closeWithoutCheckpoint(db.filename, db));
}

/** Opens a file that rows are copied to, or makes one: nobody serves it meanwhile. Fails with an OperatorError. */
export async function openTarget(givenPath: string): Promise<RowTarget> {
  const { db, unlock } = await openLocked(givenPath, COPIES_INTO);
  db.run(`PRAGMA cache_size = -${CACHE_KB}`);
  const writer = writerOn(db);
  const commits = new Commits(db);
  commits.alone(() =>
    db.run(`CREATE TABLE IF NOT EXISTS ${COPIES_TABLE} (source TEXT PRIMARY KEY, finished_at INTEGER) STRICT`),
  );
  return {
    ...writer,
    write: (table, rows) => commits.together(() => writer.write(table, rows)),
    empty: (table) => commits.alone(() => writer.empty(table)),
    beginCopy: (source) => commits.alone(() => writer.beginCopy(source)),
    forgetCopy: (source) => commits.alone(() => writer.forgetCopy(source)),
    async transact(_, work) {
      commits.begin();
      try {
        const result = await work(writer);
        commits.end();
        return result;
      } finally {
        if (db.inTransaction) db.run("ROLLBACK");
      }
    },
    refuseUse: () => {},
    close() {
      // Rows that are committed now need not be copied again.
      try {
        if (db.inTransaction) commits.end();
      } catch {}
      unlock();
      closeOfCommand(db);
    },
  };
}

/** Groups copied rows into commits. */
class Commits {
  #batches = 0;

  constructor(private readonly db: Database) {}

  begin(): void {
    if (this.db.inTransaction) this.end();
    this.db.run("BEGIN IMMEDIATE");
    raiseGeneration(this.db);
  }

  end(): void {
    this.#batches = 0;
    this.db.run("COMMIT");
    // Without it, all copied rows would be in the log at once.
    this.db.run("PRAGMA wal_checkpoint(PASSIVE)");
  }

  alone(work: () => unknown): void {
    this.begin();
    work();
    this.end();
  }

  /** Several batches share a commit: each writes to most pages of the indexes. */
  together(work: () => unknown): void {
    if (!this.db.inTransaction) this.begin();
    work();
    if (++this.#batches === BATCHES_PER_COMMIT) this.end();
  }
}

/** Names and categories are in no order, so the indexes are written everywhere. */
const CACHE_KB = 64_000;
const BATCHES_PER_COMMIT = 25;

/** Commands change keys beside a service, and would beside a copy: this transaction makes them wait, and give up. */
function lockAgainstWrites(db: Database, path: string): void {
  try {
    identify(db);
    db.run("BEGIN IMMEDIATE");
  } catch (error) {
    throw new OperatorError(`another process is writing to ${path} (${reasonOf(error)}): try again when it is done`);
  }
}

/** Gives a source an id, which stays the same whatever is deleted from it. */
function identify(db: Database): void {
  db.transaction(() => {
    if (db.query(selectMetadata("?")).get(STORE_ID)) return;
    raiseGeneration(db);
    db.query(upsertInto(FACTS, () => "?")).run(STORE_ID, crypto.randomUUID());
  }).immediate();
}

/** A table that is not in the list would be lost silently; other columns than those in the lists keep a store from being opened. */
function refuseUnknownSchema(db: Database): void {
  const known = [...INTERNAL_TABLES, COPIES_TABLE, ...TABLES.map(({ name }) => name)];
  // The index of names is left out: it is of the types "virtual" and "shadow", and every store makes its own.
  const tables = db
    .query("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all();
  for (const { name } of tables as { name: string }[])
    if (!known.includes(name))
      throw new OperatorError(
        `this version cannot copy the table ${name}: use the version that added it, or remove it first`,
      );
}

/** When a store was created, and what its first schema was. */
function creationOf(db: Database): string {
  const { applied_at, digest } = db.query("SELECT applied_at, digest FROM migrations WHERE number = 1").get() as Row;
  return `${applied_at} ${digest}`;
}

function sourceOn(db: Database, id: string, close: () => void): RowSource {
  return {
    ...readerOn(db),
    id,
    // Up to 1.1.0, a source was identified by its time of creation and its oldest key: keys could not be deleted.
    wasKnownAs(text) {
      const keyId = text.startsWith(creationOf(db)) ? text.slice(creationOf(db).length).trim() : undefined;
      return keyId === "" || (keyId !== undefined && db.query("SELECT 1 FROM keys WHERE id = ?").get(keyId) !== null);
    },
    lastIds(tables) {
      const last = db.query<{ seq: bigint }, [string]>("SELECT seq FROM sqlite_sequence WHERE name = ?");
      return new Map(tables.map((table) => [table, last.get(table.name)?.seq ?? 0n]));
    },
    refuseUse: () => {},
    close,
  };
}

const WORK = transferWork(SQLITE);

const readerOn = (db: Database): RowReader => ({
  ...performing(WORK.reads, performer(db)),
  rows: (table, afterId) => tableRows(db, table, afterId),
});

/** Yields rows by ascending key, or only those after an id. */
export const tableRows = (db: Database, table: Table, afterId?: bigint): AsyncIterable<readonly Row[]> =>
  rowsOf((sql, parameters) => db.query<Row, SqlValue[]>(sql).all(...parameters), SQLITE, table, afterId);

/** To be used within a transaction of the caller. */
function writerOn(db: Database): RowWriter {
  const perform = performer(db);
  const writes = performing(WORK.writes, perform);
  return {
    ...readerOn(db),
    ...writes,
    empty(table) {
      // Otherwise its triggers would remove the animals from it one by one.
      if (table === ANIMALS) perform(dropNameIndex());
      return writes.empty(table);
    },
    write(table, rows) {
      const insert = db.query(upsertInto(table, SQLITE.placeholder));
      for (const row of rows) insert.run(...table.columns.map((column) => row[column] as string));
    },
    continueIds(lastIds) {
      for (const [{ name }, id] of lastIds) {
        const { changes } = db.run("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", [id, name]);
        if (changes === 0) db.run("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", [name, id]);
      }
    },
  };
}
