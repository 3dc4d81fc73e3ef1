import type { Database } from "bun:sqlite";
import { changedKey } from "../../../domain/key.ts";
import {
  DELETE_BATCH_SIZE,
  deletionsOfKey,
  insertInto,
  KEYS,
  keyOf,
  keyValues,
  newSecretValues,
  type Row,
  SECRETS,
  selectFrom,
  updatedKeyValues,
  updateKey,
} from "../../rows.ts";
import type { NewKey } from "../../store.ts";
import { prepared } from "../statements.ts";
import type { Writer } from "../writer.ts";

type KeyWrites = IssuingWrites & EditingWrites & Pick<Writer, "noteUseOfKeys">;
type IssuingWrites = Pick<Writer, "createKey" | "createFirstKey" | "rotateKey">;
type EditingWrites = Pick<
  Writer,
  "revokeKey" | "pardonKey" | "editKey" | "suspendKey" | "resumeKey" | "deleteResponsesOfKey" | "deleteKey"
>;

export const keyWrites = (db: Database): KeyWrites => ({
  ...issuingWrites(db),
  ...editingWrites(db),
  ...useWrites(db),
});

const RAISE_REVISION = "UPDATE key_revision SET revision = revision + 1";

/** Every change raises the revision, which is how running services notice it. */
function issuingWrites(db: Database): IssuingWrites {
  const raiseRevision = prepared(db, RAISE_REVISION);
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

  function createKey({ key, digest }: NewKey): void {
    raiseRevision().run();
    insertKey().run(...keyValues(key));
    insertSecret().run(...newSecretValues({ digest, keyId: key.id, createdAtMs: key.createdAtMs }));
  }

  return {
    createKey,
    createFirstKey(key) {
      if (anyKey().get()) return false;
      createKey(key);
      return true;
    },
    rotateKey({ keyId, digest, atMs, oldSecretsExpireAtMs }) {
      raiseRevision().run();
      expireSecrets().run(oldSecretsExpireAtMs, keyId);
      insertSecret().run(...newSecretValues({ digest, keyId, createdAtMs: atMs }));
    },
  };
}

function editingWrites(db: Database): EditingWrites {
  const raiseRevision = prepared(db, RAISE_REVISION);
  const get = prepared<Row, [string]>(db, `${selectFrom(KEYS)} WHERE id = ?`);
  const update = prepared(
    db,
    updateKey(() => "?"),
  );
  const revoke = prepared(db, "UPDATE keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?");
  const pardon = prepared(db, "UPDATE keys SET pardoned_at = ? WHERE id = ?");
  const suspend = prepared(db, "UPDATE keys SET suspended_at = coalesce(suspended_at, ?) WHERE id = ?");
  const resume = prepared(db, "UPDATE keys SET suspended_at = NULL WHERE id = ?");
  const isRevoked = prepared(db, "SELECT 1 FROM keys WHERE id = ? AND revoked_at IS NOT NULL");
  const deletions = deletionsOfKey("?").map((sql) => prepared(db, sql));
  const deleteResponses = prepared(
    db,
    `DELETE FROM saved_responses WHERE key_id = ?1 AND idempotency_key IN
      (SELECT idempotency_key FROM saved_responses WHERE key_id = ?1 LIMIT ?2)`,
  );

  return {
    revokeKey({ keyId, atMs }) {
      raiseRevision().run();
      revoke().run(atMs, keyId);
    },
    pardonKey({ keyId, atMs }) {
      raiseRevision().run();
      pardon().run(atMs, keyId);
    },
    editKey(change) {
      const row = get().get(change.keyId);
      if (!row) return undefined;
      const key = changedKey(keyOf(row), change);
      raiseRevision().run();
      update().run(...updatedKeyValues(key));
      return key;
    },
    suspendKey({ keyId, atMs }) {
      raiseRevision().run();
      suspend().run(atMs, keyId);
    },
    resumeKey({ keyId }) {
      raiseRevision().run();
      resume().run(keyId);
    },
    deleteResponsesOfKey: ({ keyId }) =>
      Number(deleteResponses().run(keyId, DELETE_BATCH_SIZE).changes) === DELETE_BATCH_SIZE,
    deleteKey({ keyId }) {
      if (!isRevoked().get(keyId)) return false;
      raiseRevision().run();
      for (const deletion of deletions) deletion().run(keyId);
      return true;
    },
  };
}

/** A use is no change: raising the revision would make every service read its keys again. */
function useWrites(db: Database): Pick<Writer, "noteUseOfKeys"> {
  const note = prepared(db, "UPDATE keys SET last_used_at = ?1 WHERE id = ?2 AND coalesce(last_used_at, -1) < ?1");
  return {
    noteUseOfKeys(uses) {
      for (const { keyId, atMs } of uses) note().run(atMs, keyId);
    },
  };
}
