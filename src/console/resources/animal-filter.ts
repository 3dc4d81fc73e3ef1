import { choiceField, maybe, type Parsed } from "../../base/json/fields.ts";
import { ID_ORDERS, NAME_ORDERS } from "../../domain/page.ts";
import { ANIMAL_STATUSES, NEW_ANIMAL_FIELDS } from "../../domain/stock/animal.ts";
import { fold } from "../../domain/stock/fold.ts";
import type { AnimalSelection } from "../../store/ports/store.ts";
import type { AnimalSort } from "../api/index.ts";
import type { ConsoleFault } from "../fault.ts";
import { int64TextField, invalidField } from "../forms/forms.ts";

/** The filter of a list, and of its export. */
export const ANIMAL_FILTER = {
  status: maybe(choiceField(ANIMAL_STATUSES)),
  categoryId: maybe(int64TextField),
  id: maybe(int64TextField),
  name: maybe(NEW_ANIMAL_FIELDS.name),
};

export function selectionOf(filter: Parsed<typeof ANIMAL_FILTER>): AnimalSelection | ConsoleFault {
  const { status, categoryId, id, name } = filter;
  if (name !== undefined && (categoryId !== undefined || id !== undefined))
    return invalidField(
      "name",
      "A search by name can only be combined with a status. Clear the name, or the category and id.",
    );
  return { status, categoryId, ids: id === undefined ? undefined : [id], name: name && fold(name) };
}

export const SORT_FIELD = maybe(choiceField<AnimalSort>([...ID_ORDERS, ...NAME_ORDERS]));

export const isByName = (sort: AnimalSort): boolean => (NAME_ORDERS as readonly AnimalSort[]).includes(sort);

/** The newest first, and a search by name in the order of names. An order without an index is refused. */
export function orderOf(
  { name, categoryId, ids }: AnimalSelection,
  sort: AnimalSort | undefined,
): AnimalSort | ConsoleFault {
  const order = sort ?? (name === undefined ? "-id" : "name");
  if (name !== undefined && !isByName(order))
    return invalidField("sort", "A search by name can only be sorted by name. Clear the name, or sort by name.");
  if (isByName(order) && (categoryId !== undefined || ids !== undefined))
    return invalidField(
      "sort",
      "A category and an id can only be sorted by id. Clear the category and the id, or sort by id.",
    );
  return order;
}
