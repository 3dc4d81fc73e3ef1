import type { Database } from "bun:sqlite";
import { StoreUnavailable } from "../store.ts";
import { closeNow } from "./close.ts";
import { openForReading, restrictToReading } from "./database.ts";

/** The connection that the event loop reads with. It can be closed for a while. */
export class Reader {
  #db: Database | undefined;
  #isSuspended = false;

  constructor(
    private readonly path: string,
    db: Database,
    /** Throws when another file is at the path now. */
    private readonly refuseOtherFile: () => void,
  ) {
    restrictToReading(db);
    this.#db = db;
  }

  /** Throws while it is closed. */
  readonly connection = (): Database => this.#db ?? this.#open();

  suspend(): void {
    this.#isSuspended = true;
    this.close();
  }

  /** The next read opens it. */
  resume(): void {
    this.#isSuspended = false;
  }

  close(): void {
    if (this.#db) closeNow(this.#db);
    this.#db = undefined;
  }

  #open(): Database {
    if (this.#isSuspended) throw new StoreUnavailable("the database is being opened again after a failure of the disk");
    this.refuseOtherFile();
    this.#db = openForReading(this.path);
    return this.#db;
  }
}
