import type { SQL } from "bun";
import type { StatementKind, StoreUnavailable } from "../../ports/store.ts";
import type { Link } from "./link.ts";

/** A statement or transaction, from the call until its answer. */
export class Task {
  /** The connection that it was sent on. */
  link: Link | undefined;
  isSettled = false;
  /** A read whose connection was lost is sent once more. */
  isRepeated = false;
  /** The server may have committed. A single statement is committed whenever the server gets to it. */
  mayBeCommitted: boolean;

  constructor(
    readonly kind: StatementKind,
    readonly start: (sql: SQL, task: Task) => PromiseLike<unknown>,
    readonly beganMs: number,
    readonly resolve: (value: unknown) => void,
    readonly reject: (error: unknown) => void,
  ) {
    this.mayBeCommitted = kind === "write";
  }

  get changed(): StoreUnavailable["changed"] {
    return this.link && this.mayBeCommitted ? "unknown" : "nothing";
  }
}
