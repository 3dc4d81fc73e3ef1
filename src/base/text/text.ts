import { Mistake } from "../mistake.ts";

/** The longest name of an animal or a category. */
export const NAME_MAX_CODE_POINTS = 255;

const CONTROL_CHARACTER = /\p{Cc}/u;

/**
 * Embeddings, overrides and isolates, which reorder the text after them. The marks U+061C, U+200E and U+200F are not
 * among them: names in Arabic and Hebrew need them, and they reorder nothing else.
 */
const BIDIRECTIONAL_CONTROL = /[\u202a-\u202e\u2066-\u2069]/;

/**
 * A visible character. Unicode has no property for it: besides ignorable ones, a blank braille pattern, interlinear
 * annotation marks and a musical null notehead show nothing either.
 */
const VISIBLE = /[^\s\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb\u{1d159}]/u;

const NOT_SPACE = /\P{White_Space}/u;

/** Returns what is wrong with a text, or undefined. The length comes first, so that the rest is cheap. */
export function mistakeInText(text: string, maxCodePoints: number): Mistake | undefined {
  if (isLonger(text, maxCodePoints)) return new Mistake(`must be at most ${maxCodePoints} characters long`);
  if (!VISIBLE.test(text)) return mistakeInInvisible(text);
  if (!text.isWellFormed()) return new Mistake("must be well-formed Unicode, without lone surrogates");
  const control = CONTROL_CHARACTER.exec(text);
  if (control) return new Mistake(`must not contain control characters such as ${nameOf(control)}`);
  const bidirectional = BIDIRECTIONAL_CONTROL.exec(text);
  if (bidirectional)
    return new Mistake(`must not contain ${nameOf(bidirectional)}, which changes the direction of text around it`);
  return undefined;
}

function mistakeInInvisible(text: string): Mistake {
  const invisible = NOT_SPACE.exec(text);
  if (!invisible) return new Mistake("must not be empty or blank");
  return new Mistake(`must have a visible character, besides invisible ones such as ${nameOf(invisible)}`);
}

/** A code point has one or two code units, so most texts need no counting. */
function isLonger(text: string, maxCodePoints: number): boolean {
  if (text.length <= maxCodePoints) return false;
  if (text.length > 2 * maxCodePoints) return true;
  let count = 0;
  for (const _ of text) count++;
  return count > maxCodePoints;
}

/** The name of a character in Unicode's notation: U+200B. */
const nameOf = ([character]: RegExpExecArray | [character: string]): string =>
  `U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0")}`;

/** A character that breaks a line, controls a terminal, or reorders the text around it. */
const DISRUPTIVE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu;

/** A text for a terminal: disruptive characters, which names of earlier releases may have, are named instead. */
export const harmless = (text: string): string => text.replace(DISRUPTIVE, (character) => `<${nameOf([character])}>`);

const QUOTED_MAX_CHARACTERS = 60;

/** A name from outside, safe to put in a message. */
export const quote = (name: string): string =>
  JSON.stringify(
    name.length > QUOTED_MAX_CHARACTERS ? `${name.slice(0, QUOTED_MAX_CHARACTERS)}…` : name.toWellFormed(),
  );

/** A whole number as "1,234,567". Loading Intl for that takes milliseconds, also of a start. */
export const formatNumber = (value: number): string => String(value).replace(/\B(?=(?:\d{3})+$)/g, ",");

/** The word for a number of things: "animal" for one, "animals" for any other number. */
export const plural = (count: number, one: string, many = `${one}s`): string => (count === 1 ? one : many);

/** "1 animal", "1,200 animals"; with the second noun where an s is not enough. */
export const countOf = (count: number, one: string, many?: string): string =>
  `${formatNumber(count)} ${plural(count, one, many)}`;
