import { seal } from "../base/runtime/sealing.ts";
import type { Clock } from "../base/time/clock.ts";
import type { EnvironmentName } from "../domain/environment.ts";
import type { IdempotencyKey, IdempotentResult } from "../domain/idempotency.ts";
import { digestOf, newSecret } from "../domain/keys/key.ts";
import type { OwnRotationRefusal } from "../domain/keys/rotation.ts";
import type { KeyStore, RotatedByHolder } from "../store/ports/store.ts";

interface Parts {
  readonly keys: Pick<KeyStore, "rotateOwn">;
  readonly clock: Clock;
  readonly environment: EnvironmentName;
}

interface OwnRotationRequest {
  readonly keyId: string;
  /** The secret that the holder calls with. */
  readonly presented: string;
  readonly overlapMs: number;
}

/**
 * Gives a key a new secret because its holder asks for it. The result has it sealed with the presented one, so that the
 * first response and those to retries are made alike: the store and its threads never see it.
 */
export function rotateOwnSecret(
  { keys, clock, environment }: Parts,
  { keyId, presented, overlapMs }: OwnRotationRequest,
  idempotencyKey: IdempotencyKey | undefined,
): Promise<IdempotentResult<RotatedByHolder, OwnRotationRefusal>> {
  const secret = newSecret(environment);
  const atMs = clock.nowMs();
  const rotation = {
    keyId,
    presentedDigest: digestOf(presented),
    digest: digestOf(secret),
    sealedSecret: seal(secret, presented, keyId),
    atMs,
    oldSecretsExpireAtMs: atMs + overlapMs,
  };
  return keys.rotateOwn(rotation, idempotencyKey);
}
