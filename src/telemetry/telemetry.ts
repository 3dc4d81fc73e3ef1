import type { CountedKey, UsageOutcome } from "../domain/usage/usage.ts";

/** What the service reports about itself while it works. Every method is cheap and never throws. */
export interface Telemetry {
  /** False: nothing is recorded, so that nothing needs to be timed. */
  readonly isOn: boolean;
  request(operation: string, status: number, seconds: number): void;
  /** What came of a request with a valid key. */
  requestOfKey(keyId: string, outcome: UsageOutcome): void;
  /** A request that was refused, with its error code. */
  refusal(code: string): void;
  ban(): void;
  storeError(): void;
  /** Whether this instance counts by itself because Redis does not answer. */
  meterDegraded(isDegraded: boolean): void;
  /** Whether a server of Redis counts; undefined: it is no longer one of those that should. */
  redisServer(server: string, isUp: boolean | undefined): void;
  /** How long an answer of Redis took, and how it went: answered, given_up or failed. */
  redisAnswer(outcome: string, seconds: number): void;
  /** Where to ask about connections to the database server, if there is one. */
  databaseConnections(stats: () => DatabaseConnections): void;
  /** How long a statement or transaction took. */
  databaseAnswer(kind: string, seconds: number): void;
  /** Whether connections are closed early because the limit of open files is near. */
  connectionsLimited(areLimited: boolean): void;
}

/** What is counted for each request, whether there are metrics or not. */
export interface UsageCount {
  /** Without a key, it is part of the totals only. */
  count(key: CountedKey | undefined, outcome: UsageOutcome, ms: number, atMs: number): void;
}

export interface DatabaseConnections {
  readonly open: number;
  readonly inUse: number;
  /** Statements that wait for a connection. */
  readonly waiting: number;
}

export const noTelemetry: Telemetry = {
  isOn: false,
  request() {},
  requestOfKey() {},
  refusal() {},
  ban() {},
  storeError() {},
  meterDegraded() {},
  redisServer() {},
  redisAnswer() {},
  databaseConnections() {},
  databaseAnswer() {},
  connectionsLimited() {},
};
