import { choiceField, maybe, type Parsed } from "../../base/json/fields.ts";
import { ID_ORDERS, type IdOrder, NAME_ORDERS } from "../../domain/page.ts";
import { ANIMAL_STATUSES, NAME_PART_MIN_CODE_POINTS, NEW_ANIMAL_FIELDS } from "../../domain/stock/animal.ts";
import { fold } from "../../domain/stock/fold.ts";
import type { AnimalSelection, NameSearch } from "../../store/ports/store.ts";
import type { AnimalSort } from "../api/index.ts";
import type { ConsoleFault } from "../fault.ts";
import { flagField, int64TextField, invalidField } from "../forms/forms.ts";

/** The filter of a list, and of its export. */
export const ANIMAL_FILTER = {
  status: maybe(choiceField(ANIMAL_STATUSES)),
  categoryId: maybe(int64TextField),
  id: maybe(int64TextField),
  name: maybe(NEW_ANIMAL_FIELDS.name),
  inside: maybe(flagField),
};

type WantedAnimals = Parsed<typeof ANIMAL_FILTER>;

/** A search inside names. */
export type InsideNames = Pick<NameSearch, "part">;

export const isInside = (selection: AnimalSelection | InsideNames): selection is InsideNames => "part" in selection;

export function selectionOf(filter: WantedAnimals): AnimalSelection | InsideNames | ConsoleFault {
  const { status, categoryId, id, name } = filter;
  if (filter.inside) return insideOf(filter);
  if (name !== undefined && (categoryId !== undefined || id !== undefined))
    return invalidField(
      "name",
      "A search by name can only be combined with a status. Clear the name, or the category and id.",
    );
  return { status, categoryId, ids: id === undefined ? undefined : [id], name: name && fold(name) };
}

function insideOf({ status, categoryId, id, name }: WantedAnimals): InsideNames | ConsoleFault {
  if (status !== undefined || categoryId !== undefined || id !== undefined)
    return invalidField(
      "inside",
      "A search inside names cannot be combined with a status, a category or an id. Clear them, or search only the beginnings of names.",
    );
  const part = fold(name ?? "");
  if (Array.from(part).length >= NAME_PART_MIN_CODE_POINTS) return { part };
  return invalidField(
    "name",
    `A search inside names needs at least ${NAME_PART_MIN_CODE_POINTS} characters. Type more of the name.`,
  );
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

export const orderInside = (sort: AnimalSort = "-id"): IdOrder | ConsoleFault =>
  isByName(sort)
    ? invalidField(
        "sort",
        "A search inside names can only be sorted by id. Sort by id, or search only the beginnings of names.",
      )
    : (sort as IdOrder);
