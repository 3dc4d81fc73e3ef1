import type { Database } from "bun:sqlite";
import type { Key } from "../../domain/key.ts";
import { keyOf, momentOf, type Row, SELECTED_KEY } from "../rows.ts";
import type { FoundKey, KeyStore } from "../store.ts";
import { attempt, transact } from "./database.ts";
import { prepared } from "./statements.ts";

export function sqliteKeys(db: Database): KeyStore {
  const findBySecret = prepared<Row, [string]>(
    db,
    `SELECT ${SELECTED_KEY}, s.expires_at AS secret_expires_at FROM secrets s JOIN keys k ON k.id = s.key_id WHERE s.digest = ?`,
  );
  const revision = prepared<{ revision: bigint }, []>(db, "SELECT revision FROM key_revision");
  const bumpRevision = prepared(db, "UPDATE key_revision SET revision = revision + 1");
  const any = prepared(db, "SELECT 1 FROM keys LIMIT 1");
  const list = prepared<Row, []>(db, `SELECT ${SELECTED_KEY} FROM keys k ORDER BY k.created_at, k.id`);
  const get = prepared<Row, [string]>(db, `SELECT ${SELECTED_KEY} FROM keys k WHERE k.id = ?`);
  const insertKey = prepared(
    db,
    "INSERT INTO keys (id, name, plan, per_minute, per_day, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
  );
  const insertSecret = prepared(db, "INSERT INTO secrets (digest, key_id) VALUES (?, ?)");
  const endSecrets = prepared(
    db,
    "UPDATE secrets SET expires_at = min(coalesce(expires_at, ?1), ?1) WHERE key_id = ?2",
  );
  const revoke = prepared(db, "UPDATE keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?");
  const pardon = prepared(db, "UPDATE keys SET pardoned_at = ? WHERE id = ?");

  /** Every change to a key goes through here, so that none is made without the revision. */
  const change = (work: () => void): void =>
    transact(db, () => {
      work();
      bumpRevision().run();
    });

  const insert = (key: Key, digest: string): void => {
    const { perMinute, perDay } = key.quotas;
    insertKey().run(key.id, key.name, key.plan, perMinute, perDay, key.createdAtMs, key.expiresAtMs ?? null);
    insertSecret().run(digest, key.id);
  };

  return {
    findBySecret(digest): FoundKey | undefined {
      const row = attempt(() => findBySecret().get(digest));
      if (!row) return undefined;
      return {
        key: keyOf(row),
        secret: { expiresAtMs: momentOf(row.secret_expires_at) },
      };
    },
    revision: () => Number(attempt(() => revision().get())?.revision ?? 0n),
    create: (key, digest) => change(() => insert(key, digest)),
    async createFirst(key, digest, beforeCommit) {
      let isFirst = false;
      change(() => {
        isFirst = any().get() === null;
        if (!isFirst) return;
        insert(key, digest);
        beforeCommit();
      });
      return isFirst;
    },
    list: () => attempt(() => list().all()).map(keyOf),
    get(id) {
      const row = attempt(() => get().get(id));
      return row ? keyOf(row) : undefined;
    },
    rotate: (id, digest, oldExpireAtMs) =>
      change(() => {
        endSecrets().run(oldExpireAtMs, id);
        insertSecret().run(digest, id);
      }),
    revoke: (id, atMs) => change(() => void revoke().run(atMs, id)),
    pardon: (id, atMs) => change(() => void pardon().run(atMs, id)),
  };
}
