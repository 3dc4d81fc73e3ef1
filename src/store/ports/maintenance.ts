/**
 * Upkeep that the service does on its own. A method that returns a boolean does some of its work in one short
 * transaction and returns whether there may be more of it.
 */
export interface Maintenance {
  /** Deletes responses saved up to a moment: their idempotency keys may then be used again. */
  deleteSavedResponses(upTo: { readonly savedAtMs: number }): Promise<boolean>;
  /** Deletes the responses that are saved for a key. */
  deleteResponsesOfKey(of: { readonly keyId: string }): Promise<boolean>;
  /** Deletes the usage and the kept requests of a key. */
  deleteUsageOfKey(of: { readonly keyId: string }): Promise<boolean>;
  /** Deletes usage, and instances, that are older than what is kept. */
  sweepUsage(at: { readonly nowMs: number }): Promise<boolean>;
  /** Deletes kept requests from before a moment. */
  deleteRequestsBefore(before: { readonly beforeMs: number }): Promise<boolean>;
  /** Deletes some of the oldest kept requests, at most so many. Returns how many it were. */
  deleteOldestRequests(most: { readonly count: number }): Promise<number>;
  /** Deletes all sessions and links of the console that have expired. */
  sweepSessions(at: { readonly nowMs: number }): Promise<void>;
  /** Folds names of animals that release 1.1.0 has added, so that they are found by name. */
  foldNames(): Promise<boolean>;
  /** The pool of connections to a database server; undefined for an embedded database. */
  readonly connections?: StoreConnections;
}

export interface StoreConnections {
  stats(): ConnectionStats;
  /** Reports the duration of each statement or transaction, from the call until its answer or its failure. */
  onAnswer(report: (kind: StatementKind, seconds: number) => void): void;
}

export type StatementKind = "read" | "write" | "transaction";

export interface ConnectionStats {
  /** Open connections, busy ones included. */
  readonly open: number;
  readonly inUse: number;
  /** Statements and transactions that wait for a connection. */
  readonly waiting: number;
}
