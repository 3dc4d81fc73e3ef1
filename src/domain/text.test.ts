import { expect, test } from "bun:test";
import fc from "fast-check";
import { mistakeInText } from "./text.ts";

test("a text of printable characters is right up to its bound, counted in code points", () => {
  const printable = fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(printable, (text) => {
      fc.pre(text.trim() !== "");
      const length = [...text].length;
      expect(mistakeInText(text, length)).toBeUndefined();
      expect(mistakeInText(text, length - 1)?.text).toContain("at most");
    }),
  );
});

test("what is wrong is said", () => {
  expect(mistakeInText("", 9)?.text).toContain("blank");
  expect(mistakeInText("\u3000\u00a0 ", 9)?.text).toContain("blank");
  expect(mistakeInText("a\u007f", 9)?.text).toContain("control");
  expect(mistakeInText("a\u009b", 9)?.text).toContain("control");
  expect(mistakeInText("a\udc00", 9)?.text).toContain("surrogates");
});
