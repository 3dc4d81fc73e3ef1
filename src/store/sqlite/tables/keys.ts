import type { Database } from "bun:sqlite";
import {
  entryOfKey,
  entryOfRotation,
  pardonedKey,
  resumedKey,
  revokedKey,
  suspendedKey,
} from "../../../domain/keys/changes.ts";
import { changedKey, type Key } from "../../../domain/keys/key.ts";
import type { KeyCommand, KeyStore, NewKey } from "../../ports/store.ts";
import {
  DELETE_BATCH_SIZE,
  datedSecretOf,
  deletionsOfKey,
  KEYS,
  keyOf,
  keyValues,
  keyWithSecretOf,
  newSecretValues,
  SECRETS,
  SELECT_KEY_WITH_SECRET,
  selectSecretsOf,
  updatedKeyValues,
  updateKey,
} from "../../sql/rows.ts";
import { insertInto, type Row, selectFrom } from "../../sql/table.ts";
import { attempt } from "../sql/attempt.ts";
import { type Connection, prepared } from "../sql/statements.ts";
import { journalWrites } from "./journal.ts";
import type { Writer, Writes } from "./writer.ts";

export function sqliteKeys(connection: Connection, writes: Writes): KeyStore {
  const findBySecret = prepared<Row, [string]>(connection, `${SELECT_KEY_WITH_SECRET} WHERE s.digest = ?`);
  const revision = prepared<{ revision: bigint }, []>(connection, "SELECT revision FROM key_revision");
  const list = prepared<Row, []>(connection, `${selectFrom(KEYS)} ORDER BY created_at, id`);
  const some = prepared<Row, [string, number]>(connection, `${selectFrom(KEYS)} WHERE id > ? ORDER BY id LIMIT ?`);
  const get = prepared<Row, [string]>(connection, `${selectFrom(KEYS)} WHERE id = ?`);
  const secretsOf = prepared<Row, [string]>(connection, selectSecretsOf("?"));

  return {
    findBySecret(digest) {
      const row = attempt(() => findBySecret().get(digest));
      return row ? keyWithSecretOf(row) : undefined;
    },
    revision: () => Number(attempt(() => revision().get())?.revision ?? 0n),
    list: () => attempt(() => list().all()).map(keyOf),
    listSome: ({ afterId, size }) => attempt(() => some().all(afterId, size)).map(keyOf),
    get(id) {
      const row = attempt(() => get().get(id));
      return row ? keyOf(row) : undefined;
    },
    create: (key) => writes.perform("createKey", key),
    createFirst: (key) => writes.perform("createFirstKey", key),
    rotate: (rotation) => writes.perform("rotateKey", rotation),
    revoke: (revocation) => writes.perform("revokeKey", revocation),
    pardon: (pardon) => writes.perform("pardonKey", pardon),
    edit: (change) => writes.perform("editKey", change),
    suspend: (suspension) => writes.perform("suspendKey", suspension),
    resume: (resumption) => writes.perform("resumeKey", resumption),
    delete: (deletion) => writes.perform("deleteKey", deletion),
    secretsOf: (keyId) => attempt(() => secretsOf().all(keyId)).map(datedSecretOf),
    noteUse: (uses) => writes.perform("noteUseOfKeys", uses),
  };
}

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

/** Every change raises the revision, which is how running services notice it, and has its entry in the journal. */
function issuingWrites(db: Database): IssuingWrites {
  const journal = journalWrites(db);
  const raiseRevision = prepared(db, RAISE_REVISION);
  const anyKey = prepared(db, "SELECT 1 FROM keys LIMIT 1");
  const get = prepared<Row, [string]>(db, GET);
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

  function createKey(created: NewKey): void {
    const { key, digest } = created;
    raiseRevision().run();
    insertKey().run(...keyValues(key));
    insertSecret().run(...newSecretValues({ digest, keyId: key.id, createdAtMs: key.createdAtMs }));
    journal.append(entryOfKey("keys create", created, undefined, key));
  }

  return {
    createKey,
    createFirstKey(key) {
      if (anyKey().get()) return false;
      createKey(key);
      return true;
    },
    rotateKey(rotation) {
      const { keyId, digest, atMs, oldSecretsExpireAtMs } = rotation;
      raiseRevision().run();
      expireSecrets().run(oldSecretsExpireAtMs, keyId);
      insertSecret().run(...newSecretValues({ digest, keyId, createdAtMs: atMs }));
      journal.append(entryOfRotation(keyOf(get().get(keyId) as Row), rotation, oldSecretsExpireAtMs));
    },
  };
}

const GET = `${selectFrom(KEYS)} WHERE id = ?`;

function editingWrites(db: Database): EditingWrites {
  const journal = journalWrites(db);
  const raiseRevision = prepared(db, RAISE_REVISION);
  const get = prepared<Row, [string]>(db, GET);
  const update = prepared(
    db,
    updateKey(() => "?"),
  );
  const deletions = deletionsOfKey("?").map((sql) => prepared(db, sql));
  const deleteResponses = prepared(
    db,
    `DELETE FROM saved_responses WHERE key_id = ?1 AND idempotency_key IN
      (SELECT idempotency_key FROM saved_responses WHERE key_id = ?1 LIMIT ?2)`,
  );

  /** Returns the key as it is then; undefined: there is none. Without an action, it is not in the journal. */
  function change(action: string | undefined, command: KeyCommand, changed: (key: Key) => Key): Key | undefined {
    const row = get().get(command.keyId);
    if (!row) return undefined;
    const before = keyOf(row);
    const after = changed(before);
    raiseRevision().run();
    update().run(...updatedKeyValues(after));
    if (action !== undefined) journal.append(entryOfKey(action, command, before, after));
    return after;
  }

  return {
    revokeKey: (command) => void change("keys revoke", command, (key) => revokedKey(key, command.atMs)),
    pardonKey: (command) =>
      void change(command.liftsNothing ? undefined : "keys unban", command, (key) =>
        pardonedKey(key, command.bannedAtMs ?? command.atMs),
      ),
    editKey: (edit) => change("keys edit", edit, (key) => changedKey(key, edit)),
    suspendKey: (command) => void change("keys suspend", command, (key) => suspendedKey(key, command.atMs)),
    resumeKey: (command) => void change("keys resume", command, resumedKey),
    deleteResponsesOfKey: ({ keyId }) =>
      Number(deleteResponses().run(keyId, DELETE_BATCH_SIZE).changes) === DELETE_BATCH_SIZE,
    deleteKey(command) {
      const row = get().get(command.keyId);
      if (!row || row.revoked_at === null) return false;
      raiseRevision().run();
      for (const deletion of deletions) deletion().run(command.keyId);
      journal.append(entryOfKey("keys delete", command, keyOf(row), undefined));
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
