import type { KeptRequest } from "../domain/usage/kept-request.ts";
import type { CountedKey, UsageOutcome } from "../domain/usage/usage.ts";

/** Records events and measurements of the running service. Every method is cheap and never throws. */
export interface Telemetry {
  /** False: nothing is recorded, so that nothing needs to be timed. */
  readonly isOn: boolean;
  request(operation: string, status: number, seconds: number): void;
  /** Records the outcome of a request with a valid key. */
  requestOfKey(keyId: string, outcome: UsageOutcome): void;
  /** Records a refused request by its error code. */
  refusal(code: string): void;
  ban(): void;
  storeError(): void;
  /** True: this instance counts by itself because Redis does not answer. */
  meterDegraded(isDegraded: boolean): void;
  /** Records whether a server of Redis counts; undefined: it is no longer one of those that should. */
  redisServer(server: string, isUp: boolean | undefined): void;
  /** Records the time of a call to Redis by its outcome: answered, given_up or failed. */
  redisAnswer(outcome: string, seconds: number): void;
  /** Sets the source of the gauges about connections to the database server, if there is one. */
  databaseConnections(stats: () => DatabaseConnections): void;
  /** Records the time of a statement or transaction. */
  databaseAnswer(kind: string, seconds: number): void;
  /** True: connections are closed early because the limit of open files is near. */
  connectionsLimited(areLimited: boolean): void;
}

/** Counts the usage of each request, whether metrics are on or off. */
export interface UsageCount {
  /** A request without a key is part of the totals only. */
  count(key: CountedKey | undefined, outcome: UsageOutcome, ms: number, atMs: number): void;
}

/** Keeps some of the requests of each key, for people to look at. */
export interface RequestKeep {
  /** Returns whether this one is to be kept, and counts it if so: then `keep` follows. Takes a tenth of a microsecond. */
  wants(keyId: string, status: number, atMs: number): boolean;
  keep(request: Omit<KeptRequest, "id">, atMs: number): void;
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
