import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { countOf, formatNumber, harmless, mistakeInText } from "./text.ts";

const codePointsOf = (...ranges: [from: number, to: number][]): string[] =>
  ranges.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, i) => String.fromCodePoint(from + i)));

/** The Unicode standard lists these in DerivedCoreProperties.txt; the bidirectional controls are left out. */
const IGNORABLE = codePointsOf(
  [0x00ad, 0x00ad],
  [0x034f, 0x034f],
  [0x061c, 0x061c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x2060, 0x2065],
  [0x206a, 0x206f],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfff8],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
);
const ALSO_INVISIBLE = ["\u2800", "\ufff9", "\ufffa", "\ufffb", "\u{1d159}"];
const SPACES = [" ", "\u00a0", "\u2003", "\u2028", "\u3000"];
const BIDIRECTIONAL = codePointsOf([0x202a, 0x202e], [0x2066, 0x2069]);

const invisible = fc.constantFrom(...IGNORABLE, ...ALSO_INVISIBLE);
const visible = fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 9 }).filter((text) => text.trim() !== "");

test("a text with something to see is right up to its bound, counted in code points", () => {
  const anyText = fc.string({ unit: "grapheme", maxLength: 40 });
  fc.assert(
    fc.property(anyText, visible, (text, seen) => {
      const whole = text + seen;
      const length = [...whole].length;
      expect(mistakeInText(whole, length)).toBeUndefined();
      expect(mistakeInText(whole, length - 1)?.text).toBe(`must be at most ${length - 1} characters long`);
    }),
  );
});

test("what is wrong is said", () => {
  expect(mistakeInText("", 9)?.text).toContain("blank");
  expect(mistakeInText("\u3000\u00a0 ", 9)?.text).toContain("blank");
  expect(mistakeInText("a\u007f", 9)?.text).toBe("must not contain control characters such as U+007F");
  expect(mistakeInText("a\u009b", 9)?.text).toContain("U+009B");
  expect(mistakeInText("a\udc00", 9)?.text).toContain("surrogates");
  expect(mistakeInText(" ".repeat(10), 9)?.text).toContain("at most 9");
});

describe("what nobody sees", () => {
  test("is no text, however much of it there is, and the first of it is named", () => {
    const anySpaces = fc.string({ unit: fc.constantFrom(...SPACES), maxLength: 3 });
    fc.assert(
      fc.property(anySpaces, fc.array(fc.oneof(invisible, anySpaces), { maxLength: 20 }), invisible, (...parts) => {
        const [spaces, others, last] = parts;
        const all = [spaces, ...others, last].join("");
        const first = [...all].find((character) => !SPACES.includes(character)) as string;
        const name = `U+${first.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}`;
        expect(mistakeInText(all, 999)?.text).toBe(
          `must have a visible character, besides invisible ones such as ${name}`,
        );
      }),
    );
  });

  test("is refused alone, every single character of it", () => {
    for (const character of [...IGNORABLE, ...ALSO_INVISIBLE])
      expect([character, mistakeInText(character, 9) !== undefined]).toEqual([character, true]);
  });

  test("may stand beside what can be seen, as emoji, Persian and Indic scripts need it", () => {
    for (const text of [
      "👨‍👩‍👧",
      "❤️",
      "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
      "می‌خواهم",
      "क्‍ष",
      "葛\u{e0100}",
    ])
      expect(mistakeInText(text, 99)).toBeUndefined();
    fc.assert(fc.property(invisible, visible, invisible, (...parts) => !mistakeInText(parts.join(""), 99)));
  });
});

describe("the direction of text", () => {
  test("cannot be changed: every bidirectional control is refused by its name, wherever it stands", () => {
    const text = fc.string({ unit: "grapheme-ascii", maxLength: 9 });
    fc.assert(
      fc.property(text, fc.constantFrom(...BIDIRECTIONAL), visible, (before, control, after) => {
        const name = `U+${control.codePointAt(0)?.toString(16).toUpperCase()}`;
        expect(mistakeInText(before + control + after, 99)?.text).toBe(
          `must not contain ${name}, which changes the direction of text around it`,
        );
      }),
    );
  });

  test("can be marked, as names in Arabic and Hebrew need it", () => {
    for (const mark of ["\u061c", "\u200e", "\u200f"]) expect(mistakeInText(`רקס${mark} 2`, 9)).toBeUndefined();
  });
});

test("what breaks a line, commands a terminal or reorders text is named instead of shown", () => {
  expect(harmless("a\u0000\t\u001b[2J\u0085\u2028\u2029\u202e\u2066b")).toBe(
    "a<U+0000><U+0009><U+001B>[2J<U+0085><U+2028><U+2029><U+202E><U+2066>b",
  );
  for (const text of ["Café Müller", "犬の店", "\u{1f469}\u200d\u{1f467}", "\u05e9\u05dc\u05d5\u05dd\u200f", "a  b"])
    expect(harmless(text)).toBe(text);
});

test("one is singular", () => {
  expect([0, 1, 1000].map((count) => countOf(count, "key"))).toEqual(["0 keys", "1 key", "1,000 keys"]);
  expect([1, 2].map((count) => countOf(count, "line is", "lines are"))).toEqual(["1 line is", "2 lines are"]);
});

test("a whole number has its digits in groups of three, as in English", () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (value) => {
      expect(formatNumber(value)).toBe(value.toLocaleString("en-US"));
    }),
  );
  expect([0, -1, 999, 1_000, -1_000, 81_122].map(formatNumber)).toEqual([
    "0",
    "-1",
    "999",
    "1,000",
    "-1,000",
    "81,122",
  ]);
});
