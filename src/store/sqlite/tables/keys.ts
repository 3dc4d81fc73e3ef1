import {
  type ChangedKey,
  editedKey,
  entryOfDeletedKey,
  entryOfNewKey,
  entryOfRotation,
  pardonedKey,
  resumedKey,
  revokedKey,
  suspendedKey,
} from "../../../domain/keys/changes.ts";
import type { Key } from "../../../domain/keys/key.ts";
import type { KeyCommand, KeyStore, NewKey } from "../../ports/store.ts";
import {
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
import { BOOKKEEPING, declareWrites, forward, type Writes } from "./write.ts";

export function sqliteKeys(connection: Connection, writes: Writes): KeyStore {
  const findBySecret = prepared<Row, [string]>(connection, `${SELECT_KEY_WITH_SECRET} WHERE s.digest = ?`);
  const revision = prepared<{ revision: bigint }, []>(connection, "SELECT revision FROM key_revision");
  const list = prepared<Row, []>(connection, `${selectFrom(KEYS)} ORDER BY created_at, id`);
  const some = prepared<Row, [string, number]>(connection, `${selectFrom(KEYS)} WHERE id > ? ORDER BY id LIMIT ?`);
  const get = prepared<Row, [string]>(connection, `${selectFrom(KEYS)} WHERE id = ?`);
  const secretsOf = prepared<Row, [string]>(connection, selectSecretsOf("?"));

  return {
    ...forward(writes, issuingWrites),
    ...forward(writes, editingWrites),
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
    secretsOf: (keyId) => attempt(() => secretsOf().all(keyId)).map(datedSecretOf),
  };
}

const RAISE_REVISION = "UPDATE key_revision SET revision = revision + 1";

/** Every change raises the revision, which is how running services notice it, and has its entry in the journal. */
const issuingWrites = declareWrites(
  "keys",
  { create: BOOKKEEPING, createFirst: BOOKKEEPING, rotate: BOOKKEEPING },
  (db) => {
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

    function create(created: NewKey): void {
      const { key, digest } = created;
      raiseRevision().run();
      insertKey().run(...keyValues(key));
      insertSecret().run(...newSecretValues({ digest, keyId: key.id, createdAtMs: key.createdAtMs }));
      journal.append(entryOfNewKey(created, key));
    }

    return {
      create,
      createFirst(key) {
        if (anyKey().get()) return false;
        create(key);
        return true;
      },
      rotate(rotation) {
        const { keyId, digest, atMs, oldSecretsExpireAtMs } = rotation;
        raiseRevision().run();
        expireSecrets().run(oldSecretsExpireAtMs, keyId);
        insertSecret().run(...newSecretValues({ digest, keyId, createdAtMs: atMs }));
        journal.append(entryOfRotation(keyOf(get().get(keyId) as Row), rotation, oldSecretsExpireAtMs));
      },
    };
  },
);

const GET = `${selectFrom(KEYS)} WHERE id = ?`;

const EDITING = {
  revoke: BOOKKEEPING,
  pardon: BOOKKEEPING,
  edit: BOOKKEEPING,
  suspend: BOOKKEEPING,
  resume: BOOKKEEPING,
  delete: BOOKKEEPING,
  noteUse: BOOKKEEPING,
};

const editingWrites = declareWrites("keys", EDITING, (db) => {
  const journal = journalWrites(db);
  const raiseRevision = prepared(db, RAISE_REVISION);
  const get = prepared<Row, [string]>(db, GET);
  const update = prepared(
    db,
    updateKey(() => "?"),
  );
  const deletions = deletionsOfKey("?").map((sql) => prepared(db, sql));
  const note = prepared(db, "UPDATE keys SET last_used_at = ?1 WHERE id = ?2 AND coalesce(last_used_at, -1) < ?1");

  /** Returns the key as it is then, or undefined if there is none. */
  function change<Command extends KeyCommand>(
    command: Command,
    changed: (key: Key, command: Command) => ChangedKey,
  ): Key | undefined {
    const row = get().get(command.keyId);
    if (!row) return undefined;
    const { key, entry } = changed(keyOf(row), command);
    raiseRevision().run();
    update().run(...updatedKeyValues(key));
    journal.append(entry);
    return key;
  }

  return {
    revoke: (command) => void change(command, revokedKey),
    pardon: (command) => void change(command, pardonedKey),
    edit: (command) => change(command, editedKey),
    suspend: (command) => void change(command, suspendedKey),
    resume: (command) => void change(command, resumedKey),
    delete(command) {
      const row = get().get(command.keyId);
      if (!row || row.revoked_at === null) return false;
      raiseRevision().run();
      for (const deletion of deletions) deletion().run(command.keyId);
      journal.append(entryOfDeletedKey(command, keyOf(row)));
      return true;
    },
    /** A use is no change: raising the revision would make every service read its keys again. */
    noteUse(uses) {
      for (const { keyId, atMs } of uses) note().run(atMs, keyId);
    },
  };
});

export const keyWrites = [issuingWrites, editingWrites];
