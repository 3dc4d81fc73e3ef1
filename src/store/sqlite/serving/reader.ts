import type { Database } from "bun:sqlite";
import { STORE_CLOSED, StoreUnavailable } from "../../ports/store.ts";
import { closeNow, closeWithoutCheckpoint } from "../file/close.ts";
import { openForReading, restrictToReading } from "../file/database.ts";
import { Snapshot } from "./snapshot.ts";

/** The connection that a serving thread reads with. It can be released for a while. */
export class Reader {
  #db: Database | undefined;
  #isClosed = false;
  #snapshot: Snapshot | undefined;

  constructor(
    private readonly path: string,
    /** Undefined: the first read opens it. */
    db: Database | undefined,
    /** Throws StoreUnavailable while the file must not be opened. */
    private readonly refuseToOpen: () => void,
  ) {
    if (db) restrictToReading(db);
    this.#db = db;
  }

  /** For the next read, and none after that. Throws while it is closed. */
  readonly connection = (): Database => {
    const db = this.#db ?? this.#open();
    this.#snapshot?.renew(db);
    return db;
  };

  /** From here on, what is read in one turn of the event loop shares a transaction. */
  shareTransactions(head: Uint32Array): void {
    this.#snapshot = new Snapshot(head);
  }

  /** The next read opens it again. */
  readonly release = (): void => {
    this.#snapshot?.end();
    if (this.#db) closeNow(this.#db);
    this.#db = undefined;
  };

  /** For good: the lock for serving is released next. */
  close({ mayCheckpoint }: { mayCheckpoint: boolean }): void {
    this.#snapshot?.end();
    if (this.#db && !mayCheckpoint) closeWithoutCheckpoint(this.path, this.#db);
    else this.release();
    this.#db = undefined;
    this.#isClosed = true;
  }

  #open(): Database {
    if (this.#isClosed) throw new StoreUnavailable(STORE_CLOSED);
    this.refuseToOpen();
    this.#db = openForReading(this.path);
    return this.#db;
  }
}
