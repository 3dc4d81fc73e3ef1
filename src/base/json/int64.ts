export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;

const CANONICAL = /^(?:0|-?[1-9][0-9]{0,18})$/;
const JSON_NUMBER = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;
const MAX_DIGITS = 19;

const inRange = (value: bigint): boolean => value >= INT64_MIN && value <= INT64_MAX;

/** The int64 that a text denotes in canonical form: no `-0`, no `+`, no leading zeros. */
export function parseInt64(text: string): bigint | undefined {
  if (!CANONICAL.test(text)) return undefined;
  const value = BigInt(text);
  return inRange(value) ? value : undefined;
}

/**
 * The int64 that a JSON number literal denotes, however it is written: `1`, `1.0` and `10e-1` are equal.
 * Undefined for fractions and for values outside the int64 range.
 */
export function int64FromJson(literal: string): bigint | undefined {
  const parts = JSON_NUMBER.exec(literal);
  if (!parts) return undefined;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = parts;
  const written = whole + fraction;
  const end = lengthWithoutTrailingZeros(written);
  const digits = written.slice(0, end).replace(/^0+/, "");
  if (digits === "") return 0n;
  const zeros = written.length - end - fraction.length + Number(exponent);
  if (zeros < 0 || digits.length + zeros > MAX_DIGITS) return undefined;
  const value = BigInt(sign + digits + "0".repeat(zeros));
  return inRange(value) ? value : undefined;
}

/** A loop, because /0+$/ takes quadratic time on a long run of zeros that is not at the end. */
function lengthWithoutTrailingZeros(digits: string): number {
  let length = digits.length;
  while (length > 0 && digits[length - 1] === "0") length--;
  return length;
}
