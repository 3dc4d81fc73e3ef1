import type { Store } from "../store/store.ts";
import type { Log } from "../telemetry/log.ts";

/** Whether requests should be sent here: the store answers, and no stop has begun. */
export function readiness(store: Pick<Store, "check">, log: Log) {
  let isStopping = false;
  return {
    async isReady(): Promise<boolean> {
      if (isStopping) return false;
      try {
        await store.check();
        return true;
      } catch (error) {
        log.warn({ err: error }, "not ready");
        return false;
      }
    },
    stop(): void {
      isStopping = true;
    },
  };
}
