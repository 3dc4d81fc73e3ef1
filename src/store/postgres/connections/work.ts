import { type Methods, performing, type Work } from "../../sql/work.ts";
import type { Run } from "./connection.ts";
import type { Pool } from "./pool.ts";

/** Performs work, statement after statement. */
export async function perform<Value>(run: Run, work: Work<Value>): Promise<Value> {
  let step = work.next();
  while (!step.done) step = work.next(await run<object>(step.value.sql, step.value.parameters));
  return step.value;
}

type Performed<Of extends Methods> = {
  readonly [Name in keyof Of]: Of[Name] extends (...args: infer Args) => Work<infer Value>
    ? (...args: Args) => Promise<Value>
    : never;
};

/** Methods that only read. */
export const reading = <Of extends Methods>({ read }: Pool, methods: Of): Performed<Of> =>
  performing(methods, (work) => perform(read, work));

/** Methods whose statements are each a transaction. */
export const writing = <Of extends Methods>({ write }: Pool, methods: Of): Performed<Of> =>
  performing(methods, (work) => perform(write, work));

/** Methods that are each one transaction. */
export const transacting = <Of extends Methods>(pool: Pool, methods: Of): Performed<Of> =>
  performing(methods, (work) => pool.transact(({ run }) => perform(run, work)));
