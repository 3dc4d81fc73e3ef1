import type { Clock } from "../base/time/clock.ts";
import type { EnvironmentName } from "../domain/environment.ts";
import {
  issueOperatorKey,
  type OperatorKeyProblem,
  operatorKeyFile,
  problemWithOperatorKey,
} from "../keys/operator-key.ts";
import type { KeyStore } from "../store/ports/store.ts";
import type { DatabaseUrl } from "../store/urls/database-url.ts";
import type { Log } from "../telemetry/log.ts";

/** The file with the operator's first secret. */
export interface OperatorKey {
  readonly file: string;
  readonly problem: OperatorKeyProblem | undefined;
  /** True: this start has issued it. */
  readonly isNew: boolean;
}

/** Issues the operator's key beside a new embedded database. Returns the file that it is in, if it is there. */
export async function provideOperatorKey(
  database: DatabaseUrl,
  keys: KeyStore,
  environment: EnvironmentName,
  clock: Clock,
  log: Log,
): Promise<OperatorKey | undefined> {
  // Instances on PostgreSQL share no folder, and a secret does not belong in a log.
  if (database.kind !== "sqlite") return undefined;
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
