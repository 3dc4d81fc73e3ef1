import { describe, expect, test } from "bun:test";
import { choicesFor, meantBy } from "./categories.ts";

const DOGS = { id: "1", name: "Dogs" };
const BIG = { id: "9007199254740993", name: null };

describe("what is suggested for a text", () => {
  test("is what the server has found", () => expect(choicesFor("do", [DOGS])).toEqual([DOGS]));
  test("is the number itself, exactly, if it is one", () => {
    expect(choicesFor(" 9007199254740993 ", [DOGS])).toEqual([BIG, DOGS]);
    expect(choicesFor("-1", [])).toEqual([{ id: "-1", name: null }]);
    expect(choicesFor("9223372036854775808", [])).toEqual([]);
  });
  test("is no number twice", () => expect(choicesFor("1", [DOGS])).toEqual([DOGS]));
  test("is short", () =>
    expect(
      choicesFor(
        "",
        Array.from({ length: 50 }, (_, i) => ({ id: String(i), name: `${i}` })),
      ),
    ).toHaveLength(8));
});

describe("what a text means by itself", () => {
  test.each([
    ["dOGS", DOGS],
    [" Dogs ", DOGS],
    ["Dog", undefined],
    ["9007199254740993", BIG],
    ["", undefined],
  ])("%j", (text, meant) => expect(meantBy(text, [DOGS, BIG])).toEqual(meant));
});
