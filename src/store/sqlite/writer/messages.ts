import type { StoreProblem } from "../../ports/store.ts";
import type { Write } from "../tables/write.ts";
import type { WriterSettings } from "./connection.ts";
import type { WriteOutcomes } from "./group-commit.ts";

// What threads say to each other about writes. Each serving thread has a port to the writer thread. Those that did not
// start the writer get that port through another one, their handle at the store.

/** From whoever starts the writer thread. */
export type ToThread =
  | { readonly kind: "open"; readonly settings: WriterSettings }
  | { readonly kind: "connect"; readonly port: MessagePort }
  | { readonly kind: "close" };

/** From a serving thread to the writer. */
export type ToWriter =
  | { readonly kind: "write"; readonly writes: readonly Write[]; readonly handedOverAtMs: number }
  /** It has closed its connection. */
  | { readonly kind: "suspended" }
  /** It writes nothing any more. */
  | { readonly kind: "leave" };

/** From the writer to a serving thread. Outcomes are those of its own writes, in their order; the rest is for all. */
export type FromWriter =
  | WriteOutcomes
  | { readonly kind: "problem"; readonly problem: StoreProblem; readonly message: string }
  /** A sync has failed: nothing is acknowledged from here on. */
  | { readonly kind: "distrust"; readonly reason: string }
  /** Every serving thread is to close its connection, */
  | { readonly kind: "suspend" }
  /** and may open it again. */
  | { readonly kind: "resume" }
  /** The database was opened again and checked. */
  | { readonly kind: "trust" };

/** From a thread that has a handle. */
export type FromAttached =
  /** It has something to write, and no port. */
  { readonly kind: "request" } | { readonly kind: "leave" };

export type ToAttached =
  | { readonly kind: "port"; readonly port: MessagePort }
  /** The writer cannot be started. */
  | { readonly kind: "failed"; readonly reason: string }
  /** The writer has ended: its port leads nowhere. */
  | { readonly kind: "lost"; readonly reason: string };
