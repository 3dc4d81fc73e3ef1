import { done, type Result, refused } from "../../../base/result.ts";
import { endOfReplaced, entryOfOwnRotation, entryOfRotation } from "../../../domain/keys/changes.ts";
import {
  OWN_ROTATIONS_PERIOD_MS,
  type OwnRotationRefusal,
  type PresentedSecret,
  refusalToRotate,
} from "../../../domain/keys/rotation.ts";
import type { OwnRotation, RotatedByHolder, Rotation } from "../../ports/store.ts";
import {
  BY_HOLDER,
  BY_OPERATOR,
  KEYS,
  keyOf,
  keyWithSecretOf,
  NEW_SECRET,
  SECRETS,
  SELECT_KEY_WITH_SECRET,
} from "../rows.ts";
import type { Dialect } from "../searches.ts";
import { insertInto, type SqlValue, selectFrom } from "../table.ts";
import { first, run, type Work } from "../work.ts";
import { journalAppender } from "./journal.ts";

/**
 * Every change to a key begins by raising the revision. Running services notice the change by it, and on PostgreSQL its
 * row serializes changes.
 */
export const RAISE_REVISION = "UPDATE key_revision SET revision = revision + 1";

/** Takes the turn of a change that may come to nothing: then no service is told. */
export const takeTurn = ({ forUpdate }: Dialect): string => `SELECT revision FROM key_revision ${forUpdate}`;

/** New secrets for keys, made by the operator or by their holders. */
export function keyRotations(dialect: Dialect) {
  const { placeholder: $ } = dialect;
  const append = journalAppender(dialect);
  const lock = takeTurn(dialect);
  const get = `${selectFrom(KEYS)} WHERE id = ${$(1)}`;
  const insert = insertInto(SECRETS, NEW_SECRET, $);
  const expire = `UPDATE secrets SET expires_at = CASE WHEN expires_at < ${$(1)} THEN expires_at ELSE ${$(1)} END
    WHERE key_id = ${$(2)}`;
  const findSecretOfKey = `${SELECT_KEY_WITH_SECRET} WHERE s.digest = ${$(1)} AND k.id = ${$(2)}`;
  const selectMadeByHolder = `SELECT created_at FROM secrets
    WHERE key_id = ${$(1)} AND by_holder IS NOT NULL AND created_at > ${$(2)}`;

  function* replaceSecrets({ keyId, digest, atMs, oldSecretsExpireAtMs }: Replacement, by: SqlValue): Work<void> {
    yield* run(RAISE_REVISION);
    yield* run(expire, [oldSecretsExpireAtMs, keyId]);
    yield* run(insert, [digest, keyId, atMs, by]);
  }

  /** The key and the secret that its holder presents, as they are now. */
  function* presentedBy({ keyId, presentedDigest, atMs }: OwnRotation): Work<PresentedSecret | undefined> {
    const found = yield* first(findSecretOfKey, [presentedDigest, keyId]);
    if (!found) return undefined;
    const made = yield* run(selectMadeByHolder, [keyId, atMs - OWN_ROTATIONS_PERIOD_MS]);
    return { ...keyWithSecretOf(found), madeByHolderAtMs: made.map(({ created_at }) => Number(created_at)) };
  }

  return {
    *rotate(rotation: Rotation): Work<void> {
      yield* replaceSecrets(rotation, BY_OPERATOR);
      const row = yield* first(get, [rotation.keyId]);
      yield* append(row && entryOfRotation(keyOf(row), rotation, rotation.oldSecretsExpireAtMs));
    },
    /** Changes nothing if it is refused. Changes to keys take turns, so none is decided on what another one changes. */
    *rotateOwn(rotation: OwnRotation): Work<Result<RotatedByHolder, OwnRotationRefusal>> {
      yield* run(lock);
      const presented = yield* presentedBy(rotation);
      const refusal = refusalToRotate(presented, rotation.atMs);
      if (refusal) return refused(refusal);
      const { key } = presented as PresentedSecret;
      const { keyId, sealedSecret, atMs, oldSecretsExpireAtMs } = rotation;
      yield* replaceSecrets(rotation, BY_HOLDER);
      yield* append(entryOfOwnRotation(key, atMs, oldSecretsExpireAtMs));
      return done({ keyId, sealedSecret, oldSecretExpiresAtMs: endOfReplaced(key, oldSecretsExpireAtMs) });
    },
  };
}

type Replacement = Pick<Rotation, "keyId" | "digest" | "atMs" | "oldSecretsExpireAtMs">;
