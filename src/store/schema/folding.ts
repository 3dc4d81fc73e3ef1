import { INT64_MIN } from "../../base/json/int64.ts";
import type { Step } from "./migrate.ts";

// Animals are found by their folded names. Those that release 1.1.0 has added have none, so a migration folds the
// names that there are, and running services those that are added later.

export interface UnfoldedAnimal {
  readonly id: bigint;
  readonly name: string;
}

/** How many names a service folds at a time: other writes wait for it. */
export const FOLD_BATCH_SIZE = 500;

/** One of the animals that a `fold` step reads: without a name if that is folded already. */
export interface AnimalToFold {
  readonly id: bigint;
  readonly name: string | null;
}

/** Where each `fold` step is. A process that begins one again goes through what is folded already, and changes nothing. */
export class FoldProgress {
  readonly #after = new Map<Step, bigint>();

  /** The id that the step goes on after. */
  after(step: Step): bigint {
    return this.#after.get(step) ?? INT64_MIN;
  }

  moveBehind(step: Step, animals: readonly AnimalToFold[]): void {
    const last = animals.at(-1);
    if (last) this.#after.set(step, last.id);
  }
}

export const unfoldedOf = (animals: readonly AnimalToFold[]): UnfoldedAnimal[] =>
  animals.filter((animal): animal is UnfoldedAnimal => animal.name !== null);
