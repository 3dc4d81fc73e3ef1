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
import type { Connection } from "../connections/connection.ts";
import { POSTGRES, rowsParameter } from "../connections/dialect.ts";
import type { Pool } from "../database.ts";
import { appendJournal } from "./journal.ts";

const FIND_BY_SECRET = `${SELECT_KEY_WITH_SECRET} WHERE s.digest = $1`;
const LIST = `${selectFrom(KEYS)} ORDER BY created_at, id`;
const LIST_SOME = `${selectFrom(KEYS)} WHERE id > $1 ORDER BY id LIMIT $2`;
const GET = `${selectFrom(KEYS)} WHERE id = $1`;
const INSERT_KEY = insertInto(KEYS, KEYS.columns, POSTGRES.placeholder);
const INSERT_SECRET = insertInto(SECRETS, SECRETS.columns, POSTGRES.placeholder);

const EXPIRE_SECRETS = "UPDATE secrets SET expires_at = least(coalesce(expires_at, $1), $1) WHERE key_id = $2";
const UPDATE = updateKey(POSTGRES.placeholder);
const SECRETS_OF = selectSecretsOf("$1");
/** Locks the key first: a tally that is being saved for it would otherwise block the deletion. */
const LOCK_REVOKED = `${GET} AND revoked_at IS NOT NULL FOR UPDATE`;
const DELETIONS = deletionsOfKey("$1");
/** Locks keys in one order, so that instances that record the same keys do not deadlock. */
const NOTE_USE = `UPDATE keys k SET last_used_at = l.used_at FROM (
    SELECT keys.id, u.last_used_at AS used_at FROM keys
    JOIN json_populate_recordset(NULL::keys, $1::text::json) u ON u.id = keys.id
    WHERE coalesce(keys.last_used_at, -1) < u.last_used_at ORDER BY keys.id FOR NO KEY UPDATE OF keys
  ) l WHERE k.id = l.id`;
const GET_REVISION = "SELECT revision FROM key_revision";
const RAISE_REVISION = "UPDATE key_revision SET revision = revision + 1";

export function postgresKeys(pool: Pool): KeyStore {
  /** Every change raises the revision, by which running instances notice it; its row serializes changes. */
  const change: Change = (work) =>
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
    async listSome({ afterId, size }) {
      return (await pool.read<Row>(LIST_SOME, [afterId, size])).map(keyOf);
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
    rotate: (rotation) =>
      change(async (tx) => {
        const { keyId, digest, atMs, oldSecretsExpireAtMs } = rotation;
        await tx.run(EXPIRE_SECRETS, [oldSecretsExpireAtMs, keyId]);
        await tx.run(INSERT_SECRET, newSecretValues({ digest, keyId, createdAtMs: atMs }));
        const [row] = await tx.run<Row>(GET, [keyId]);
        await appendJournal(tx, row && entryOfRotation(keyOf(row), rotation, oldSecretsExpireAtMs));
      }),
    ...edits(pool, change),
  };
}

type Change = <T>(work: (tx: Connection) => Promise<T>) => Promise<T>;

type Edits = Pick<KeyStore, "revoke" | "pardon" | "edit" | "suspend" | "resume" | "delete" | "secretsOf" | "noteUse">;

function edits(pool: Pool, change: Change): Edits {
  /** Returns the key as it is then, or undefined if there is none. */
  const edit = <Command extends KeyCommand>(
    command: Command,
    changed: (key: Key, command: Command) => ChangedKey,
  ): Promise<Key | undefined> =>
    change(async (tx) => {
      const [row] = await tx.run<Row>(GET, [command.keyId]);
      if (!row) return undefined;
      const { key, entry } = changed(keyOf(row), command);
      await tx.run(UPDATE, updatedKeyValues(key));
      await appendJournal(tx, entry);
      return key;
    });

  return {
    edit: (command) => edit(command, editedKey),
    revoke: async (command) => void (await edit(command, revokedKey)),
    pardon: async (command) => void (await edit(command, pardonedKey)),
    suspend: async (command) => void (await edit(command, suspendedKey)),
    resume: async (command) => void (await edit(command, resumedKey)),
    delete: (command) =>
      change(async (tx) => {
        const [revoked] = await tx.run<Row>(LOCK_REVOKED, [command.keyId]);
        if (!revoked) return false;
        for (const deletion of DELETIONS) await tx.run(deletion, [command.keyId]);
        await appendJournal(tx, entryOfDeletedKey(command, keyOf(revoked)));
        return true;
      }),
    async secretsOf(keyId) {
      return (await pool.read<Row>(SECRETS_OF, [keyId])).map(datedSecretOf);
    },
    async noteUse(uses) {
      await pool.write(NOTE_USE, [rowsParameter(uses.map(({ keyId, atMs }) => ({ id: keyId, last_used_at: atMs })))]);
    },
  };
}

async function insert(tx: Connection, created: NewKey): Promise<void> {
  const { key, digest } = created;
  await tx.run(INSERT_KEY, keyValues(key));
  await tx.run(INSERT_SECRET, newSecretValues({ digest, keyId: key.id, createdAtMs: key.createdAtMs }));
  await appendJournal(tx, entryOfNewKey(created, key));
}
