import { INT64_MAX, INT64_MIN } from "../../base/json/int64.ts";
import type { IdOrder, Position } from "../../domain/page.ts";
import { ANIMAL_STATUSES } from "../../domain/stock/animal.ts";
import { endOfPrefix } from "../../domain/stock/fold.ts";
import { ORDER_STATUSES } from "../../domain/stock/order.ts";
import type { AnimalFilter, AnimalQuery, CategoryQuery, OrderQuery, UsedCategoryQuery } from "../ports/store.ts";
import { SELECT_ORDER } from "./order-rows.ts";
import { FOLDED_NAME, SELECT_ANIMAL, SELECT_ANIMAL_BY_NAME, SELECT_CATEGORY, SELECT_CATEGORY_BY_NAME } from "./rows.ts";
import { type Dialect, search, searchEachStatus } from "./searches.ts";
import type { SqlValue } from "./table.ts";
import { first, type Work } from "./work.ts";

// The lists of animals, orders and categories, for both databases: which statements there are, and which one answers a
// query. Each has an index that holds its rows in its order.

/** The statement that answers a query, and its parameters. */
export interface Listing<Name extends string> {
  readonly name: Name;
  readonly parameters: SqlValue[];
}

/** A list by id, in either direction. */
type InEitherOrder<Name extends string> = Name | `${Name}Descending`;

// Animals

type AnimalListFilter = "all" | "byStatus" | "byCategory" | "byCategoryAndStatus" | "byIds";
type AnimalNameFilter = "byName" | "byNameAndStatus";
export type AnimalListName = InEitherOrder<AnimalListFilter | AnimalNameFilter>;

export const animalLists = (dialect: Dialect): Record<AnimalListName, string> => ({
  ...inEitherOrder<AnimalListFilter>((order) => ({
    all: pageById(SELECT_ANIMAL, [], order, dialect),
    byStatus: pageById(SELECT_ANIMAL, ["status"], order, dialect),
    byCategory: pageOfAnyStatus(SELECT_ANIMAL, "category_id", ANIMAL_STATUSES, order, dialect),
    byCategoryAndStatus: pageById(SELECT_ANIMAL, ["category_id", "status"], order, dialect),
    byIds: byIds(order, dialect),
  })),
  ...inEitherOrder<AnimalNameFilter>((order) => animalsByName(order, dialect)),
});

function byIds(order: IdOrder, { placeholder, idIsOneOf, atMost }: Dialect): string {
  const [bound, direction] = order === "-id" ? ["<=", "DESC"] : [">=", "ASC"];
  return `${SELECT_ANIMAL} WHERE ${idIsOneOf(placeholder(1))}
    AND (CAST(${placeholder(2)} AS text) IS NULL OR status = ${placeholder(2)})
    AND (CAST(${placeholder(3)} AS bigint) IS NULL OR category_id = ${placeholder(3)})
    AND id ${bound} ${placeholder(4)} ORDER BY id ${direction} ${atMost(placeholder(5))}`;
}

/** The index begins with the status, so a list of any status merges a search for each. */
function animalsByName(order: IdOrder, dialect: Dialect): Record<AnimalNameFilter, string> {
  const [name, id, end, limit, status] = placeholders(dialect);
  const from = { [FOLDED_NAME]: name, id: dialect.idInRow(id) };
  const byName = { select: SELECT_ANIMAL_BY_NAME, equal: {}, from, end, limit, isDescending: order === "-id" };
  return {
    byName: searchEachStatus(byName, ANIMAL_STATUSES, dialect),
    byNameAndStatus: search({ ...byName, equal: { status } }, dialect),
  };
}

/** The rows to read: by default one beyond the page, which tells whether more follow. */
export function animalListing(
  query: AnimalQuery,
  { idList }: Dialect,
  rows: number = query.size + 1,
): Listing<AnimalListName> {
  const { ids, status, categoryId, name, sort, after } = query;
  if (name !== undefined || sort === "name" || sort === "-name") {
    const order = sort === "-name" ? "-id" : "id";
    const range = [...rangeOfNames(name ?? "", after, order), rows];
    return status === undefined
      ? inOrder(order, "byName", range)
      : inOrder(order, "byNameAndStatus", [...range, status]);
  }
  const page = pageFrom(after, sort, rows);
  if (ids) return inOrder(sort, "byIds", [idList(ids), status ?? null, categoryId ?? null, ...page]);
  if (categoryId !== undefined) return inOrderBy(sort, "byCategory", categoryId, status, page);
  return status === undefined ? inOrder(sort, "all", page) : inOrder(sort, "byStatus", [status, ...page]);
}

/** Counts the animals of a filter. */
export function* countAnimals({ status, categoryId }: AnimalFilter, { placeholder }: Dialect): Work<number> {
  const equal = Object.entries({ category_id: categoryId, status }).filter(([, value]) => value !== undefined);
  const conditions = equal.map(([column], i) => `${column} = ${placeholder(i + 1)}`);
  const where = conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`;
  const values = equal.map(([, value]) => value as SqlValue);
  return Number((yield* first(`SELECT count(*) AS count FROM animals${where}`, values))?.count);
}

// Orders

type OrderFilter = "all" | "byStatus" | "byAnimal" | "byAnimalAndStatus" | "byReference" | "byReferenceAndStatus";
export type OrderListName = InEitherOrder<OrderFilter>;

export const orderLists = (dialect: Dialect): Record<OrderListName, string> =>
  inEitherOrder<OrderFilter>((order) => ({
    all: pageById(SELECT_ORDER, [], order, dialect),
    byStatus: pageById(SELECT_ORDER, ["status"], order, dialect),
    byAnimal: pageOfAnyStatus(SELECT_ORDER, "animal_id", ORDER_STATUSES, order, dialect),
    byAnimalAndStatus: pageById(SELECT_ORDER, ["animal_id", "status"], order, dialect),
    byReference: pageOfAnyStatus(SELECT_REFERENCE, "reference", ORDER_STATUSES, order, dialect),
    byReferenceAndStatus: pageById(SELECT_REFERENCE, ["reference", "status"], order, dialect),
  }));

/** The index has only rows with a reference, and the planner must see that no others are wanted. */
const SELECT_REFERENCE = `SELECT * FROM (${SELECT_ORDER} WHERE reference IS NOT NULL) AS referenced`;

export function orderListing({ status, animalId, reference, sort, after, size }: OrderQuery): Listing<OrderListName> {
  const page = pageFrom(after, sort, size + 1);
  if (reference !== undefined) return inOrderBy(sort, "byReference", reference, status, page);
  if (animalId !== undefined) return inOrderBy(sort, "byAnimal", animalId, status, page);
  return status === undefined ? inOrder(sort, "all", page) : inOrder(sort, "byStatus", [status, ...page]);
}

// Categories

export type CategoryListName = "all" | "byName" | "used";

export function categoryLists(dialect: Dialect): Record<CategoryListName, string> {
  const [name, end, limit] = placeholders(dialect);
  const byName = { select: SELECT_CATEGORY_BY_NAME, equal: {}, from: { [FOLDED_NAME]: name }, end, limit };
  return {
    all: pageById(SELECT_CATEGORY, [], "id", dialect),
    byName: search(byName, dialect),
    used: usedCategories(dialect),
  };
}

/** Goes from each category of animals to the next one in their index, so it takes as many steps as a page has rows. */
function usedCategories({ placeholder, atMost }: Dialect): string {
  const [id, limit] = [placeholder(1), placeholder(2)];
  return `WITH RECURSIVE of_animals (id, place) AS (
      SELECT min(category_id), 1 FROM animals WHERE category_id >= ${id}
      UNION ALL
      SELECT (SELECT min(category_id) FROM animals WHERE category_id > of_animals.id), place + 1
      FROM of_animals WHERE of_animals.id IS NOT NULL AND place < ${limit}
    ), named (id) AS (SELECT id FROM categories WHERE id >= ${id} ORDER BY id ${atMost(limit)})
    SELECT id, (SELECT name FROM categories WHERE categories.id = used.id) AS name
    FROM (SELECT id FROM of_animals WHERE id IS NOT NULL UNION SELECT id FROM named) AS used
    ORDER BY id ${atMost(limit)}`;
}

/** No two categories have the same folded name, so the id is no part of their order. */
export function categoryListing({ name, after, size }: CategoryQuery): Listing<CategoryListName> {
  if (name === undefined) return { name: "all", parameters: pageFrom(after, "id", size + 1) };
  const { foldedName } = after ?? {};
  const from = foldedName === undefined ? name : foldedName + LEAST_CHARACTER;
  return { name: "byName", parameters: [from, endOfPrefix(name), size + 1] };
}

export const usedCategoryListing = ({ after, size }: UsedCategoryQuery): Listing<CategoryListName> => ({
  name: "used",
  parameters: pageFrom(after, "id", size + 1),
});

/** Counts the animals of several categories, each to a limit. */
export const countAnimalsByCategory = ({ placeholder, textsIn, atMost }: Dialect): string =>
  `WITH texts (text) AS (${textsIn(placeholder(1))}), wanted (id) AS (SELECT CAST(text AS bigint) FROM texts)
  SELECT id, (
    SELECT count(*) FROM (SELECT 1 FROM animals WHERE category_id = wanted.id ${atMost(placeholder(2))}) AS counted
  ) AS animals FROM wanted`;

// Starts of pages

/** The most parameters that any of these statements has. */
const placeholders = ({ placeholder }: Dialect) =>
  [placeholder(1), placeholder(2), placeholder(3), placeholder(4), placeholder(5)] as const;

function inEitherOrder<Name extends string>(
  statements: (order: IdOrder) => Record<Name, string>,
): Record<InEitherOrder<Name>, string> {
  const descending = Object.entries<string>(statements("-id")).map(([name, sql]) => [`${name}Descending`, sql]);
  return { ...statements("id"), ...Object.fromEntries(descending) };
}

const inOrder = <Name extends string>(
  order: IdOrder | undefined,
  name: Name,
  parameters: SqlValue[],
): Listing<InEitherOrder<Name>> => ({ name: order === "-id" ? `${name}Descending` : name, parameters });

/** The list by a value, or by that and a status. */
const inOrderBy = <Name extends string>(
  order: IdOrder | undefined,
  name: Name,
  value: SqlValue,
  status: string | undefined,
  page: readonly SqlValue[],
): Listing<InEitherOrder<Name | `${Name}AndStatus`>> =>
  status === undefined
    ? inOrder(order, name, [value, ...page])
    : inOrder(order, `${name}AndStatus`, [value, status, ...page]);

/** The parameters are the values of the columns, the id that the page begins with, and the limit. */
function pageById(select: string, equal: readonly string[], order: IdOrder, dialect: Dialect): string {
  const values = Object.fromEntries(equal.map((column, i) => [column, dialect.placeholder(i + 1)]));
  const id = dialect.placeholder(equal.length + 1);
  const limit = dialect.placeholder(equal.length + 2);
  return search({ select, equal: values, from: { id }, limit, isDescending: order === "-id" }, dialect);
}

/** Rows with a value in one column, from an index on (column, status). */
function pageOfAnyStatus(
  select: string,
  column: string,
  statuses: readonly string[],
  order: IdOrder,
  dialect: Dialect,
): string {
  const [value, id, limit] = placeholders(dialect);
  const equal = { [column]: value };
  return searchEachStatus({ select, equal, from: { id }, limit, isDescending: order === "-id" }, statuses, dialect);
}

/** The id that a page begins with, and the number of rows to read. */
export function pageFrom(after: Position | undefined, order: IdOrder | undefined, rows: number): SqlValue[] {
  const [first, last, step] = order === "-id" ? [INT64_MAX, INT64_MIN, -1n] : [INT64_MIN, INT64_MAX, 1n];
  if (after === undefined) return [first, rows];
  return after.id === last ? [last, 0] : [after.id + step, rows];
}

/** It sorts before any character that a name may have. */
const LEAST_CHARACTER = "\u0001";

/**
 * The folded name and the id that a page begins with, and the folded name that it ends before, or in descending order
 * with.
 */
function rangeOfNames(prefix: string, after: Position | undefined, order: IdOrder): SqlValue[] {
  const end = endOfPrefix(prefix);
  const { id, foldedName = prefix } = after ?? {};
  // No animal has the least id.
  if (order === "-id")
    return id === undefined ? [end, INT64_MIN, prefix] : [foldedName, id === INT64_MIN ? id : id - 1n, prefix];
  if (id === undefined) return [prefix, INT64_MIN, end];
  return id === INT64_MAX ? [foldedName + LEAST_CHARACTER, INT64_MIN, end] : [foldedName, id + 1n, end];
}
