export const ANIMAL_STATUSES = ["available", "pending", "sold"] as const;
export type AnimalStatus = (typeof ANIMAL_STATUSES)[number];

/** What the status filter finds must include every animal, so one without a status is available. */
export const DEFAULT_ANIMAL_STATUS: AnimalStatus = "available";

export interface NewAnimal {
  readonly name: string;
  readonly categoryId: bigint;
  readonly status: AnimalStatus;
}

export interface Animal extends NewAnimal {
  readonly id: bigint;
}

export const isAnimalStatus = (text: string): text is AnimalStatus =>
  (ANIMAL_STATUSES as readonly string[]).includes(text);

export const NAME_MAX_CODE_POINTS = 255;
