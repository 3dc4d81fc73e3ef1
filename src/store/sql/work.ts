import type { Awaitable } from "../../base/time/awaitable.ts";
import type { Row, SqlValue } from "./table.ts";

// Reads and writes are written once for both databases, as generators that yield statements and are sent their rows.
// SQLite answers each statement at once, PostgreSQL after a round trip.

/** A statement with its parameters. */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/** Work on a database, within one transaction if it takes several statements. */
export type Work<Value> = Generator<Statement, Value, readonly object[]>;

/** Runs a statement. Returns its rows. */
export function* run<Found = Row>(sql: string, parameters: readonly SqlValue[] = []): Work<readonly Found[]> {
  return (yield { sql, parameters }) as readonly Found[];
}

/** Runs a statement. Returns its first row. */
export function* first<Found = Row>(sql: string, parameters: readonly SqlValue[] = []): Work<Found | undefined> {
  return ((yield { sql, parameters }) as readonly Found[])[0];
}

/** Methods of a port as work. */
export type Methods = Readonly<Record<string, (...args: never[]) => Work<unknown>>>;

/** The same methods, once somebody performs their work. */
export type Performed<Of extends Methods> = {
  readonly [Name in keyof Of]: Of[Name] extends (...args: infer Args) => Work<infer Value>
    ? (...args: Args) => Awaitable<Value>
    : never;
};

/** Turns each method into one that has its work performed. */
export const performing = <Of extends Methods, Result = Performed<Of>>(
  methods: Of,
  perform: <Value>(work: Work<Value>) => unknown,
): Result =>
  Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [name, (...args: never[]) => perform(method(...args))]),
  ) as Result;
