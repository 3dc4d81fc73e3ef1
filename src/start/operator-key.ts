import type { Clock } from "../base/time/clock.ts";
import type { EnvironmentName } from "../domain/environment.ts";
import { issueOperatorKey, operatorKeyFile, problemWithOperatorKey } from "../keys/operator-key.ts";
import type { KeyStore } from "../store/ports/store.ts";
import { type DatabaseUrl, isEmbedded } from "../store/urls/database-url.ts";
import type { Log } from "../telemetry/log.ts";

/** The file with the operator's first secret. */
export type OperatorKey = NonNullable<Awaited<ReturnType<typeof provideOperatorKey>>>;

/**
 * Issues the operator's key beside a new embedded database. Returns the file that it is in, if it is there, and whether
 * this start has issued it.
 */
export async function provideOperatorKey(
  database: DatabaseUrl,
  keys: KeyStore,
  environment: EnvironmentName,
  clock: Clock,
  log: Log,
) {
  // Instances on PostgreSQL share no folder, and a secret does not belong in a log.
  if (!isEmbedded(database)) return undefined;
  const file = operatorKeyFile(database.path);
  if (await issueOperatorKey(keys, file, clock, environment)) {
    log.info({ file }, "operator key issued");
    return { file, problem: undefined, isNew: true };
  }
  if (!(await Bun.file(file).exists())) return undefined;
  const problem = await problemWithOperatorKey(keys, file, clock);
  if (problem) log.warn({ file, problem }, "the operator key in its file does not work");
  return { file, problem, isNew: false };
}
