import { SECOND_MS } from "../base/time/clock.ts";
import type { FailureLog, Log } from "./log.ts";
import { Repeats, type RepeatsParts } from "./repeats.ts";

const INTERVAL_MS = 10 * SECOND_MS;
const CAUSE_MAX_CHARACTERS = 200;

export interface FailureLogParts extends Pick<RepeatsParts<unknown>, "schedule"> {
  readonly log: Pick<Log, "error">;
}

interface Failure {
  readonly message: string;
  readonly error: unknown;
  readonly fields: object;
}

/** Logs the first of many equal failures, and then every 10 s the latest, with their number. */
export function createFailureLog({ log, ...parts }: FailureLogParts): FailureLog & {
  /** Logs the failures that were only counted so far. */
  close(): void;
} {
  const failures = new Repeats<Failure>({
    ...parts,
    shows: "latest",
    intervalMs: INTERVAL_MS,
    write: ({ message, error, fields }, repeated) =>
      log.error({ err: error, ...fields, ...(repeated ? { repeated } : {}) }, message),
  });
  return {
    report: (message, error, fields = {}) =>
      failures.report(causeOf(message, error), message, () => ({ message, error, fields })),
    close: () => failures.close(),
  };
}

const causeOf = (message: string, error: unknown): string =>
  `${message}: ${String(error)}`.slice(0, CAUSE_MAX_CHARACTERS);
