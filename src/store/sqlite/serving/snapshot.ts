import type { Database } from "bun:sqlite";
import { atEndOfTurn } from "../../../base/time/turn.ts";
import { prepared } from "../sql/statements.ts";
import { isHeadAt, type State, stateOf } from "../wal/index.ts";

/**
 * One read transaction for everything that is read in a turn of the event loop: each would otherwise lock and unlock
 * the file, which takes 6 to 8 µs. Nobody is answered with what was read before they asked: when the head of the WAL
 * index has changed, which is how SQLite itself knows of a commit, the transaction ends and another begins.
 */
export class Snapshot {
  #db: Database | undefined;
  #state: State | undefined;
  #isOpen = false;
  readonly #begin = prepared(() => this.#db as Database, "BEGIN");
  readonly #commit = prepared(() => this.#db as Database, "COMMIT");

  constructor(private readonly head: Uint32Array) {}

  /** To be called before each read, which then shows everything that is committed by now. */
  renew(db: Database): void {
    if (this.#isOpen && this.#state && isHeadAt(this.head, this.#state)) return;
    if (this.#isOpen) this.end();
    else atEndOfTurn(this.end);
    // Read first, so that SQLite reads that state or a newer one.
    this.#state = stateOf(this.head);
    this.#db = db;
    this.#begin().run();
    this.#isOpen = true;
  }

  /** Ends the transaction, unless it has ended, as by an error. */
  readonly end = (): void => {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    if (!this.#db?.inTransaction) return;
    try {
      this.#commit().run();
    } catch {
      // The file was overwritten, which the next read reports.
      abandon(this.#db);
    }
  };
}

function abandon(db: Database): void {
  try {
    db.run("ROLLBACK");
  } catch {
    // It was rolled back already.
  }
}
