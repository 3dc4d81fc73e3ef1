import type { Clock } from "../domain/clock.ts";
import { isSecretInUse, issueOperatorKey, operatorKeyFile } from "../keys/operator-key.ts";
import type { DatabaseUrl } from "../store/database-url.ts";
import type { KeyStore } from "../store/store.ts";
import type { Log } from "../telemetry/log.ts";

/** Issues the operator's key beside a new embedded database. Returns the file with a secret that works, if there is one. */
export async function provideOperatorKey(
  database: DatabaseUrl,
  keys: KeyStore,
  clock: Clock,
  log: Log,
): Promise<string | undefined> {
  // Instances on PostgreSQL share no folder, and a secret does not belong in a log.
  if (database.kind !== "sqlite") return undefined;
  const file = operatorKeyFile(database.path);
  if (await issueOperatorKey(keys, file, clock)) {
    log.info({ file }, "operator key issued");
    return file;
  }
  if (!(await Bun.file(file).exists())) return undefined;
  if (await isSecretInUse(keys, file)) return file;
  log.warn({ file }, "the operator key file holds a secret that no key of this database has: remove the file");
  return undefined;
}
