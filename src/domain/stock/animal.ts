import {
  choiceField,
  type InvalidRecord,
  int64Field,
  maybe,
  optional,
  type Parsed,
  parseRecord,
  textField,
} from "../../base/json/fields.ts";
import { done, type Result, refused } from "../../base/result.ts";
import { NAME_MAX_CODE_POINTS } from "../../base/text/text.ts";
import type { Authored } from "../journal.ts";
import { isMet, type Precondition, type PreconditionFailed, tagOf } from "../tag.ts";

export const ANIMAL_STATUSES = ["available", "pending", "sold"] as const;
export type AnimalStatus = (typeof ANIMAL_STATUSES)[number];

/** What a new animal consists of. The status filter must be able to find every animal, so the default is available. */
export const NEW_ANIMAL_FIELDS = {
  name: textField(NAME_MAX_CODE_POINTS),
  categoryId: int64Field,
  status: optional(choiceField(ANIMAL_STATUSES), "available"),
};

export type NewAnimal = Parsed<typeof NEW_ANIMAL_FIELDS>;

export interface Animal extends NewAnimal {
  readonly id: bigint;
}

/** The one rule for what may be added, whoever asks. */
export const parseNewAnimal = (value: unknown): NewAnimal | InvalidRecord => parseRecord(NEW_ANIMAL_FIELDS, value);

export const animalTag = ({ id, name, categoryId, status }: Animal): string =>
  tagOf(`animal ${id} ${categoryId} ${status} ${name}`);

/** What can be corrected. What is not mentioned stays as it is. */
export const CORRECTION_FIELDS = {
  name: maybe(textField(NAME_MAX_CODE_POINTS)),
  categoryId: maybe(int64Field),
  status: maybe(choiceField(ANIMAL_STATUSES)),
};

export interface AnimalUpdate extends Partial<Parsed<typeof CORRECTION_FIELDS>>, Authored {
  readonly id: bigint;
  readonly precondition?: Precondition | undefined;
}

export type AnimalUpdateRefusal =
  | PreconditionFailed
  | { readonly kind: "no_such_animal" }
  /** An open order holds the animal, and its status follows that order. */
  | { readonly kind: "in_order" };

/** What a correction makes of an animal, or why it cannot be made. */
export function decideAnimalUpdate(
  animal: Animal | undefined,
  hasOpenOrder: () => boolean,
  correction: AnimalUpdate,
): Result<Animal, AnimalUpdateRefusal> {
  const { name, categoryId, status, precondition } = correction;
  if (!animal) return refused({ kind: "no_such_animal" });
  if (!isMet(precondition, () => animalTag(animal))) return refused({ kind: "precondition_failed" });
  if (changesStatus(animal, correction) && hasOpenOrder()) return refused({ kind: "in_order" });
  return done({
    id: animal.id,
    name: name ?? animal.name,
    categoryId: categoryId ?? animal.categoryId,
    status: status ?? animal.status,
  });
}

/** Whether it depends on the animal's orders if a correction can be made. */
export const changesStatus = (animal: Animal, { status }: AnimalUpdate): boolean =>
  status !== undefined && status !== animal.status;

export interface AnimalDeletion extends Authored {
  readonly id: bigint;
  readonly precondition?: Precondition | undefined;
}

export type AnimalDeletionRefusal =
  | PreconditionFailed
  | { readonly kind: "no_such_animal" }
  /** Orders refer to the animal, and would lead nowhere. */
  | { readonly kind: "has_orders" };

/** The animal that may be removed, or why it may not. */
export function decideAnimalDeletion(
  animal: Animal | undefined,
  hasOrders: () => boolean,
  { precondition }: AnimalDeletion,
): Result<Animal, AnimalDeletionRefusal> {
  if (!animal) return refused({ kind: "no_such_animal" });
  if (!isMet(precondition, () => animalTag(animal))) return refused({ kind: "precondition_failed" });
  return hasOrders() ? refused({ kind: "has_orders" }) : done(animal);
}
