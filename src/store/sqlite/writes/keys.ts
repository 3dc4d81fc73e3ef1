import type { Database } from "bun:sqlite";
import { insertInto, KEYS, keyValues, newSecretValues, SECRETS } from "../../rows.ts";
import type { NewKey } from "../../store.ts";
import { prepared } from "../statements.ts";
import type { Writer } from "../writer.ts";

type KeyWrites = Pick<Writer, "createKey" | "createFirstKey" | "rotateKey" | "revokeKey" | "pardonKey">;

/** Every change raises the revision, which is how running services notice it. */
export function keyWrites(db: Database): KeyWrites {
  const raiseRevision = prepared(db, "UPDATE key_revision SET revision = revision + 1");
  const anyKey = prepared(db, "SELECT 1 FROM keys LIMIT 1");
  const insertKey = prepared(
    db,
    insertInto(KEYS, KEYS.columns, () => "?"),
  );
  const insertSecret = prepared(
    db,
    insertInto(SECRETS, SECRETS.columns, () => "?"),
  );
  const expireSecrets = prepared(
    db,
    "UPDATE secrets SET expires_at = min(coalesce(expires_at, ?1), ?1) WHERE key_id = ?2",
  );
  const revoke = prepared(db, "UPDATE keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?");
  const pardon = prepared(db, "UPDATE keys SET pardoned_at = ? WHERE id = ?");

  function createKey({ key, digest }: NewKey): void {
    raiseRevision().run();
    insertKey().run(...keyValues(key));
    insertSecret().run(...newSecretValues({ digest, keyId: key.id }));
  }

  return {
    createKey,
    createFirstKey(key) {
      if (anyKey().get()) return false;
      createKey(key);
      return true;
    },
    rotateKey({ keyId, digest, oldSecretsExpireAtMs }) {
      raiseRevision().run();
      expireSecrets().run(oldSecretsExpireAtMs, keyId);
      insertSecret().run(...newSecretValues({ digest, keyId }));
    },
    revokeKey({ keyId, atMs }) {
      raiseRevision().run();
      revoke().run(atMs, keyId);
    },
    pardonKey({ keyId, atMs }) {
      raiseRevision().run();
      pardon().run(atMs, keyId);
    },
  };
}
