import { Mistake } from "./mistake.ts";

const CONTROL_CHARACTER = /\p{Cc}/u;

/** What is wrong with a name; undefined when nothing is. */
export function mistakeInText(text: string, maxCodePoints: number): Mistake | undefined {
  if (text.trim() === "") return new Mistake("must not be empty or blank");
  if (!text.isWellFormed()) return new Mistake("must be well-formed Unicode, without lone surrogates");
  if (CONTROL_CHARACTER.test(text)) return new Mistake("must not contain control characters");
  if (text.length > maxCodePoints && codePoints(text) > maxCodePoints)
    return new Mistake(`must be at most ${maxCodePoints} characters long`);
  return undefined;
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
