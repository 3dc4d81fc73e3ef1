import {
  choiceField,
  type InvalidRecord,
  int64Field,
  optional,
  type Parsed,
  parseRecord,
  textField,
} from "./fields.ts";

export const ANIMAL_STATUSES = ["available", "pending", "sold"] as const;
export type AnimalStatus = (typeof ANIMAL_STATUSES)[number];

export const NAME_MAX_CODE_POINTS = 255;

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
