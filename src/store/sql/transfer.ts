import { OperatorError } from "../../base/operator-error.ts";

/** The rows that are read or written at a time. */
export const BATCH_SIZE = 2_000;

/** A database with an unfinished copy is not served. */
export const unfinishedCopy = (): OperatorError =>
  new OperatorError("a copy into this database was not finished", { kind: "finish_copy" });

/** The table of copies exists in a database that was the target of one. */
export const COPIES_TABLE = "copies";
export const SELECT_UNFINISHED_COPY = `SELECT 1 FROM ${COPIES_TABLE} WHERE finished_at IS NULL`;
