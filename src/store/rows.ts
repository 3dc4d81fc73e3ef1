import type { Animal, NewAnimal } from "../domain/animal.ts";
import type { Category } from "../domain/category.ts";
import { fold } from "../domain/fold.ts";
import type { IdempotencyKey, SavedContent, SavedResponse } from "../domain/idempotency.ts";
import type { Import, ImportBeginning } from "../domain/import.ts";
import type { Authorship, JournalContent, JournalEntry, JournalSubject, NewJournalEntry } from "../domain/journal.ts";
import type { DatedSecret, Key, KeySecret } from "../domain/key.ts";
import type { Order, OrderStatus } from "../domain/order.ts";
import type { Plan } from "../domain/plan.ts";
import { SCOPES, type Scope } from "../domain/scope.ts";
import { TALLY_NUMBER_NAMES, type Tally, tallyNumbers, tallyOfNumbers } from "../domain/tally.ts";
import { decodeSavedContent } from "./saved-content.ts";
import type { JournalQuery, KeyTally } from "./store.ts";
import { deletionsOfUsage, USAGE_TABLES } from "./usage-rows.ts";

// The tables of both databases, and what their rows mean. A column stands here and in a migration, nowhere else:
// reading, writing and copying take their columns from these lists.

/** A row as it is read: integers are bigints. */
export type Row = Readonly<Record<string, bigint | string | null>>;

/** A value as it is written. */
export type SqlValue = bigint | string | number | null;

export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  /** The columns that a row is identified by. */
  readonly key: readonly string[];
  /** Rows are neither changed nor deleted: the database refuses it. */
  readonly isAppendOnly?: true;
}

/** Which column holds which field. A field without a column does not compile. */
type ColumnOf<Fields> = { readonly [Name in keyof Fields]: string };

const optionalMoment = (value: Row[string] | undefined): number | undefined =>
  value === null || value === undefined ? undefined : Number(value);

// Animals

const NEW_ANIMAL_COLUMNS: ColumnOf<NewAnimal> = { name: "name", categoryId: "category_id", status: "status" };
const ANIMAL_COLUMNS: ColumnOf<Animal> = { id: "id", ...NEW_ANIMAL_COLUMNS };

/** What the name of an animal or a category is searched by. */
export const FOLDED_NAME = "folded_name";

/** A row selected this way can be continued after, in a list by name. */
const withFoldedName = (select: string): string => select.replace(" FROM ", `, ${FOLDED_NAME} AS "foldedName" FROM `);

/** What a new row is inserted with; the database assigns the id. */
export const NEW_ANIMAL: readonly string[] = [...Object.values(NEW_ANIMAL_COLUMNS), FOLDED_NAME];

export const ANIMALS: Table = { name: "animals", columns: ["id", ...NEW_ANIMAL], key: ["id"] };

/** A row selected this way is an Animal: lists spend no time on conversion. */
export const SELECT_ANIMAL = `SELECT ${Object.entries(ANIMAL_COLUMNS)
  .map(([field, column]) => `${column} AS "${field}"`)
  .join(", ")} FROM animals`;

export const SELECT_ANIMAL_BY_NAME = withFoldedName(SELECT_ANIMAL);

const NEW_ANIMAL_FIELDS = Object.keys(NEW_ANIMAL_COLUMNS) as (keyof NewAnimal)[];

/** In the order of NEW_ANIMAL. */
export const newAnimalValues = (animal: NewAnimal): SqlValue[] => [
  ...NEW_ANIMAL_FIELDS.map((field) => animal[field]),
  fold(animal.name),
];

// Categories

export const CATEGORIES: Table = { name: "categories", columns: ["id", "name", FOLDED_NAME], key: ["id"] };

/** A row selected this way is a Category. */
export const SELECT_CATEGORY = "SELECT id, name FROM categories";

export const SELECT_CATEGORY_BY_NAME = withFoldedName(SELECT_CATEGORY);

/** In the order of the columns. */
export const categoryValues = ({ id, name }: Category): SqlValue[] => [id, name, fold(name)];

// Orders

type NewOrderRow = Omit<Order, "id">;

const NEW_ORDER_COLUMNS: ColumnOf<Required<NewOrderRow>> = {
  animalId: "animal_id",
  status: "status",
  placedAtMs: "placed_at",
  updatedAtMs: "updated_at",
  reference: "reference",
};

/** What a new row is inserted with; the database assigns the id. */
export const NEW_ORDER: readonly string[] = Object.values(NEW_ORDER_COLUMNS);

export const ORDERS: Table = { name: "orders", columns: ["id", ...NEW_ORDER], key: ["id"] };

const NEW_ORDER_FIELDS = Object.keys(NEW_ORDER_COLUMNS) as (keyof NewOrderRow)[];

/** In the order of NEW_ORDER. Integers are bigints, which say by themselves that their column is one of integers. */
export const newOrderValues = (order: NewOrderRow): SqlValue[] =>
  NEW_ORDER_FIELDS.map((field) => {
    const value = order[field];
    return typeof value === "number" ? BigInt(value) : (value ?? null);
  });

export const orderOf = (row: Row): Order => ({
  id: row.id as bigint,
  animalId: row.animal_id as bigint,
  status: row.status as OrderStatus,
  placedAtMs: Number(row.placed_at),
  updatedAtMs: Number(row.updated_at),
  ...(row.reference ? { reference: row.reference as string } : {}),
});

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
  pardoned_at: ({ pardonedAtMs }) => pardonedAtMs ?? null,
  scopes: ({ scopes }) => encodeScopes(scopes),
  suspended_at: ({ suspendedAtMs }) => suspendedAtMs ?? null,
  last_used_at: ({ lastUsedAtMs }) => lastUsedAtMs ?? null,
};

export const KEYS: Table = { name: "keys", columns: Object.keys(KEY_VALUES), key: ["id"] };

const KEY_WRITERS = Object.values(KEY_VALUES);

/** In the order of the columns. */
export const keyValues = (key: Key): SqlValue[] => KEY_WRITERS.map((valueIn) => valueIn(key));

export const keyOf = (row: Row): Key => ({
  id: row.id as string,
  name: row.name as string,
  plan: row.plan as Plan,
  quotas: { perMinute: Number(row.per_minute), perDay: Number(row.per_day) },
  createdAtMs: Number(row.created_at),
  expiresAtMs: optionalMoment(row.expires_at),
  revokedAtMs: optionalMoment(row.revoked_at),
  pardonedAtMs: optionalMoment(row.pardoned_at),
  scopes: decodeScopes(row.scopes),
  suspendedAtMs: optionalMoment(row.suspended_at),
  lastUsedAtMs: optionalMoment(row.last_used_at),
});

/** What a person may change about a key. */
const EDITED = [
  "name",
  "plan",
  "per_minute",
  "per_day",
  "expires_at",
  "scopes",
  "revoked_at",
  "pardoned_at",
  "suspended_at",
];

export const updateKey = (placeholder: (n: number) => string): string =>
  `UPDATE ${KEYS.name} SET ${EDITED.map((column, i) => `${column} = ${placeholder(i + 1)}`).join(", ")}
  WHERE id = ${placeholder(EDITED.length + 1)}`;

/** The parameters of that statement. */
export const updatedKeyValues = (key: Key): SqlValue[] => [...EDITED, "id"].map((column) => valueOfKey(column, key));

const valueOfKey = (column: string, key: Key): SqlValue => (KEY_VALUES[column] as (key: Key) => SqlValue)(key);

/** Null: all of them, which are those of every key that was issued before there were scopes. */
export const encodeScopes = (scopes: readonly Scope[]): string | null =>
  SCOPES.every((scope) => scopes.includes(scope)) ? null : scopes.join(" ");

const decodeScopes = (value: Row[string] | undefined): readonly Scope[] =>
  typeof value === "string" ? SCOPES.filter((scope) => value.split(" ").includes(scope)) : SCOPES;

export const SECRETS: Table = {
  name: "secrets",
  columns: ["digest", "key_id", "expires_at", "created_at"],
  key: ["digest"],
};

interface NewSecret {
  readonly digest: string;
  readonly keyId: string;
  readonly createdAtMs: number;
}

/** In the order of the columns: a new secret does not expire. */
export const newSecretValues = ({ digest, keyId, createdAtMs }: NewSecret): SqlValue[] => [
  digest,
  keyId,
  null,
  createdAtMs,
];

/**
 * The secrets of the key that the placeholder stands for, newest first. By their expiry, since a rotation leaves no
 * secret a longer life than a newer one has; when they were created is not known of all.
 */
export const selectSecretsOf = (placeholder: string): string => `SELECT expires_at, created_at FROM secrets
  WHERE key_id = ${placeholder} ORDER BY expires_at IS NOT NULL, expires_at DESC, created_at IS NULL, created_at DESC`;

export const datedSecretOf = (row: Row): DatedSecret => ({
  createdAtMs: optionalMoment(row.created_at),
  expiresAtMs: optionalMoment(row.expires_at),
});

/**
 * Everything that belongs to a key, in an order that references allow. Most of it was deleted before, in batches: this
 * is what a service has added since.
 */
export const deletionsOfKey = (placeholder: string): string[] => [
  ...deletionsOfUsage(placeholder),
  ...["secrets", "tallies", "saved_responses"].map((table) => `DELETE FROM ${table} WHERE key_id = ${placeholder}`),
  `DELETE FROM keys WHERE id = ${placeholder}`,
];

/** A key together with one of its secrets, for the condition that follows. */
export const SELECT_KEY_WITH_SECRET = `SELECT ${KEYS.columns.map((column) => `k.${column}`).join(", ")},
  s.expires_at AS secret_expires_at FROM secrets s JOIN keys k ON k.id = s.key_id`;

export const keyWithSecretOf = (row: Row): { readonly key: Key; readonly secret: KeySecret } => ({
  key: keyOf(row),
  secret: { expiresAtMs: optionalMoment(row.secret_expires_at) },
});

// Tallies

export const TALLIES: Table = { name: "tallies", columns: ["key_id", ...TALLY_NUMBER_NAMES], key: ["key_id"] };

export const tallyOf = (row: Row): Tally => tallyOfNumbers(TALLY_NUMBER_NAMES.map((name) => Number(row[name])));

export const keyTallyOf = (row: Row): KeyTally => [row.key_id as string, tallyOf(row)];

/** In the order of the columns. */
export const tallyValues = ([keyId, tally]: KeyTally): SqlValue[] => [keyId, ...tallyNumbers(tally)];

export function tallyRow(tally: KeyTally): Row {
  const values = tallyValues(tally).map((value) => (typeof value === "number" ? BigInt(value) : value));
  return Object.fromEntries(TALLIES.columns.map((column, i) => [column, values[i] as Row[string]]));
}

// Facts

export const COUNTING_PLACE = "counting_place";
/** At random, when a store is first copied: an interrupted copy is continued from the same one. */
export const STORE_ID = "store_id";

export const selectFact = (placeholder: string): string => `SELECT value FROM facts WHERE name = ${placeholder}`;

export const upsertFact = (placeholder: (n: number) => string): string =>
  `INSERT INTO facts (name, value) VALUES (${placeholder(1)}, ${placeholder(2)})
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`;

// Saved responses

export const SAVED_RESPONSES: Table = {
  name: "saved_responses",
  columns: ["key_id", "idempotency_key", "fingerprint", "saved_at", "content"],
  key: ["key_id", "idempotency_key"],
};

/** How many saved responses are deleted at a time: other writes wait for it. */
export const DELETE_BATCH_SIZE = 100;

/** In the order of the columns. The content is encoded. */
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

// The journal

const JOURNAL_VALUES: Readonly<Record<string, (entry: NewJournalEntry) => SqlValue>> = {
  made_at: ({ atMs }) => BigInt(atMs),
  author: ({ by }) => by,
  via: ({ via }) => via,
  action: ({ action }) => action,
  subject_kind: ({ subject }) => subject.kind,
  subject_id: ({ subject }) => (subject.kind === "store" ? null : subject.id),
  subject_name: ({ subject }) => (subject.kind === "store" ? null : (subject.name ?? null)),
  before: ({ before }) => contentValue(before),
  after: ({ after }) => contentValue(after),
};

const contentValue = (content: JournalContent | undefined): string | null =>
  content === undefined ? null : JSON.stringify(content);

/** What a new entry is inserted with; the database assigns the id. */
export const NEW_JOURNAL_ENTRY: readonly string[] = Object.keys(JOURNAL_VALUES);

export const JOURNAL: Table = {
  name: "journal",
  columns: ["id", ...NEW_JOURNAL_ENTRY],
  key: ["id"],
  isAppendOnly: true,
};

/** In the order of NEW_JOURNAL_ENTRY. */
export const journalValues = (entry: NewJournalEntry): SqlValue[] =>
  Object.values(JOURNAL_VALUES).map((valueIn) => valueIn(entry));

export const journalEntryOf = (row: Row): JournalEntry => ({
  id: row.id as bigint,
  atMs: Number(row.made_at),
  by: row.author as string,
  via: row.via as Authorship["via"],
  action: row.action as string,
  subject: subjectOf(row),
  before: contentOf(row.before),
  after: contentOf(row.after),
});

const subjectOf = ({ subject_kind: kind, subject_id: id, subject_name: name }: Row): JournalSubject =>
  (id === null ? { kind } : { kind, id, name: name ?? undefined }) as JournalSubject;

/** A page of entries after an id and since a moment, by id: of all, or of one key. */
export const journalPages = (placeholder: (n: number) => string) => {
  const page = (condition: string) => `${selectFrom(JOURNAL)} WHERE id > ${placeholder(1)}
    AND made_at >= ${placeholder(2)}${condition} ORDER BY id LIMIT ${placeholder(3)}`;
  return { ofAll: page(""), ofKey: page(` AND subject_kind = 'key' AND subject_id = ${placeholder(4)}`) };
};

/** The parameters of these statements: one row beyond the page tells whether more follow. */
export const journalPageValues = ({ keyId, sinceMs, afterId, size }: JournalQuery): SqlValue[] => [
  afterId ?? 0n,
  BigInt(sinceMs ?? 0),
  BigInt(size + 1),
  ...(keyId === undefined ? [] : [keyId]),
];

const contentOf = (value: Row[string] | undefined): JournalContent | undefined =>
  typeof value === "string" ? (JSON.parse(value) as JournalContent) : undefined;

// Imports

const IMPORT_COLUMNS: ColumnOf<Import> = {
  id: "id",
  identity: "identity",
  source: "source",
  records: "records",
  animals: "animals",
  recordsDone: "records_done",
  added: "added",
  begunAtMs: "begun_at",
  finishedAtMs: "finished_at",
  undoBegunAtMs: "undo_begun_at",
  undoneAtMs: "undone_at",
  removed: "removed",
  kept: "kept",
};

export const IMPORTS: Table = { name: "imports", columns: Object.values(IMPORT_COLUMNS), key: ["id"] };

/** What a new row is inserted with; the database assigns the id. */
export const NEW_IMPORT: readonly string[] = [
  "identity",
  "source",
  "records",
  "animals",
  "records_done",
  "added",
  "begun_at",
  "removed",
  "kept",
];

/** In the order of NEW_IMPORT. */
export const newImportValues = ({ identity, source, records, animals, atMs }: ImportBeginning): SqlValue[] => [
  identity,
  source,
  BigInt(records),
  BigInt(animals),
  0n,
  0n,
  BigInt(atMs),
  0n,
  0n,
];

export const importOf = (row: Row): Import => ({
  id: row.id as bigint,
  identity: row.identity as string,
  source: row.source as string,
  records: Number(row.records),
  animals: Number(row.animals),
  recordsDone: Number(row.records_done),
  added: Number(row.added),
  begunAtMs: Number(row.begun_at),
  finishedAtMs: optionalMoment(row.finished_at),
  undoBegunAtMs: optionalMoment(row.undo_begun_at),
  undoneAtMs: optionalMoment(row.undone_at),
  removed: Number(row.removed),
  kept: Number(row.kept),
});

export const IMPORT_RANGES: Table = {
  name: "import_ranges",
  columns: ["import_id", "first_id", "last_id"],
  key: ["import_id", "first_id"],
};

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
];

/** Tables whose ids are numbers that the database assigns. */
export const NUMBERED_TABLES: readonly Table[] = [ANIMALS, ORDERS, JOURNAL, IMPORTS];

/** Tables that say something about the database itself. */
export const INTERNAL_TABLES: readonly string[] = ["migrations", "key_revision", "facts", "usage_flushes", "instances"];

// Statements that name columns

export const selectFrom = ({ name, columns }: Table): string => `SELECT ${columns.join(", ")} FROM ${name}`;

export const insertInto = ({ name }: Table, columns: readonly string[], placeholder: (n: number) => string): string =>
  `INSERT INTO ${name} (${columns.join(", ")}) VALUES (${columns.map((_, i) => placeholder(i + 1)).join(", ")})`;

/** Replaces the row that is there already, if it may be: follows an INSERT. */
export function orReplace({ key, columns, isAppendOnly }: Table): string {
  const conflict = `ON CONFLICT (${key.join(", ")})`;
  if (isAppendOnly) return `${conflict} DO NOTHING`;
  const others = columns.filter((column) => !key.includes(column));
  return `${conflict} DO UPDATE SET ${others.map((column) => `${column} = excluded.${column}`).join(", ")}`;
}
