import type { Store } from "../store/ports/store.ts";
import type { Log } from "../telemetry/log.ts";

export type Readiness = ReturnType<typeof readiness>;

/** Whether requests should be sent here: it has started, the store answers, and no stop has begun. A change is logged once. */
export function readiness(store: Pick<Store, "check">, log: Pick<Log, "error" | "info">) {
  let isServing = false;
  let problem: string | undefined;
  return {
    async isReady(): Promise<boolean> {
      if (!isServing) return false;
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
      return true;
    },
    start(): void {
      isServing = true;
    },
    stop(): void {
      isServing = false;
    },
  };
}
