import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { NEW_ANIMAL_FIELDS, parseNewAnimal } from "../../domain/stock/animal.ts";
import { InvalidRecord, PRINTABLE, parseRecord, partial, textField } from "./fields.ts";
import { INT64_MAX, INT64_MIN } from "./int64.ts";

const REX = { name: "Rex", categoryId: 7n };
const mistakesIn = (value: unknown) => (parseNewAnimal(value) as InvalidRecord).mistakes;

describe("parseNewAnimal", () => {
  test("takes what createPet takes, and fills in the status", () => {
    expect(parseNewAnimal(REX)).toEqual({ ...REX, status: "available" });
    expect(parseNewAnimal({ ...REX, status: "sold" })).toEqual({ ...REX, status: "sold" });
  });

  test("is whatever comes out, or says why not: no value makes it throw", () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const parsed = parseNewAnimal(value);
        if (!(parsed instanceof InvalidRecord))
          expect(Object.keys(parsed).sort()).toEqual(Object.keys(NEW_ANIMAL_FIELDS).sort());
      }),
    );
  });

  test("keeps every int64 and every name with a letter as it is", () => {
    const name = fc.string({ unit: "grapheme", maxLength: 50 }).map((text) => `${text}x`);
    fc.assert(
      fc.property(name, fc.bigInt({ min: INT64_MIN, max: INT64_MAX }), (name, categoryId) => {
        expect(parseNewAnimal({ name, categoryId })).toEqual({ name, categoryId, status: "available" });
      }),
    );
  });

  test("reports all mistakes at once, in the order of the fields, and unknown ones last", () => {
    expect(mistakesIn({ id: 1n, categoryId: "7", status: "lost", tag: null })).toEqual([
      { kind: "missing", field: "name" },
      { kind: "invalid", field: "categoryId", text: expect.stringContaining("integer") },
      { kind: "invalid", field: "status", text: "must be one of available, pending, sold" },
      { kind: "unknown", fields: ["id", "tag"] },
    ]);
  });

  test("refuses what is not an object", () => {
    for (const value of [undefined, null, 1, "x", [], [REX], true]) expect(mistakesIn(value)).toBe("not an object");
  });

  test("is not fooled by names that every object inherits", () => {
    const hostile = JSON.parse('{"__proto__":{"name":"x"},"constructor":1,"toString":2}');
    expect(mistakesIn(hostile)).toContainEqual({
      kind: "unknown",
      fields: expect.arrayContaining(["__proto__", "constructor", "toString"]),
    });
  });
});

test("a field that is there but undefined or null is not a missing one", () => {
  for (const value of [undefined, null])
    expect(parseRecord(NEW_ANIMAL_FIELDS, { ...REX, status: value })).toBeInstanceOf(InvalidRecord);
});

test("of partial fields none is needed, and none gets a value by itself; those that are there follow the same rules", () => {
  const parse = (value: unknown): unknown => parseRecord(partial(NEW_ANIMAL_FIELDS), value);
  expect(parse({})).toEqual({});
  expect(parse({ status: "sold" })).toEqual({ status: "sold" });
  for (const wrong of [{ name: "" }, { categoryId: "7" }, { status: null }, { id: 1n }])
    expect(parse(wrong)).toBeInstanceOf(InvalidRecord);
});

describe("the documented pattern of a text", () => {
  const { parse, schema } = textField(255);
  const documented = new RegExp(schema.pattern as string, "u");
  const printable = new RegExp(PRINTABLE, "u");

  test("allows every text that is accepted, and of the first 65,536 characters no other", () => {
    const characters = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code));
    const wellFormed = characters.filter((text) => text.isWellFormed());
    expect(wellFormed.filter((text) => documented.test(text) !== (parse(text) === text))).toEqual([]);
    const anyText = fc.string({ unit: "binary", minLength: 1, maxLength: 9 });
    fc.assert(fc.property(anyText, (text) => parse(text) !== text || documented.test(text)));
  }, 30_000);

  test("only adds to what was documented before", () => {
    const anyText = fc.string({ unit: "binary", minLength: 1, maxLength: 9 });
    fc.assert(fc.property(anyText, (text) => !documented.test(text) || printable.test(text)));
    for (const text of ["\u200b", "\u202eRex"]) expect(printable.test(text)).toBe(true);
  });
});
