import { NAME_MAX_CODE_POINTS } from "../../base/text/text.ts";

/**
 * Folds a name for searches, which ignore case and Unicode normalization. toLowerCase makes ς of a Σ at the end of a
 * word, and σ elsewhere; since the end of a prefix is not the end of the name, both become σ.
 */
export const fold = (name: string): string => name.normalize("NFC").toLowerCase().replaceAll("ς", "σ");

const LAST_CODE_POINT = 0x10ffff;
const LAST_BEFORE_SURROGATES = 0xd7ff;
const FIRST_AFTER_SURROGATES = 0xe000;

/** Greater than any folded name: folding keeps this code point, and no name has as many of them. */
const AFTER_ALL_NAMES = String.fromCodePoint(LAST_CODE_POINT).repeat(NAME_MAX_CODE_POINTS + 1);

/**
 * The first text after all that begin with a prefix, in the order of code points, which is that of UTF-8's bytes. So a
 * search by prefix is a range of an index: from the prefix up to, but without, this text.
 */
export function endOfPrefix(prefix: string): string {
  const codePoints = Array.from(prefix, (character) => character.codePointAt(0) as number);
  for (let last = codePoints.pop(); last !== undefined; last = codePoints.pop())
    if (last < LAST_CODE_POINT) return String.fromCodePoint(...codePoints, nextCodePoint(last));
  return AFTER_ALL_NAMES;
}

const nextCodePoint = (codePoint: number): number =>
  codePoint === LAST_BEFORE_SURROGATES ? FIRST_AFTER_SURROGATES : codePoint + 1;
