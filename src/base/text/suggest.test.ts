import { expect, test } from "bun:test";
import fc from "fast-check";
import { suggest } from "./suggest.ts";

test("a suggestion is close, or there is none", () => {
  expect(suggest("ENTERPRIZE", ["free", "enterprise"])).toBe("enterprise");
  expect(suggest("rpo", ["free", "pro"])).toBe("pro");
  expect(suggest("xyz", ["free", "enterprise"])).toBeUndefined();
  expect(suggest("", [])).toBeUndefined();
});

test("of several close words, the closest is suggested, and of equals the first", () => {
  expect(suggest("key_abcdef", ["key_abcdxx", "key_abcdex", "key_abcdey"])).toBe("key_abcdex");
});

test("a known word with one letter dropped is recognized", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{2,20}$/), fc.nat(), (word, n) => {
      const at = n % word.length;
      expect(suggest(word.slice(0, at) + word.slice(at + 1), [word])).toBe(word);
    }),
  );
});

test("the suggestion is the one that comparing every letter of every word would give", () => {
  const word = fc.stringMatching(/^[abAB]{0,9}$/);
  fc.assert(
    fc.property(word, fc.array(word, { maxLength: 6 }), (typed, known) => {
      const near = known
        .map((candidate) => ({ candidate, distance: distanceBetween(typed.toLowerCase(), candidate.toLowerCase()) }))
        .filter(({ candidate, distance }) => distance <= Math.max(1, Math.floor(candidate.length / 3)))
        .sort((a, b) => a.distance - b.distance);
      expect(suggest(typed, known)).toBe(near[0]?.candidate);
    }),
    { numRuns: 1_000 },
  );
});

/** By its definition. */
function distanceBetween(a: string, b: string): number {
  if (a === "" || b === "") return a.length + b.length;
  const [restOfA, restOfB] = [a.slice(1), b.slice(1)];
  if (a[0] === b[0]) return distanceBetween(restOfA, restOfB);
  const ways = [distanceBetween(restOfA, b), distanceBetween(a, restOfB), distanceBetween(restOfA, restOfB)];
  if (a[0] === b[1] && a[1] === b[0]) ways.push(distanceBetween(a.slice(2), b.slice(2)));
  return 1 + Math.min(...ways);
}

test("however long a word is, one with more than three mistakes in it is not suggested", () => {
  const word = "the shop at the corner of the market place";
  expect(suggest(word.replaceAll("a", "e"), [word])).toBe(word);
  expect(suggest(word.replaceAll("h", "i"), [word])).toBeUndefined();
});

test("a hundred thousand words are looked through in a moment", () => {
  const beginning = "customer ".repeat(10);
  const known = Array.from({ length: 100_000 }, (_, i) => `${beginning}${i}`);
  const before = process.cpuUsage();
  expect(suggest("x".repeat(95), known)).toBeUndefined();
  expect(suggest(`${beginning}5555x`, known)).toBe(`${beginning}5555`);
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(3_000);
});
