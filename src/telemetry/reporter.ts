import type { FailureLog } from "./log.ts";
import type { Telemetry } from "./telemetry.ts";

export interface ReporterParts {
  readonly failures: FailureLog;
  readonly telemetry: Pick<Telemetry, "storeError">;
}

/** Makes reporters of store failures that no response mentions. All are counted, and logged by the failure log. */
export const createReporter =
  ({ failures, telemetry }: ReporterParts) =>
  (message: string): ((error: unknown) => void) =>
  (error) => {
    telemetry.storeError();
    failures.report(message, error);
  };
