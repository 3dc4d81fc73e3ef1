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

  /** Returns the connection for one read; the next read has to ask again. Throws while it may not be open. */
  readonly connection = (): Database => {
    const db = this.#db ?? this.#open();
    this.#snapshot?.renew(db);
    return db;
  };

  /** Makes all reads in one turn of the event loop share a transaction from here on. */
  shareTransactions(head: Uint32Array): void {
    this.#snapshot = new Snapshot(head);
  }

  /** The next read opens it again. */
  readonly release = (): void => {
    this.#snapshot?.end();
    if (this.#db) closeNow(this.#db);
    this.#db = undefined;
  };

  /** Closes it for good: the lock for serving is released next. */
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
