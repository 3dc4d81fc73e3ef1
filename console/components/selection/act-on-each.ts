import { Failure, sentenceOf } from "../../api.ts";

/** The number of requests that are under way at once. */
const AT_ONCE = 4;

export interface Refused<T> {
  readonly row: T;
  /** A sentence for the user. */
  readonly reason: string;
}

/** The rows by their outcome, each in the order of the list. */
export interface Outcome<T> {
  readonly done: readonly T[];
  readonly refused: readonly Refused<T>[];
  /** Rows that nothing was sent for, because it was stopped, or because they would have failed as well. */
  readonly left: readonly T[];
}

interface Acting {
  /** Aborted to stop it: requests that are under way are finished, because nobody would know what they did. */
  readonly signal: AbortSignal;
  readonly onProgress: (finished: number) => void;
}

/** Sends a request for each row, some at a time. No refusal keeps the others from being sent. */
export async function actOnEach<T>(
  rows: readonly T[],
  send: (row: T) => Promise<unknown>,
  { signal, onProgress }: Acting,
): Promise<Outcome<T>> {
  const reasons = new Map<T, string | undefined>();
  let begun = 0;
  let isPointless = false;
  async function work(): Promise<void> {
    while (begun < rows.length && !isPointless && !signal.aborted) {
      const row = rows[begun++] as T;
      try {
        await send(row);
        reasons.set(row, undefined);
      } catch (error) {
        reasons.set(row, sentenceOf(error));
        isPointless ||= concernsAll(error);
      }
      onProgress(reasons.size);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return {
    done: rows.filter((row) => reasons.has(row) && reasons.get(row) === undefined),
    refused: rows.flatMap((row) => {
      const reason = reasons.get(row);
      return reason === undefined ? [] : [{ row, reason }];
    }),
    left: rows.slice(begun),
  };
}

/** No answer, no session, not this role, no database. */
const CONCERN_ALL: readonly number[] = [0, 401, 403, 503];

const concernsAll = (error: unknown): boolean => !(error instanceof Failure) || CONCERN_ALL.includes(error.status);
