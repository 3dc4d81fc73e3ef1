import type { Clock } from "./domain/clock.ts";
import { OperatorError } from "./domain/fault.ts";
import { digestOf, newKey, newSecret } from "./domain/key.ts";
import { PLANS } from "./domain/plan.ts";
import { absolutePath } from "./store/open.ts";
import type { KeyStore } from "./store/store.ts";

/** Beside the database, under its name, so that two stores in one folder keep apart. */
export const operatorKeyFile = (databasePath: string): string =>
  absolutePath(`${databasePath.replace(/\.(db|sqlite3?)$/, "")}.operator-key`);

/**
 * Issues the operator's key when the store has never had one. The file is there before the key is
 * true: after a crash in between, the next start issues another and writes the file anew.
 */
export async function issueOperatorKey(keys: KeyStore, file: string, clock: Clock): Promise<boolean> {
  // Every start asks, and only the first has to write.
  if ((await keys.revision()) > 0) return false;
  const secret = newSecret();
  const createdAtMs = clock.nowMs();
  const key = newKey({
    name: "operator",
    plan: "business",
    quotas: PLANS.business,
    createdAtMs,
    expiresAtMs: undefined,
  });
  return await keys.createFirst(key, digestOf(secret), () => writeForOwnerOnly(file, `${secret}\n`));
}

function writeForOwnerOnly(file: string, text: string): void {
  // Needed once in a store's life, and slow to load.
  const { chmodSync, renameSync, writeFileSync } = process.getBuiltinModule("node:fs");
  const draft = `${file}.new`;
  try {
    writeFileSync(draft, text, { mode: 0o600, flush: true });
    chmodSync(draft, 0o600);
    renameSync(draft, file);
  } catch (error) {
    throw new OperatorError(`cannot write the operator's key to ${file}: ${(error as Error).message}`);
  }
}
