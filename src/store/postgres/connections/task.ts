import type { SQL } from "bun";
import type { StatementKind, StoreUnavailable } from "../../ports/store.ts";
import type { Link } from "./link.ts";

/** A statement or transaction, from the moment that a caller asks for it until there is an answer. */
export class Task {
  /** The connection that it was sent on. */
  link: Link | undefined;
  isSettled = false;
  /** Of a read whose connection was lost, which changes nothing and is sent once more. */
  isRepeated = false;
  /** Whether the server may have committed. A statement by itself is committed whenever the server gets to it. */
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
