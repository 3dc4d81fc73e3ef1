import {
  type ChangedKey,
  editedKey,
  entryOfDeletedKey,
  entryOfNewKey,
  resumedKey,
  revokedKey,
  suspendedKey,
  unbannedKey,
} from "../../../domain/keys/changes.ts";
import type { DatedSecret, Key, KeyChange } from "../../../domain/keys/key.ts";
import type { FoundKey, HolderRotation, IdPage, KeyCommand, NewKey, Unban } from "../../ports/store.ts";
import {
  BY_OPERATOR,
  datedSecretOf,
  EDITED,
  holderRotationOf,
  KEYS,
  keyOf,
  keyValues,
  keyWithSecretOf,
  NEW_SECRET,
  SECRETS,
  SELECT_KEY_WITH_SECRET,
  selectRotatedByHolders,
  selectSecretsOf,
} from "../rows.ts";
import type { Dialect } from "../searches.ts";
import { insertInto, selectFrom } from "../table.ts";
import { usageTablesOf } from "../usage-rows.ts";
import { first, run, type Work } from "../work.ts";
import { journalAppender } from "./journal.ts";
import { RAISE_REVISION, takeTurn } from "./rotations.ts";
import { isOfKey } from "./usage.ts";

export function keyReads({ placeholder: $, isOneOf, textsIn }: Dialect) {
  // Made once: every request with an unknown key looks for it.
  const findBySecret = `${SELECT_KEY_WITH_SECRET} WHERE s.digest = ${$(1)}`;
  const rotatedByHolders = selectRotatedByHolders($(1));
  const findBySecrets = `${SELECT_KEY_WITH_SECRET} WHERE ${isOneOf("s.digest", textsIn($(1)))}`;
  return {
    *findBySecret(digest: string): Work<FoundKey | undefined> {
      const row = yield* first(findBySecret, [digest]);
      return row && keyWithSecretOf(row);
    },
    *findBySecrets(digests: readonly string[]): Work<ReadonlyMap<string, FoundKey>> {
      const rows = yield* run(findBySecrets, [JSON.stringify(digests)]);
      return new Map(rows.map((row) => [String(row.digest), keyWithSecretOf(row)]));
    },
    *revision(): Work<number> {
      return Number((yield* first("SELECT revision FROM key_revision"))?.revision ?? 0n);
    },
    *list(): Work<readonly Key[]> {
      return (yield* run(`${selectFrom(KEYS)} ORDER BY created_at, id`)).map(keyOf);
    },
    *listSome({ afterId, size }: IdPage): Work<readonly Key[]> {
      const select = `${selectFrom(KEYS)} WHERE id > ${$(1)} ORDER BY id LIMIT ${$(2)}`;
      return (yield* run(select, [afterId, size])).map(keyOf);
    },
    *get(id: string): Work<Key | undefined> {
      const row = yield* first(`${selectFrom(KEYS)} WHERE id = ${$(1)}`, [id]);
      return row && keyOf(row);
    },
    *rotatedByHolders({ sinceMs }: { sinceMs: number }): Work<readonly HolderRotation[]> {
      return (yield* run(rotatedByHolders, [sinceMs])).map(holderRotationOf);
    },
    *secretsOf(keyId: string): Work<readonly DatedSecret[]> {
      return (yield* run(selectSecretsOf($(1)), [keyId])).map(datedSecretOf);
    },
  };
}

type Change<Command> = (key: Key, command: Command) => ChangedKey;

export function keyChanges(dialect: Dialect) {
  const { placeholder: $, forUpdate } = dialect;
  const append = journalAppender(dialect);
  const turn = takeTurn(dialect);
  const get = `${selectFrom(KEYS)} WHERE id = ${$(1)}`;
  const insertKey = insertInto(KEYS, KEYS.columns, $);
  const insertSecret = insertInto(SECRETS, NEW_SECRET, $);
  const update = `UPDATE keys SET ${EDITED.map((column, i) => `${column} = ${$(i + 1)}`).join(", ")}
    WHERE id = ${$(EDITED.length + 1)}`;
  /** In an order that references allow. Most was deleted before, in batches: this is what a service has added since. */
  const deletions = [
    ...usageTablesOf("key").map((table) => `DELETE FROM ${table.name} WHERE ${isOfKey(table, dialect)}`),
    ...["kept_requests", "secrets", "tallies", "saved_responses"].map(
      (table) => `DELETE FROM ${table} WHERE key_id = ${$(1)}`,
    ),
    `DELETE FROM keys WHERE id = ${$(1)}`,
  ];

  function* create(created: NewKey): Work<void> {
    const { key, digest } = created;
    yield* run(RAISE_REVISION);
    yield* run(insertKey, keyValues(key));
    yield* run(insertSecret, [digest, key.id, key.createdAtMs, BY_OPERATOR]);
    yield* append(entryOfNewKey(created, key));
  }

  /** Returns the key as it is then, or undefined if there is none. */
  function* change<Command extends KeyCommand>(command: Command, changed: Change<Command>): Work<Key | undefined> {
    yield* run(RAISE_REVISION);
    const row = yield* first(get, [command.keyId]);
    if (!row) return undefined;
    const { key, entry } = changed(keyOf(row), command);
    yield* run(update, keyValues(key, [...EDITED, "id"]));
    yield* append(entry);
    return key;
  }

  const changing = <Command extends KeyCommand>(changed: Change<Command>) =>
    function* (command: Command): Work<void> {
      yield* change(command, changed);
    };

  return {
    create,
    *createFirst(key: NewKey): Work<boolean> {
      yield* run(turn);
      if (yield* first("SELECT 1 FROM keys LIMIT 1")) return false;
      yield* create(key);
      return true;
    },
    edit: (command: KeyChange & KeyCommand) => change(command, editedKey),
    revoke: changing(revokedKey),
    unban: changing<Unban>(unbannedKey),
    suspend: changing(suspendedKey),
    resume: changing(resumedKey),
    /** Locks the key: a tally that is being saved for it would otherwise block the deletion. */
    *delete(command: KeyCommand): Work<boolean> {
      yield* run(RAISE_REVISION);
      const revoked = yield* first(`${get} AND revoked_at IS NOT NULL ${forUpdate}`, [command.keyId]);
      if (!revoked) return false;
      for (const deletion of deletions) yield* run(deletion, [command.keyId]);
      yield* append(entryOfDeletedKey(command, keyOf(revoked)));
      return true;
    },
  };
}
