import type { Key } from "../../domain/key.ts";
import { keyOf, momentOf, type Row, SELECTED_KEY } from "../rows.ts";
import type { KeyStore } from "../store.ts";
import type { Pool, Transaction } from "./database.ts";

export function postgresKeys(pool: Pool): KeyStore {
  const columns = pool.sql.unsafe(SELECTED_KEY);

  /** Every change to a key goes through here, so that none is made without the revision. */
  const change = (work: (tx: Transaction) => Promise<void>): Promise<void> =>
    pool.transact(async (tx) => {
      await tx`UPDATE key_revision SET revision = revision + 1`;
      await work(tx);
    });

  return {
    async findBySecret(digest) {
      const [row] = await pool.read(
        (sql) => sql<Row[]>`SELECT ${columns}, s.expires_at AS secret_expires_at
          FROM secrets s JOIN keys k ON k.id = s.key_id WHERE s.digest = ${digest}`,
      );
      return row && { key: keyOf(row), secret: { expiresAtMs: momentOf(row.secret_expires_at) } };
    },
    async revision() {
      const [row] = await pool.read((sql) => sql<Row[]>`SELECT revision FROM key_revision`);
      return Number(row?.revision ?? 0n);
    },
    create: (key, digest) => change((tx) => insert(tx, key, digest)),
    async createFirst(key, digest, beforeCommit) {
      let isFirst = false;
      await change(async (tx) => {
        const [any] = await tx`SELECT 1 FROM keys LIMIT 1`;
        isFirst = any === undefined;
        if (!isFirst) return;
        await insert(tx, key, digest);
        beforeCommit();
      });
      return isFirst;
    },
    async list() {
      const rows = await pool.read((sql) => sql<Row[]>`SELECT ${columns} FROM keys k ORDER BY k.created_at, k.id`);
      return rows.map(keyOf);
    },
    async get(id) {
      const [row] = await pool.read((sql) => sql<Row[]>`SELECT ${columns} FROM keys k WHERE k.id = ${id}`);
      return row && keyOf(row);
    },
    rotate: (id, digest, oldExpireAtMs) =>
      change(async (tx) => {
        await tx`UPDATE secrets SET expires_at = least(coalesce(expires_at, ${oldExpireAtMs}), ${oldExpireAtMs}) WHERE key_id = ${id}`;
        await tx`INSERT INTO secrets (digest, key_id) VALUES (${digest}, ${id})`;
      }),
    revoke: (id, atMs) =>
      change(async (tx) => {
        await tx`UPDATE keys SET revoked_at = coalesce(revoked_at, ${atMs}) WHERE id = ${id}`;
      }),
    pardon: (id, atMs) =>
      change(async (tx) => {
        await tx`UPDATE keys SET pardoned_at = ${atMs} WHERE id = ${id}`;
      }),
  };
}

async function insert(tx: Transaction, key: Key, digest: string): Promise<void> {
  const { perMinute, perDay } = key.quotas;
  await tx`INSERT INTO keys (id, name, plan, per_minute, per_day, created_at, expires_at)
    VALUES (${key.id}, ${key.name}, ${key.plan}, ${perMinute}, ${perDay}, ${key.createdAtMs}, ${key.expiresAtMs ?? null})`;
  await tx`INSERT INTO secrets (digest, key_id) VALUES (${digest}, ${key.id})`;
}
