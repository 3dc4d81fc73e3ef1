import { expect, test } from "bun:test";
import fc from "fast-check";
import { mistakeInText, NAME_MAX_CODE_POINTS } from "../../base/text/text.ts";
import { endOfPrefix, fold } from "./fold.ts";

const isLess = (a: string, b: string): boolean => Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0;

/** Characters at the edges of the order of code points, mixed with any others. */
const EDGES = ["a", "b", "\ud7ff", "\ue000", "\uffff", "\u{10000}", "\u{10fffe}", "\u{10ffff}"];
const characters = fc.oneof(fc.constantFrom(...EDGES), fc.string({ unit: "binary", minLength: 1, maxLength: 1 }));
const names = fc
  .string({ unit: characters, minLength: 1, maxLength: 6 })
  .filter((name) => mistakeInText(name, NAME_MAX_CODE_POINTS) === undefined);

test("what begins with a prefix is exactly what lies between it and its end, in the order of bytes", () => {
  const pairs = fc.tuple(names, names, fc.boolean()).map(([a, b, isPrefix]) => [isPrefix ? a + b : b, a] as const);
  fc.assert(
    fc.property(pairs, ([name, prefix]) => {
      const isInRange = !isLess(name, prefix) && isLess(name, endOfPrefix(prefix));
      expect(isInRange).toBe(name.startsWith(prefix));
    }),
    { numRuns: 2_000 },
  );
});

test("the end of a prefix is a text that any database can store, also at the edges of Unicode", () => {
  expect(endOfPrefix("ab")).toBe("ac");
  expect(endOfPrefix("a\ud7ff")).toBe("a\ue000");
  expect(endOfPrefix("a\u{10ffff}\u{10ffff}")).toBe("b");
  expect(endOfPrefix("\uffff")).toBe("\u{10000}");
  expect(endOfPrefix("é🐕")).toBe("é🐖");
  const last = "\u{10ffff}".repeat(NAME_MAX_CODE_POINTS);
  expect(isLess(fold(last), endOfPrefix(last))).toBe(true);
  fc.assert(fc.property(names, (prefix) => expect(endOfPrefix(fold(prefix)).isWellFormed()).toBe(true)));
});

test("a name is folded as it is meant, however it is typed", () => {
  for (const [name, same] of [
    ["ZOË", "zoë"],
    ["Zoe\u0308", "zoë"],
    ["\u212bngström", "ångström"],
    ["ǅungla", "ǆungla"],
    ["ＲＥＸ", "ｒｅｘ"],
    ["ΝΙΚΟΣ", "νικοσ"],
    ["Νίκος", "νίκοσ"],
  ] as const)
    expect(fold(name)).toBe(same);
});

test("a name begins with whatever its first characters are folded to, in any case and encoding", () => {
  const letters = fc.constantFrom(..."ΑΆΟΣΤΪΰσςόιabßİIéÉŉǅ -'.", "e\u0301", "Ι\u0308\u0301", "ς\u0323");
  const words = fc.array(letters, { minLength: 1, maxLength: 12 }).map((parts) => parts.join(""));
  const graphemes = new Intl.Segmenter();
  fc.assert(
    fc.property(words, fc.nat(), fc.constantFrom("NFC", "NFD"), (name, count, encoding) => {
      const all = Array.from(graphemes.segment(name), ({ segment }) => segment);
      const prefix = all.slice(0, 1 + (count % all.length)).join("");
      expect(fold(name)).toStartWith(fold(prefix.normalize(encoding)));
    }),
    { numRuns: 2_000 },
  );
});

test("no name is lost by folding: it stays visible, well-formed and without control characters", () => {
  fc.assert(fc.property(names, (name) => expect(mistakeInText(fold(name), 10 * NAME_MAX_CODE_POINTS)).toBeUndefined()));
});
