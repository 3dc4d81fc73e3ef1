/** The pool of connections to a database server. */
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
