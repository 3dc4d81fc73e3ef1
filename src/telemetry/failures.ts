import { SECOND_MS } from "../base/time/clock.ts";
import type { FailureLog, Log } from "./log.ts";
import { Repeats, type RepeatsParts } from "./repeats.ts";

const INTERVAL_MS = 10 * SECOND_MS;
const CAUSE_MAX_CHARACTERS = 200;

export interface FailureLogParts extends Pick<RepeatsParts<unknown>, "schedule"> {
  readonly log: Pick<Log, "error">;
}

/** Logs the first of many equal failures, and then every 10 s the latest, with their number. */
export function createFailureLog({ log, ...parts }: FailureLogParts) {
  const failures = new Repeats<Parameters<FailureLog["report"]>>({
    ...parts,
    shows: "latest",
    intervalMs: INTERVAL_MS,
    write: ([message, error, fields], repeated) =>
      log.error({ err: error, ...fields, ...(repeated ? { repeated } : {}) }, message),
  });
  return {
    report(...failure: Parameters<FailureLog["report"]>): void {
      const [message, error] = failure;
      const cause = `${message}: ${String(error)}`.slice(0, CAUSE_MAX_CHARACTERS);
      failures.report(cause, message, () => failure);
    },
    /** Logs the failures that were only counted so far. */
    close: () => failures.close(),
  };
}
