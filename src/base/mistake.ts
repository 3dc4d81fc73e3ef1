/** What is wrong with a value from outside, as the end of a sentence that begins with its name. */
export class Mistake {
  constructor(readonly text: string) {}
}
