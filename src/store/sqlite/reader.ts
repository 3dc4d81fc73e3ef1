import type { Database } from "bun:sqlite";
import { STORE_CLOSED, StoreUnavailable } from "../store.ts";
import { closeNow, closeWithoutCheckpoint } from "./close.ts";
import { openForReading, restrictToReading } from "./database.ts";

/** The connection that the event loop reads with. It can be closed for a while. */
export class Reader {
  #db: Database | undefined;
  #state: "open" | "suspended" | "closed" = "open";

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
    this.#release();
    if (this.#state === "open") this.#state = "suspended";
  }

  /** The next read opens it. */
  resume(): void {
    if (this.#state === "suspended") this.#state = "open";
  }

  /** For good: the lock for serving is released next. */
  close({ mayCheckpoint }: { mayCheckpoint: boolean }): void {
    if (this.#db && !mayCheckpoint) closeWithoutCheckpoint(this.path, this.#db);
    else this.#release();
    this.#db = undefined;
    this.#state = "closed";
  }

  #release(): void {
    if (this.#db) closeNow(this.#db);
    this.#db = undefined;
  }

  #open(): Database {
    if (this.#state === "closed") throw new StoreUnavailable(STORE_CLOSED);
    if (this.#state === "suspended")
      throw new StoreUnavailable("the database is being opened again after a failure of the disk");
    this.refuseOtherFile();
    this.#db = openForReading(this.path);
    return this.#db;
  }
}
