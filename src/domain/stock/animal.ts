import {
  choiceField,
  type InvalidRecord,
  int64Field,
  optional,
  type Parsed,
  parseRecord,
  partial,
  textField,
} from "../../base/json/fields.ts";
import { done, type Result, refused } from "../../base/result.ts";
import { NAME_MAX_CODE_POINTS } from "../../base/text/text.ts";
import type { Authored } from "../journal.ts";
import { type Conditional, isMet, type PreconditionFailed, tagOf } from "../tag.ts";

export const ANIMAL_STATUSES = ["available", "pending", "sold"] as const;
export type AnimalStatus = (typeof ANIMAL_STATUSES)[number];

/** A search inside names has this many characters at least: the indexes of both databases are of trigrams. */
export const NAME_PART_MIN_CODE_POINTS = 3;

/** The fields of a new animal. Its status has a default, so that the status filter finds every animal. */
export const NEW_ANIMAL_FIELDS = {
  name: textField(NAME_MAX_CODE_POINTS),
  categoryId: int64Field,
  status: optional(choiceField(ANIMAL_STATUSES), "available"),
};

export type NewAnimal = Parsed<typeof NEW_ANIMAL_FIELDS>;

export interface Animal extends NewAnimal {
  readonly id: bigint;
}

/** The one rule for a new animal, whether it comes from the API, the console or a file. */
export const parseNewAnimal = (value: unknown): NewAnimal | InvalidRecord => parseRecord(NEW_ANIMAL_FIELDS, value);

export const animalTag = ({ id, name, categoryId, status }: Animal): string =>
  tagOf(`animal ${id} ${categoryId} ${status} ${name}`);

/** The fields that can be updated. One that is missing stays as it is. */
export const ANIMAL_UPDATE_FIELDS = partial(NEW_ANIMAL_FIELDS);

export interface AnimalUpdate extends Partial<Parsed<typeof ANIMAL_UPDATE_FIELDS>>, Authored, Conditional {
  readonly id: bigint;
}

export type AnimalUpdateRefusal =
  | PreconditionFailed
  | { readonly kind: "no_such_animal" }
  /** An open order holds the animal, and its status follows that order. */
  | { readonly kind: "in_order" };

/** The animal after an update, or why the update is refused. */
export function decideAnimalUpdate(
  animal: Animal | undefined,
  hasOpenOrder: () => boolean,
  update: AnimalUpdate,
): Result<Animal, AnimalUpdateRefusal> {
  const { name, categoryId, status, precondition } = update;
  if (!animal) return refused({ kind: "no_such_animal" });
  if (!isMet(precondition, () => animalTag(animal))) return refused({ kind: "precondition_failed" });
  if (changesStatus(animal, update) && hasOpenOrder()) return refused({ kind: "in_order" });
  return done({
    id: animal.id,
    name: name ?? animal.name,
    categoryId: categoryId ?? animal.categoryId,
    status: status ?? animal.status,
  });
}

/** Only an update of the status can be refused because of orders. */
export const changesStatus = (animal: Animal, { status }: AnimalUpdate): boolean =>
  status !== undefined && status !== animal.status;

export interface AnimalDeletion extends Authored, Conditional {
  readonly id: bigint;
}

export type AnimalDeletionRefusal =
  | PreconditionFailed
  | { readonly kind: "no_such_animal" }
  /** Orders refer to the animal, and would lead nowhere. */
  | { readonly kind: "has_orders" };

/** The animal that is deleted, or why the deletion is refused. */
export function decideAnimalDeletion(
  animal: Animal | undefined,
  hasOrders: () => boolean,
  { precondition }: AnimalDeletion,
): Result<Animal, AnimalDeletionRefusal> {
  if (!animal) return refused({ kind: "no_such_animal" });
  if (!isMet(precondition, () => animalTag(animal))) return refused({ kind: "precondition_failed" });
  return hasOrders() ? refused({ kind: "has_orders" }) : done(animal);
}
