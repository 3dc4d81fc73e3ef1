import type { Write } from "../tables/write.ts";
import type { WriterSettings } from "./connection.ts";
import type { WriteOutcomes } from "./group-commit.ts";
import type { ProblemMessage, RecoveryPhase } from "./recovery.ts";

// Messages between threads about writes. Each serving thread has a port to the writer thread. Threads that did not
// start the writer get that port through another one, the port of their handle to the store.

/** From the thread that starts the writer. */
export type ToThread =
  | { readonly kind: "open"; readonly settings: WriterSettings }
  | { readonly kind: "connect"; readonly port: MessagePort }
  | { readonly kind: "close" };

/** From a serving thread to the writer. */
export type ToWriter =
  | { readonly kind: "write"; readonly writes: readonly Write[]; readonly handedOverAtMs: number }
  | { readonly kind: "connection_closed" }
  /** The thread writes nothing any more. */
  | { readonly kind: "leave" };

/** From the writer to a serving thread: the outcomes of its own writes, in their order, and messages to all. */
export type FromWriter = WriteOutcomes | ProblemMessage | RecoveryPhase;

/** From a thread that has a handle. */
export type FromHandle =
  /** It has something to write, and no port. */
  { readonly kind: "request" } | { readonly kind: "leave" };

export type ToHandle =
  | { readonly kind: "port"; readonly port: MessagePort }
  /** The writer cannot be started. */
  | { readonly kind: "failed"; readonly reason: string }
  /** The writer has ended: its port leads nowhere. */
  | { readonly kind: "lost"; readonly reason: string };
