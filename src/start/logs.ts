import { createFailureLog } from "../telemetry/failures.ts";
import type { Log } from "../telemetry/log.ts";
import { createRefusalLog } from "../telemetry/refusals.ts";
import { noTelemetry, type Telemetry } from "../telemetry/telemetry.ts";

/** The log of a thread, with few lines of failures and refusals however many there are. */
export type Logs = ReturnType<typeof openLogs>;

export function openLogs(
  log: Log,
  opened: AsyncDisposableStack,
  telemetry: Pick<Telemetry, "storeError"> = noTelemetry,
) {
  const [failures, refusals] = [createFailureLog({ log }), createRefusalLog({ log })];
  opened.defer(() => failures.close());
  opened.defer(() => refusals.close());
  /** Makes a function that counts failures of the store, and reports them under a message. */
  const report = (message: string) => (error: unknown) => {
    telemetry.storeError();
    failures.report(message, error);
  };
  return { log, failures, refusals, report };
}
