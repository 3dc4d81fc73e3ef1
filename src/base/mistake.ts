/** A mistake in a value from outside, as the end of a sentence that begins with the value's name. */
export class Mistake {
  constructor(readonly text: string) {}
}

/** Parses one of some words. */
export const oneOf =
  <Choice extends string>(choices: readonly Choice[]) =>
  (value: unknown): Choice | Mistake =>
    choices.find((choice) => choice === value) ?? new Mistake(`must be one of ${choices.join(", ")}`);
