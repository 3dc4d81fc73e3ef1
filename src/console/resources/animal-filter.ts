import { choiceField, maybe } from "../../base/json/fields.ts";
import { ANIMAL_STATUSES, type AnimalStatus, NEW_ANIMAL_FIELDS } from "../../domain/stock/animal.ts";
import { fold } from "../../domain/stock/fold.ts";
import { ConsoleFault } from "../fault.ts";
import { int64TextField, invalidField, type Query, readQuery } from "../forms/forms.ts";

/** The filter of a list, and of its export. Undefined filters nothing. */
export interface ShownAnimals {
  readonly status: AnimalStatus | undefined;
  readonly categoryId: bigint | undefined;
  readonly id: bigint | undefined;
  /** The prefix of the folded name. */
  readonly name: string | undefined;
}

const FILTER = {
  status: maybe(choiceField(ANIMAL_STATUSES)),
  categoryId: maybe(int64TextField),
  id: maybe(int64TextField),
  name: maybe(NEW_ANIMAL_FIELDS.name),
};

export function shownIn(query: Query): ShownAnimals | ConsoleFault {
  const filter = readQuery(FILTER, query);
  if (filter instanceof ConsoleFault) return filter;
  const { status, categoryId, id, name } = filter;
  if (name !== undefined && (categoryId !== undefined || id !== undefined))
    return invalidField(
      "name",
      "A search by name can only be combined with a status. Clear the name, or the category and id.",
    );
  return { status, categoryId, id, name: name === undefined ? undefined : fold(name) };
}
