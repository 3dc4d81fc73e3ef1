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
