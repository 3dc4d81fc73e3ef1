import type { Store } from "../store/ports/store.ts";
import type { Log } from "../telemetry/log.ts";

/**
 * Tells whether requests should be sent here: it has started, the store answers, and no stop has begun. Logs each change
 * of that once, and of whether the store takes writes.
 */
export function readiness(store: Pick<Store, "check" | "isReadOnly">, log: Log) {
  let isServing = false;
  let wasReadOnly = false;
  let problem: string | undefined;
  let checking: Promise<boolean> | undefined;

  function noteReadOnly(): void {
    const isReadOnly = store.isReadOnly();
    if (isReadOnly && !wasReadOnly)
      log.warn("the database is read-only, as a replica is: reads are served, writes get 503, counters are not saved");
    if (!isReadOnly && wasReadOnly) log.info("the database takes writes again");
    wasReadOnly = isReadOnly;
  }

  async function check(): Promise<boolean> {
    try {
      await store.check();
    } catch (error) {
      const { message } = error as Error;
      if (message !== problem) log.error({ err: error }, `not ready: ${message}`);
      problem = message;
      return false;
    }
    if (problem !== undefined) log.info("ready again");
    problem = undefined;
    noteReadOnly();
    return true;
  }

  return {
    /** Concurrent calls share a check, since anyone may ask. */
    async isReady(): Promise<boolean> {
      if (!isServing) return false;
      checking ??= check().finally(() => {
        checking = undefined;
      });
      return (await checking) && isServing;
    },
    start(): void {
      isServing = true;
      noteReadOnly();
    },
    stop(): void {
      isServing = false;
    },
  };
}
