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
import type { Connection } from "./connection.ts";
import type { Pool } from "./database.ts";
import { POSTGRES } from "./dialect.ts";

const FIND_BY_SECRET = `${SELECT_KEY_WITH_SECRET} WHERE s.digest = $1`;
const LIST = `${selectFrom(KEYS)} ORDER BY created_at, id`;
const GET = `${selectFrom(KEYS)} WHERE id = $1`;
const INSERT_KEY = insertInto(KEYS, KEYS.columns, POSTGRES.placeholder);
const INSERT_SECRET = insertInto(SECRETS, SECRETS.columns, POSTGRES.placeholder);

const EXPIRE_SECRETS = "UPDATE secrets SET expires_at = least(coalesce(expires_at, $1), $1) WHERE key_id = $2";
const REVOKE = "UPDATE keys SET revoked_at = coalesce(revoked_at, $1) WHERE id = $2";
const PARDON = "UPDATE keys SET pardoned_at = $1 WHERE id = $2";
const GET_REVISION = "SELECT revision FROM key_revision";
const RAISE_REVISION = "UPDATE key_revision SET revision = revision + 1";

export function postgresKeys(pool: Pool): KeyStore {
  /** Every change raises the revision, which is how running instances notice it; its row makes changes take turns. */
  const change = <T>(work: (tx: Connection) => Promise<T>): Promise<T> =>
    pool.transact(async (tx) => {
      await tx.run(RAISE_REVISION);
      return work(tx);
    });

  return {
    async findBySecret(digest) {
      const [row] = await pool.read<Row>(FIND_BY_SECRET, [digest]);
      return row && keyWithSecretOf(row);
    },
    async revision() {
      const [row] = await pool.read<Row>(GET_REVISION);
      return Number(row?.revision ?? 0n);
    },
    async list() {
      return (await pool.read<Row>(LIST)).map(keyOf);
    },
    async get(id) {
      const [row] = await pool.read<Row>(GET, [id]);
      return row && keyOf(row);
    },
    create: (key) => change((tx) => insert(tx, key)),
    createFirst: (key) =>
      change(async (tx) => {
        const [any] = await tx.run("SELECT 1 FROM keys LIMIT 1");
        if (any) return false;
        await insert(tx, key);
        return true;
      }),
    rotate: ({ keyId, digest, oldSecretsExpireAtMs }) =>
      change(async (tx) => {
        await tx.run(EXPIRE_SECRETS, [oldSecretsExpireAtMs, keyId]);
        await tx.run(INSERT_SECRET, newSecretValues({ digest, keyId }));
      }),
    revoke: ({ keyId, atMs }) => change(async (tx) => void (await tx.run(REVOKE, [atMs, keyId]))),
    pardon: ({ keyId, atMs }) => change(async (tx) => void (await tx.run(PARDON, [atMs, keyId]))),
  };
}

async function insert(tx: Connection, { key, digest }: NewKey): Promise<void> {
  await tx.run(INSERT_KEY, keyValues(key));
  await tx.run(INSERT_SECRET, newSecretValues({ digest, keyId: key.id }));
}
