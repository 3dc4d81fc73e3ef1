import { choiceField } from "../../base/json/fields.ts";
import { ANIMAL_STATUSES, type AnimalStatus, NEW_ANIMAL_FIELDS } from "../../domain/stock/animal.ts";
import { fold } from "../../domain/stock/fold.ts";
import { ConsoleFault } from "../fault.ts";
import { int64TextField, invalidField, type Query, valueIn } from "../forms/forms.ts";

/** Which animals a list shows, and an export of it has. What is undefined filters nothing. */
export interface ShownAnimals {
  readonly status: AnimalStatus | undefined;
  readonly categoryId: bigint | undefined;
  readonly id: bigint | undefined;
  /** How the folded name begins. */
  readonly name: string | undefined;
}

const STATUS_FIELD = choiceField(ANIMAL_STATUSES);

export function shownIn(query: Query): ShownAnimals | ConsoleFault {
  const status = valueIn(query, "status", STATUS_FIELD);
  if (status instanceof ConsoleFault) return status;
  const categoryId = valueIn(query, "categoryId", int64TextField);
  if (categoryId instanceof ConsoleFault) return categoryId;
  const id = valueIn(query, "id", int64TextField);
  if (id instanceof ConsoleFault) return id;
  const name = valueIn(query, "name", NEW_ANIMAL_FIELDS.name);
  if (name instanceof ConsoleFault) return name;
  if (name !== undefined && (categoryId !== undefined || id !== undefined))
    return invalidField("name", "Search by name goes with a status only: clear the name, or the category and id.");
  return { status, categoryId, id, name: name === undefined ? undefined : fold(name) };
}
