import * as fs from "node:fs";
import { OperatorError } from "../base/operator-error.ts";
import type { Clock } from "../base/time/clock.ts";
import type { EnvironmentName } from "../domain/environment.ts";
import type { Author } from "../domain/journal.ts";
import { digestOf, type KeyProblem, newKey, newSecret, problemWith } from "../domain/keys/key.ts";
import { PLANS } from "../domain/keys/plan.ts";
import { beginFile } from "../store/files/partial-file.ts";
import type { KeyStore } from "../store/ports/store.ts";
import { absolutePath } from "../store/urls/database-url.ts";

/** The file is named after the database, so that two stores in one folder do not share it. */
export const operatorKeyFile = (databasePath: string): string =>
  absolutePath(`${databasePath.replace(/\.(db|sqlite3?)$/, "")}.operator-key`);

/** The name of the key that a first start issues. */
export const OPERATOR_KEY_NAME = "operator";

/** The first start issues this key by itself. */
const SERVICE: Author = { by: "animal-store", via: "service" };

/**
 * Issues the operator's key if the store has never had a key, with its secret in a file. Returns whether it did.
 * The file is written first: after a crash in between, the revision is still 0, so the next start replaces the file.
 */
export async function issueOperatorKey(
  keys: Pick<KeyStore, "revision" | "createFirst">,
  file: string,
  clock: Clock,
  environment: EnvironmentName,
): Promise<boolean> {
  if ((await keys.revision()) > 0) return false;
  const secret = newSecret(environment);
  const key = newKey({
    name: OPERATOR_KEY_NAME,
    plan: "business",
    quotas: PLANS.business,
    createdAtMs: clock.nowMs(),
    expiresAtMs: undefined,
  });
  writeForOwnerOnly(file, `${secret}\n`);
  if (await keys.createFirst({ ...SERVICE, atMs: key.createdAtMs, key, digest: digestOf(secret) })) return true;
  // Somebody has issued a key meanwhile: this secret belongs to no key.
  fs.rmSync(file);
  return false;
}

/** The reason why the secret in the operator's file does not work. */
export type OperatorKeyProblem =
  | (KeyProblem & { readonly keyId: string })
  /** No key has the secret: the key was deleted, the file is of another database, or a crash has left it there. */
  | { readonly kind: "unknown" };

/** Undefined when the secret in the file works, or when that cannot be known. */
export async function problemWithOperatorKey(
  keys: Pick<KeyStore, "findBySecret">,
  file: string,
  clock: Clock,
): Promise<OperatorKeyProblem | undefined> {
  const text = await Bun.file(file)
    .text()
    .catch(() => undefined);
  // A file that cannot be read, such as another user's, may hold a secret that works.
  if (text === undefined) return undefined;
  const found = await keys.findBySecret(digestOf(text.trim()));
  if (!found) return { kind: "unknown" };
  const problem = problemWith(found.key, found.secret, clock.nowMs());
  return problem && { ...problem, keyId: found.key.id };
}

function writeForOwnerOnly(file: string, text: string): void {
  try {
    using partial = beginFile(file, { mayReplace: () => true });
    fs.writeSync(partial.descriptor, text);
    partial.publish();
  } catch (error) {
    throw new OperatorError(`cannot write the operator's key to ${file}: ${(error as Error).message}`);
  }
}
