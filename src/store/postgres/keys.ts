import {
  insertInto,
  KEYS,
  keyOf,
  keyValues,
  keyWithSecretOf,
  newSecretValues,
  type Row,
  SECRETS,
  SELECT_KEY_WITH_SECRET,
  selectFrom,
} from "../rows.ts";
import type { KeyStore, NewKey } from "../store.ts";
import type { Pool, Transaction } from "./database.ts";
import { POSTGRES, run } from "./dialect.ts";

const FIND_BY_SECRET = `${SELECT_KEY_WITH_SECRET} WHERE s.digest = $1`;
const LIST = `${selectFrom(KEYS)} ORDER BY created_at, id`;
const GET = `${selectFrom(KEYS)} WHERE id = $1`;
const INSERT_KEY = insertInto(KEYS, KEYS.columns, POSTGRES.placeholder);
const INSERT_SECRET = insertInto(SECRETS, SECRETS.columns, POSTGRES.placeholder);

export function postgresKeys(pool: Pool): KeyStore {
  /** Every change raises the revision, which is how running instances notice it; its row makes changes take turns. */
  const change = <T>(work: (tx: Transaction) => Promise<T>): Promise<T> =>
    pool.transact(async (tx) => {
      await tx`UPDATE key_revision SET revision = revision + 1`;
      return work(tx);
    });

  return {
    async findBySecret(digest) {
      const [row] = await pool.read((sql) => run<Row>(sql, FIND_BY_SECRET, [digest]));
      return row && keyWithSecretOf(row);
    },
    async revision() {
      const [row] = await pool.read((sql) => sql<Row[]>`SELECT revision FROM key_revision`);
      return Number(row?.revision ?? 0n);
    },
    async list() {
      const rows = await pool.read((sql) => run<Row>(sql, LIST, []));
      return rows.map(keyOf);
    },
    async get(id) {
      const [row] = await pool.read((sql) => run<Row>(sql, GET, [id]));
      return row && keyOf(row);
    },
    create: (key) => change((tx) => insert(tx, key)),
    createFirst: (key) =>
      change(async (tx) => {
        const [any] = await tx`SELECT 1 FROM keys LIMIT 1`;
        if (any) return false;
        await insert(tx, key);
        return true;
      }),
    rotate: ({ keyId, digest, oldSecretsExpireAtMs }) =>
      change(async (tx) => {
        await tx`UPDATE secrets SET expires_at = least(coalesce(expires_at, ${oldSecretsExpireAtMs}), ${oldSecretsExpireAtMs})
          WHERE key_id = ${keyId}`;
        await run(tx, INSERT_SECRET, newSecretValues({ digest, keyId }));
      }),
    revoke: ({ keyId, atMs }) =>
      change(async (tx) => {
        await tx`UPDATE keys SET revoked_at = coalesce(revoked_at, ${atMs}) WHERE id = ${keyId}`;
      }),
    pardon: ({ keyId, atMs }) =>
      change(async (tx) => {
        await tx`UPDATE keys SET pardoned_at = ${atMs} WHERE id = ${keyId}`;
      }),
  };
}

async function insert(tx: Transaction, { key, digest }: NewKey): Promise<void> {
  await run(tx, INSERT_KEY, keyValues(key));
  await run(tx, INSERT_SECRET, newSecretValues({ digest, keyId: key.id }));
}
