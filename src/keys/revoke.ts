import { done, type Result } from "../base/result.ts";
import type { Key } from "../domain/keys/key.ts";
import type { ChangeContext } from "./queries/context.ts";
import { onKey } from "./queries/find.ts";

export interface ChangedKey {
  /** The key after the change. */
  readonly key: Key;
  /** False: it was like this already, since the time that it still has. */
  readonly hasChanged: boolean;
}

/** Revokes a key, permanently. */
export const revokeKey = onKey(async ({ keys, clock, author }: ChangeContext, key): Promise<Result<ChangedKey>> => {
  if (key.revokedAtMs !== undefined) return done({ key, hasChanged: false });
  const atMs = clock.nowMs();
  await keys.revoke({ ...author, keyId: key.id, atMs });
  return done({ key: { ...key, revokedAtMs: atMs }, hasChanged: true });
});
