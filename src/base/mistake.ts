/** A mistake in a value from outside, as the end of a sentence that begins with the value's name. */
export class Mistake {
  constructor(readonly text: string) {}
}
