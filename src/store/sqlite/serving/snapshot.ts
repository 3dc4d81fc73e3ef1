import type { Database, Statement } from "bun:sqlite";
import { atEndOfTurn } from "../../../base/time/turn.ts";
import { isHeadAt, type State, stateOf } from "../wal/index.ts";

/**
 * One read transaction for everything that is read in a turn of the event loop: each would otherwise lock and unlock
 * the file, which takes 6 to 8 µs. Nobody is answered with what was read before they asked: when the head of the WAL
 * index has changed, which is how SQLite itself knows of a commit, the transaction ends and another begins.
 */
export class Snapshot {
  #open: { readonly db: Database; readonly end: Statement } | undefined;
  #state: State | undefined;
  readonly #statements = new WeakMap<Database, { readonly begin: Statement; readonly end: Statement }>();

  constructor(private readonly head: Uint32Array) {}

  /** To be called before each read, which then shows everything that is committed by now. */
  renew(db: Database): void {
    if (this.#open && this.#state && isHeadAt(this.head, this.#state)) return;
    if (this.#open) this.end();
    else atEndOfTurn(this.end);
    this.#begin(db);
  }

  /** Ends the transaction, unless it has ended, as by an error. */
  readonly end = (): void => {
    const open = this.#open;
    this.#open = undefined;
    if (!open?.db.inTransaction) return;
    try {
      open.end.run();
    } catch {
      // The file was overwritten, which the next read reports.
      abandon(open.db);
    }
  };

  #begin(db: Database): void {
    let statements = this.#statements.get(db);
    if (!statements) {
      statements = { begin: db.prepare("BEGIN"), end: db.prepare("COMMIT") };
      this.#statements.set(db, statements);
    }
    // Read first, so that SQLite reads that state or a newer one.
    this.#state = stateOf(this.head);
    statements.begin.run();
    this.#open = { db, end: statements.end };
  }
}

function abandon(db: Database): void {
  try {
    db.run("ROLLBACK");
  } catch {
    // It was rolled back already.
  }
}
