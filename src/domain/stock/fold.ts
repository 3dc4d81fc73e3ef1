import { NAME_MAX_CODE_POINTS } from "../../base/text/text.ts";

/**
 * A name as it is searched for: however it was typed, and whatever its case. toLowerCase makes a Σ at the end of a word
 * ς, and elsewhere σ; but what ends a prefix does not end the name. So both are σ.
 */
export const fold = (name: string): string => name.normalize("NFC").toLowerCase().replaceAll("ς", "σ");

const LAST_CODE_POINT = 0x10ffff;
const LAST_BEFORE_SURROGATES = 0xd7ff;
const FIRST_AFTER_SURROGATES = 0xe000;

/** Folding leaves this code point as it is, so no folded name begins with so many of them. */
const AFTER_ALL_NAMES = String.fromCodePoint(LAST_CODE_POINT).repeat(NAME_MAX_CODE_POINTS + 1);

/**
 * The first text after all that begin with a prefix, in the order of code points, which is that of UTF-8's bytes. So
 * what begins with the prefix is a range: at least the prefix, and less than this.
 */
export function endOfPrefix(prefix: string): string {
  const codePoints = Array.from(prefix, (character) => character.codePointAt(0) as number);
  for (let last = codePoints.pop(); last !== undefined; last = codePoints.pop())
    if (last < LAST_CODE_POINT) return String.fromCodePoint(...codePoints, nextCodePoint(last));
  return AFTER_ALL_NAMES;
}

const nextCodePoint = (codePoint: number): number =>
  codePoint === LAST_BEFORE_SURROGATES ? FIRST_AFTER_SURROGATES : codePoint + 1;
