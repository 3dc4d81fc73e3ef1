import type { KeyStore } from "../../ports/store.ts";
import {
  datedSecretOf,
  KEYS,
  keyOf,
  keyWithSecretOf,
  SELECT_KEY_WITH_SECRET,
  selectSecretsOf,
} from "../../sql/rows.ts";
import { type Row, selectFrom } from "../../sql/table.ts";
import { attempt } from "../sql/attempt.ts";
import { type Connection, prepared } from "../sql/statements.ts";
import type { Writes } from "./writer.ts";

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
    deleteResponses: (of) => writes.perform("deleteResponsesOfKey", of),
    deleteUsage: (of) => writes.perform("deleteUsageOfKey", of),
    delete: (deletion) => writes.perform("deleteKey", deletion),
    secretsOf: (keyId) => attempt(() => secretsOf().all(keyId)).map(datedSecretOf),
    noteUse: (uses) => writes.perform("noteUseOfKeys", uses),
  };
}
