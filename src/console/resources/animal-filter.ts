import { choiceField, maybe, type Parsed } from "../../base/json/fields.ts";
import { ANIMAL_STATUSES, NEW_ANIMAL_FIELDS } from "../../domain/stock/animal.ts";
import { fold } from "../../domain/stock/fold.ts";
import type { AnimalSelection } from "../../store/ports/store.ts";
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
