import type { IdempotencyKey, SavedContent, SavedResponse } from "../../domain/idempotency.ts";
import type { DatedSecret, Key } from "../../domain/keys/key.ts";
import type { Plan } from "../../domain/keys/plan.ts";
import { SCOPES, type Scope } from "../../domain/keys/scope.ts";
import { TALLY_NUMBER_NAMES, type Tally, tallyNumbers, tallyOfNumbers } from "../../domain/limits/tally.ts";
import type { Animal, NewAnimal } from "../../domain/stock/animal.ts";
import type { Category } from "../../domain/stock/category.ts";
import { fold } from "../../domain/stock/fold.ts";
import type { FoundKey, HolderRotation, KeyTally } from "../ports/store.ts";
import { IMPORT_RANGES, IMPORTS } from "./import-rows.ts";
import { JOURNAL } from "./journal-rows.ts";
import { ORDERS } from "./order-rows.ts";
import { KEPT_REQUESTS } from "./request-rows.ts";
import { decodeSavedContent } from "./saved-content.ts";
import { type ColumnOf, optionalNumber, type Row, type SqlValue, type Table } from "./table.ts";
import { USAGE_TABLES } from "./usage-rows.ts";

// The tables of both databases, and what their rows mean. A column stands in a file of rows and in a migration, nowhere
// else: reading, writing and copying take their columns from these lists.

// Animals

const NEW_ANIMAL_COLUMNS: ColumnOf<NewAnimal> = { name: "name", categoryId: "category_id", status: "status" };
const ANIMAL_COLUMNS: ColumnOf<Animal> = { id: "id", ...NEW_ANIMAL_COLUMNS };

/** The column that searches by name use. */
export const FOLDED_NAME = "folded_name";

/** Selects the folded name too, as a list by name needs it for its next page. */
const withFoldedName = (select: string): string => select.replace(" FROM ", `, ${FOLDED_NAME} AS "foldedName" FROM `);

/** The columns of a new row; the database assigns the id. */
export const NEW_ANIMAL: readonly string[] = [...Object.values(NEW_ANIMAL_COLUMNS), FOLDED_NAME];

export const ANIMALS: Table = { name: "animals", columns: ["id", ...NEW_ANIMAL], key: ["id"] };

/** A row selected this way is an Animal, so lists need no conversion. */
export const SELECT_ANIMAL = `SELECT ${Object.entries(ANIMAL_COLUMNS)
  .map(([field, column]) => `${column} AS "${field}"`)
  .join(", ")} FROM animals`;

export const SELECT_ANIMAL_BY_NAME = withFoldedName(SELECT_ANIMAL);

const NEW_ANIMAL_FIELDS = Object.keys(NEW_ANIMAL_COLUMNS) as (keyof NewAnimal)[];

/** The values of a new animal, in the order of NEW_ANIMAL. */
export const newAnimalValues = (animal: NewAnimal): SqlValue[] => [
  ...NEW_ANIMAL_FIELDS.map((field) => animal[field]),
  fold(animal.name),
];

// Categories

export const CATEGORIES: Table = { name: "categories", columns: ["id", "name", FOLDED_NAME], key: ["id"] };

/** A row selected this way is a Category. */
export const SELECT_CATEGORY = "SELECT id, name FROM categories";

export const SELECT_CATEGORY_BY_NAME = withFoldedName(SELECT_CATEGORY);

/** The values in the order of the columns. */
export const categoryValues = ({ id, name }: Category): SqlValue[] => [id, name, fold(name)];

// Keys and their secrets

const KEY_VALUES: Readonly<Record<string, (key: Key) => SqlValue>> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  plan: ({ plan }) => plan,
  per_minute: ({ quotas }) => quotas.perMinute,
  per_day: ({ quotas }) => quotas.perDay,
  created_at: ({ createdAtMs }) => createdAtMs,
  expires_at: ({ expiresAtMs }) => expiresAtMs ?? null,
  revoked_at: ({ revokedAtMs }) => revokedAtMs ?? null,
  pardoned_at: ({ unbannedAtMs }) => unbannedAtMs ?? null,
  scopes: ({ scopes }) => encodeScopes(scopes),
  suspended_at: ({ suspendedAtMs }) => suspendedAtMs ?? null,
  last_used_at: ({ lastUsedAtMs }) => lastUsedAtMs ?? null,
  may_rotate: ({ mayRotate }) => (mayRotate ? 1 : null),
};

export const KEYS: Table = { name: "keys", columns: Object.keys(KEY_VALUES), key: ["id"] };

/** The values in the order of the columns. */
export const keyValues = (key: Key, columns = KEYS.columns): SqlValue[] =>
  columns.map((column) => (KEY_VALUES[column] as (key: Key) => SqlValue)(key));

export const keyOf = (row: Row): Key => ({
  id: row.id as string,
  name: row.name as string,
  plan: row.plan as Plan,
  quotas: { perMinute: Number(row.per_minute), perDay: Number(row.per_day) },
  createdAtMs: Number(row.created_at),
  expiresAtMs: optionalNumber(row.expires_at),
  revokedAtMs: optionalNumber(row.revoked_at),
  unbannedAtMs: optionalNumber(row.pardoned_at),
  scopes: decodeScopes(row.scopes),
  suspendedAtMs: optionalNumber(row.suspended_at),
  lastUsedAtMs: optionalNumber(row.last_used_at),
  mayRotate: optionalNumber(row.may_rotate) === 1,
});

/** The columns of a key that a person may change. */
export const EDITED = KEYS.columns.filter((column) => !["id", "created_at", "last_used_at"].includes(column));

/** Null means all scopes, as for every key that was issued before there were scopes. */
export const encodeScopes = (scopes: readonly Scope[]): string | null =>
  SCOPES.every((scope) => scopes.includes(scope)) ? null : scopes.join(" ");

const decodeScopes = (value: Row[string] | undefined): readonly Scope[] =>
  typeof value === "string" ? SCOPES.filter((scope) => value.split(" ").includes(scope)) : SCOPES;

export const SECRETS: Table = {
  name: "secrets",
  columns: ["digest", "key_id", "expires_at", "created_at", "by_holder"],
  key: ["digest"],
};

/** The columns of a new row, which does not expire. */
export const NEW_SECRET: readonly string[] = ["digest", "key_id", "created_at", "by_holder"];

/** The operator made it, or the holder of the key. */
export const BY_OPERATOR = null;
export const BY_HOLDER = 1;

/**
 * The secrets of the key that the placeholder stands for, newest first. By their expiry, since a rotation leaves no
 * secret a longer life than a newer one has; when they were created is not known of all.
 */
export const selectSecretsOf = (placeholder: string): string => `SELECT expires_at, created_at FROM secrets
  WHERE key_id = ${placeholder} ORDER BY expires_at IS NOT NULL, expires_at DESC, created_at IS NULL, created_at DESC`;

export const datedSecretOf = (row: Row): DatedSecret => ({
  createdAtMs: optionalNumber(row.created_at),
  expiresAtMs: optionalNumber(row.expires_at),
});

/** The latest secret that its holder made of each key, since the placeholder's moment. */
export const selectRotatedByHolders = (
  placeholder: string,
): string => `SELECT k.id, k.name, max(s.created_at) AS made_at
  FROM secrets s JOIN keys k ON k.id = s.key_id WHERE s.by_holder IS NOT NULL AND s.created_at > ${placeholder}
  GROUP BY k.id, k.name ORDER BY made_at DESC, k.id LIMIT 100`;

export const holderRotationOf = (row: Row): HolderRotation => ({
  keyId: row.id as string,
  name: row.name as string,
  atMs: Number(row.made_at),
});

/** Selects a key together with one of its secrets; a condition follows. */
export const SELECT_KEY_WITH_SECRET = `SELECT ${KEYS.columns.map((column) => `k.${column}`).join(", ")},
  s.expires_at AS secret_expires_at, s.digest FROM secrets s JOIN keys k ON k.id = s.key_id`;

export const keyWithSecretOf = (row: Row): FoundKey => ({
  key: keyOf(row),
  secret: { expiresAtMs: optionalNumber(row.secret_expires_at) },
});

// Tallies

export const TALLIES: Table = { name: "tallies", columns: ["key_id", ...TALLY_NUMBER_NAMES], key: ["key_id"] };

export const tallyOf = (row: Row): Tally => tallyOfNumbers(TALLY_NUMBER_NAMES.map((name) => Number(row[name])));

export const keyTallyOf = (row: Row): KeyTally => [row.key_id as string, tallyOf(row)];

/** The values in the order of the columns. */
export const tallyValues = ([keyId, tally]: KeyTally): SqlValue[] => [keyId, ...tallyNumbers(tally)];

export function tallyRow(tally: KeyTally): Row {
  const values = tallyValues(tally).map((value) => (typeof value === "number" ? BigInt(value) : value));
  return Object.fromEntries(TALLIES.columns.map((column, i) => [column, values[i] as Row[string]]));
}

// Facts

export const COUNTING_PLACE = "counting_place";
/** A random id, made when a store is first copied: an interrupted copy is continued only from the same store. */
export const STORE_ID = "store_id";

export const selectMetadata = (placeholder: string): string => `SELECT value FROM facts WHERE name = ${placeholder}`;

export const FACTS: Table = { name: "facts", columns: ["name", "value"], key: ["name"] };

// Saved responses

export const SAVED_RESPONSES: Table = {
  name: "saved_responses",
  columns: ["key_id", "idempotency_key", "fingerprint", "saved_at", "content"],
  key: ["key_id", "idempotency_key"],
};

/** Saved responses that are deleted in one transaction: few, because other writes wait for it. */
export const DELETE_BATCH_SIZE = 100;

/** The values in the order of the columns, with the content encoded. */
export const savedResponseValues = (key: IdempotencyKey, content: string): SqlValue[] => [
  key.keyId,
  key.value,
  key.fingerprint,
  key.nowMs,
  content,
];

export const savedResponseOf = <Value>(row: Row): SavedResponse<Value> => ({
  fingerprint: row.fingerprint as string,
  savedAtMs: Number(row.saved_at),
  content: decodeSavedContent(row.content as string) as SavedContent<Value>,
});

/** Every table that holds a store's data, in an order that references allow. */
export const TABLES: readonly Table[] = [
  KEYS,
  SECRETS,
  ANIMALS,
  CATEGORIES,
  ORDERS,
  SAVED_RESPONSES,
  TALLIES,
  JOURNAL,
  IMPORTS,
  IMPORT_RANGES,
  ...USAGE_TABLES,
  KEPT_REQUESTS,
];

/** Tables whose ids are numbers that the database assigns. */
export const NUMBERED_TABLES: readonly Table[] = [ANIMALS, ORDERS, JOURNAL, IMPORTS];

/** Tables about the database itself, which are not copied. */
export const INTERNAL_TABLES: readonly string[] = [
  "migrations",
  "key_revision",
  "facts",
  "usage_flushes",
  "instances",
  "console_links",
  "console_sessions",
];
