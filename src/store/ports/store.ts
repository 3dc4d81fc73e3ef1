import type { Awaitable } from "../../base/time/awaitable.ts";
import type { AnimalStore } from "./animals.ts";
import type { CategoryStore } from "./categories.ts";
import type { CountStore } from "./counts.ts";
import type { StoreProblem } from "./failures.ts";
import type { ImportStore } from "./imports.ts";
import type { InstanceStore } from "./instances.ts";
import type { JournalStore } from "./journal.ts";
import type { KeyStore } from "./keys.ts";
import type { Maintenance } from "./maintenance.ts";
import type { MetadataStore } from "./metadata.ts";
import type { NameIndex } from "./name-index.ts";
import type { OrderStore } from "./orders.ts";
import type { SessionStore } from "./sessions.ts";
import type { TallyStore } from "./tallies.ts";
import type { UsageStore } from "./usage.ts";

export type { IdPage } from "../../base/read-all.ts";
export type * from "./animals.ts";
export type * from "./categories.ts";
export type * from "./counts.ts";
export * from "./failures.ts";
export type * from "./imports.ts";
export type * from "./instances.ts";
export type * from "./journal.ts";
export type * from "./keys.ts";
export type * from "./maintenance.ts";
export type * from "./metadata.ts";
export type * from "./name-index.ts";
export type * from "./orders.ts";
export type * from "./sessions.ts";
export type * from "./tallies.ts";
export type * from "./usage.ts";

// Every method of these ports throws StoreUnavailable when the store cannot answer; a refusal is a returned value. A
// method that writes is one transaction, saved response and journal entry included, and resolves once it is on disk.

/** Everything that the service keeps: SQLite and PostgreSQL each have an adapter that implements it. */
export interface Store {
  readonly animals: AnimalStore;
  readonly nameIndex: NameIndex;
  readonly categories: CategoryStore;
  readonly orders: OrderStore;
  readonly keys: KeyStore;
  readonly tallies: TallyStore;
  readonly metadata: MetadataStore;
  readonly usage: UsageStore;
  readonly instances: InstanceStore;
  readonly imports: ImportStore;
  readonly journal: JournalStore;
  readonly counts: CountStore;
  readonly sessions: SessionStore;
  readonly maintenance: Maintenance;
  /**
   * Returns the same object for as long as animals, categories and orders cannot have changed, by whatever process.
   * Returns undefined when that cannot be known.
   */
  version(): Version | undefined;
  /** Throws StoreUnavailable if the store does not answer or has lost its file. A read-only server passes. */
  check(): Awaitable<void>;
  /** Returns whether the latest check found that the database takes no writes, as a replica does. */
  isReadOnly(): boolean;
  /** Reports failures in the background that no caller is told of. */
  onProblem(report: (problem: StoreProblem, error: Error) => void): void;
  close(): Awaitable<void>;
}

/** While `changes` stays the same, nothing happened but the addition of animals, with greater ids than any before. */
export interface Version {
  readonly changes: number;
  readonly additions: number;
}

/** A store that further threads of the process can serve from too. */
export interface ServingStore<Handle> extends Store {
  /** Returns what one more thread opens the store with: plain data, and a port to transfer if it is embedded. */
  newHandle(): Handle;
}
