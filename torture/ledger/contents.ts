import type { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { BROKEN_ALWAYS } from "../../test/harness/requests/orders.ts";
import { openDatabaseFile } from "../../test/harness/rows/sqlite.ts";

/** The state of a key; undefined before it exists. */
export type KeyView = "active" | "revoked" | undefined;

export interface FoundAnimal {
  readonly id: bigint;
  readonly name: string;
  /** The name that searches use; null if a release without search wrote it. */
  readonly foldedName: string | null;
  readonly categoryId: bigint;
  readonly status: string;
  readonly orders: { readonly id: bigint; readonly status: string }[];
}

/** The contents of a database that the ledger keeps track of. */
export interface Contents {
  /** Animals by the handle in their names. */
  readonly animals: Map<string, FoundAnimal[]>;
  readonly categories: Map<bigint, string>;
  readonly keys: Map<string, KeyView>;
  readonly brokenSales: readonly unknown[];
}

/** Every name begins with a unique handle, so that an animal is found again after its name has changed. */
export const handleOf = (name: string): string => /^[^#]*#\d+/.exec(name)?.[0] ?? name;

export interface AnimalRow extends Omit<FoundAnimal, "orders"> {}

export interface OrderRow {
  readonly id: bigint;
  readonly animalId: bigint;
  readonly status: string;
}

/** Groups animals with their orders by handle, both in the order of their ids. */
export function gather(animals: Iterable<AnimalRow>, orders: Iterable<OrderRow>): Map<string, FoundAnimal[]> {
  const byId = new Map<bigint, FoundAnimal>();
  for (const row of animals) byId.set(row.id, { ...row, orders: [] });
  for (const { id, animalId, status } of orders) byId.get(animalId)?.orders.push({ id, status });
  return Map.groupBy(byId.values(), ({ name }) => handleOf(name));
}

/** Reads an SQLite file. A missing file is an empty store. */
export function readSqlite(path: string): Contents {
  const empty = { animals: new Map(), categories: new Map(), keys: new Map(), brokenSales: [] };
  if (!existsSync(path)) return empty;
  const db = openDatabaseFile(path, { readonly: true, safeIntegers: true });
  try {
    const has = (table: string): boolean => db.query("SELECT 1 FROM sqlite_schema WHERE name = ?").get(table) !== null;
    if (!has("orders")) return empty;
    return {
      animals: readAnimals(db),
      categories: has("categories") ? readCategories(db) : new Map(),
      keys: readKeys(db),
      brokenSales: db.query(BROKEN_ALWAYS).all(),
    };
  } finally {
    db.close();
  }
}

function readAnimals(db: Database): Map<string, FoundAnimal[]> {
  // Selects *, because a first start may have been interrupted between two migrations.
  type Row = { id: bigint; name: string; category_id: bigint; status: string; folded_name?: string | null };
  const animals = (db.query("SELECT * FROM animals ORDER BY id").all() as Row[]).map(
    ({ id, name, category_id, status, folded_name }): AnimalRow => ({
      ...{ id, name, status },
      categoryId: category_id,
      foldedName: folded_name ?? null,
    }),
  );
  const orders = db.query("SELECT id, animal_id AS animalId, status FROM orders ORDER BY id").all() as OrderRow[];
  return gather(animals, orders);
}

function readCategories(db: Database): Map<bigint, string> {
  const rows = db.query("SELECT id, name FROM categories").all() as { id: bigint; name: string }[];
  return new Map(rows.map(({ id, name }) => [id, name]));
}

function readKeys(db: Database): Map<string, KeyView> {
  const rows = db.query("SELECT name, revoked_at AS revokedAt FROM keys").all() as {
    name: string;
    revokedAt: unknown;
  }[];
  return new Map(rows.map(({ name, revokedAt }) => [name, revokedAt === null ? "active" : "revoked"]));
}
