import { SECOND_MS } from "../domain/clock.ts";
import type { FailureLog, Log } from "./log.ts";

const INTERVAL_MS = 10 * SECOND_MS;
/** Failures of further causes are counted together. */
const MAX_CAUSES = 50;
const CAUSE_MAX_CHARACTERS = 200;

export interface FailureLogParts {
  readonly log: Pick<Log, "error">;
  /** Calls back once, without keeping the process alive for it. */
  readonly schedule?: (delayMs: number, callback: () => void) => void;
}

interface Cause {
  readonly message: string;
  /** How often it happened since it was last logged, and the latest time. */
  count: number;
  error: unknown;
  fields: object;
}

/** Of failures that come by the thousand, the first is logged, then the latest every 10 s with how many there were. */
export function createFailureLog({ log, schedule = systemSchedule }: FailureLogParts): FailureLog & {
  /** Logs what was only counted so far. */
  close(): void;
} {
  const causes = new Map<string, Cause>();

  const logRepeated = ({ message, error, fields, count }: Cause): void =>
    log.error({ err: error, ...fields, repeated: count }, message);
  const endInterval = (id: string, cause: Cause): void => {
    if (cause.count === 0) {
      causes.delete(id);
      return;
    }
    logRepeated(cause);
    cause.count = 0;
    schedule(INTERVAL_MS, () => endInterval(id, cause));
  };

  return {
    report(message, error, fields = {}) {
      const own = causeOf(message, error);
      const id = causes.has(own) || causes.size < MAX_CAUSES ? own : message;
      const known = causes.get(id);
      if (known) {
        known.count++;
        known.error = error;
        known.fields = fields;
        return;
      }
      log.error({ err: error, ...fields }, message);
      const cause = { message, count: 0, error, fields };
      causes.set(id, cause);
      schedule(INTERVAL_MS, () => endInterval(id, cause));
    },
    close() {
      for (const cause of causes.values()) {
        if (cause.count > 0) logRepeated(cause);
        cause.count = 0;
      }
    },
  };
}

const causeOf = (message: string, error: unknown): string =>
  `${message}: ${String(error)}`.slice(0, CAUSE_MAX_CHARACTERS);

const systemSchedule = (delayMs: number, callback: () => void): void => void setTimeout(callback, delayMs).unref();
