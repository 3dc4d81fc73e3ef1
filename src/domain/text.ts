const CONTROL_CHARACTER = /\p{Cc}/u;

/** What is wrong with a name, as the end of a sentence that begins with it; undefined when nothing is. */
export function mistakeInText(text: string, maxCodePoints: number): string | undefined {
  if (text.trim() === "") return "must not be empty or blank";
  if (!text.isWellFormed()) return "must be well-formed Unicode, without lone surrogates";
  if (CONTROL_CHARACTER.test(text)) return "must not contain control characters";
  if (text.length > maxCodePoints && codePoints(text) > maxCodePoints)
    return `must have at most ${maxCodePoints} characters`;
  return undefined;
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
