// Animals are found by their folded names. Those that release 1.1.0 has added have none, so a migration folds the
// names that there are, and running services those that are added later.

/** Names that a service folds in one transaction: few, because other writes wait for it. */
export const FOLD_BATCH_SIZE = 500;

/** A row that a `fold` step reads. The name is null if it is folded already. */
export interface AnimalToFold {
  readonly id: bigint;
  readonly name: string | null;
}

export type UnfoldedAnimal = AnimalToFold & { readonly name: string };

export const unfoldedOf = (animals: readonly AnimalToFold[]): UnfoldedAnimal[] =>
  animals.filter((animal): animal is UnfoldedAnimal => animal.name !== null);
