import { done, type Result } from "../base/result.ts";
import type { Clock } from "../base/time/clock.ts";
import type { Author } from "../domain/journal.ts";
import type { Key } from "../domain/keys/key.ts";
import type { KeyStore } from "../store/ports/store.ts";
import { type FindRefusal, findKey } from "./queries/find.ts";

export interface RevokedKey {
  readonly key: Key & { readonly revokedAtMs: number };
  /** Revoking again changes nothing. */
  readonly wasRevoked: boolean;
}

interface Parts {
  readonly keys: Pick<KeyStore, "get" | "list" | "revoke">;
  readonly clock: Clock;
  readonly author: Author;
}

/** Revokes a key, permanently. */
export async function revokeKey(
  { keys, clock, author }: Parts,
  idOrName: string,
): Promise<Result<RevokedKey, FindRefusal>> {
  const found = await findKey(keys, idOrName);
  if (found.kind === "refused") return found;
  const { revokedAtMs } = found.value;
  if (revokedAtMs !== undefined) return done({ key: { ...found.value, revokedAtMs }, wasRevoked: true });
  const atMs = clock.nowMs();
  await keys.revoke({ ...author, keyId: found.value.id, atMs });
  return done({ key: { ...found.value, revokedAtMs: atMs }, wasRevoked: false });
}
