import { createFailureLog } from "../telemetry/failures.ts";
import type { FailureLog, Log, RefusalLog } from "../telemetry/log.ts";
import { createRefusalLog } from "../telemetry/refusals.ts";

/** What is logged of failures and refusals: few lines, however many there are. */
export function openBoundedLogs(
  log: Log,
  opened: AsyncDisposableStack,
): { failures: FailureLog; refusals: RefusalLog } {
  const [failures, refusals] = [createFailureLog({ log }), createRefusalLog({ log })];
  opened.defer(() => failures.close());
  opened.defer(() => refusals.close());
  return { failures, refusals };
}
