import type { JsonShape } from "../../../base/json/shape.ts";
import { ANIMAL_STATUSES, type Animal } from "../../../domain/stock/animal.ts";
import { animalLists } from "../../sql/lists.ts";
import { SQLITE } from "../sql/dialect.ts";

// Pages of animals that SQLite returns as one text. As rows, a page would become 20 objects with two bigints each, and
// to make JSON of those takes as long as to find them.

/** The animals in a list, by its parameters. Not those by name or by ids: both are rarer, and not continued by an id alone. */
const IN_LIST = {
  all: "TRUE",
  byStatus: "status = ?1",
  byCategory: `category_id = ?1 AND status IN (${ANIMAL_STATUSES.map((status) => `'${status}'`).join(", ")})`,
  byCategoryAndStatus: "category_id = ?1 AND status = ?2",
} as const;

type Filter = keyof typeof IN_LIST;
type JsonListName = Filter | `${Filter}Descending`;

export interface JsonListRow {
  readonly json: string;
  /** The id that the next page continues after; null on the last one. */
  readonly next: bigint | null;
}

/** The parameters are those of the rows, without one beyond the page: whether more follow is looked up after the last. */
export function jsonLists({ fields }: JsonShape<Animal>): Record<JsonListName, string> {
  const rows = animalLists(SQLITE);
  const object = `json_object(${fields.map((field) => `'${field}', "${field}"`).join(", ")})`;
  const page = (name: JsonListName, inList: string, last: string, after: string): [string, string] => [
    name,
    `SELECT json, CASE WHEN EXISTS (SELECT 1 FROM animals WHERE ${inList} AND id ${after} last) THEN last END AS next
    FROM (SELECT json_group_array(${object}) AS json, ${last} AS last FROM (${rows[name]}))`,
  ];
  const lists = Object.entries(IN_LIST).flatMap(([name, inList]) => [
    page(name as Filter, inList, "max(id)", ">"),
    page(`${name as Filter}Descending`, inList, "min(id)", "<"),
  ]);
  return Object.fromEntries(lists) as Record<JsonListName, string>;
}
