import { MINUTE_MS } from "../domain/clock.ts";
import type { Telemetry } from "./telemetry.ts";

export interface ReporterParts {
  readonly log: { error(fields: { readonly err: unknown }, message: string): void };
  readonly telemetry: Pick<Telemetry, "storeError">;
  /** A monotonic clock. */
  readonly nowMs?: () => number;
}

const REPORT_INTERVAL_MS = MINUTE_MS;

/** Makes reporters of store failures that may recur twice a second: all are counted, one a minute is logged. */
export const createReporter =
  ({ log, telemetry, nowMs = () => performance.now() }: ReporterParts) =>
  (message: string): ((error: unknown) => void) => {
    let reportedAtMs = Number.NEGATIVE_INFINITY;
    return (error) => {
      telemetry.storeError();
      if (nowMs() - reportedAtMs < REPORT_INTERVAL_MS) return;
      reportedAtMs = nowMs();
      log.error({ err: error }, message);
    };
  };
