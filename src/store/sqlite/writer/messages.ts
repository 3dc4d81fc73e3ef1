import type { Write } from "../tables/write.ts";
import type { WriteOutcomes } from "./group-commit.ts";
import type { ProblemMessage, RecoveryPhase } from "./recovery.ts";

// Messages between threads about writes. Each serving thread has a port to the writer thread, with messages of its own
// for speed. Threads that did not start the writer get that port by RPC, through the port of their handle to the store.

/** The methods of the writer thread. */
export type WriterMethods = { connect(port: MessagePort): void };

/** From a serving thread to the writer. */
export type ToWriter =
  | { readonly kind: "write"; readonly writes: readonly Write[]; readonly handedOverAtMs: number }
  | { readonly kind: "connection_closed" }
  /** The thread writes nothing any more. */
  | { readonly kind: "leave" };

/** From the writer to a serving thread: the outcomes of its own writes, in their order, and messages to all. */
export type FromWriter = WriteOutcomes | ProblemMessage | RecoveryPhase;

/** The methods that a thread with a handle calls in the thread that starts the writer. */
export type HostMethods = {
  /** Returns a port to the writer. Fails when that cannot be started. */
  newPort(): MessagePort;
};

export type HandleMethods = {
  /** The writer has ended, so its port leads nowhere. */
  lose(reason: string): void;
};
