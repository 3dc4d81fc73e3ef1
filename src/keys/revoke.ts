import type { Clock } from "../domain/clock.ts";
import type { Key } from "../domain/key.ts";
import { done, type Result } from "../domain/result.ts";
import type { KeyStore } from "../store/store.ts";
import { findKey, type UnknownKey } from "./find.ts";

export interface RevokedKey {
  readonly key: Key & { readonly revokedAtMs: number };
  /** It was revoked before, and nothing has changed. */
  readonly wasRevoked: boolean;
}

interface Parts {
  readonly keys: Pick<KeyStore, "get" | "revoke">;
  readonly clock: Clock;
}

/** Revokes a key, permanently. */
export async function revokeKey({ keys, clock }: Parts, id: string): Promise<Result<RevokedKey, UnknownKey>> {
  const found = await findKey(keys, id);
  if (found.kind === "refused") return found;
  const { revokedAtMs } = found.value;
  if (revokedAtMs !== undefined) return done({ key: { ...found.value, revokedAtMs }, wasRevoked: true });
  const atMs = clock.nowMs();
  await keys.revoke({ keyId: id, atMs });
  return done({ key: { ...found.value, revokedAtMs: atMs }, wasRevoked: false });
}
