import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { INT64_MAX, INT64_MIN } from "../../base/json/int64.ts";
import { Fault } from "../faults/fault.ts";
import { PET_NOT_FOUND } from "../faults/faults.ts";
import { PAGE_PARAMETERS } from "./paging.ts";
import { formatQuery, idInPath, int64ListParameter, int64Parameter, readPath, readQuery } from "./parameters.ts";

const known = {
  ...PAGE_PARAMETERS,
  petId: idInPath("The animal's id.", 42, PET_NOT_FOUND),
  categoryId: int64Parameter("Its category.", 7),
  id: int64ListParameter("These.", [1, 2], 3),
};

const read = (query: string) => {
  const values: Record<string, unknown> = {};
  return readQuery(known, `http://host/v1/pets${query}`, values) ?? values;
};

/** So that all of it has to be decoded. */
const everyCharacterEncoded = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");

const shown = (outcome: Record<string, unknown> | Fault): unknown =>
  outcome instanceof Fault ? [outcome.code, outcome.message] : outcome;

describe("a query", () => {
  test("that was written by formatQuery is read back as it was", () => {
    const int64 = fc.bigInt({ min: INT64_MIN, max: INT64_MAX });
    const values = fc.record(
      {
        limit: fc.integer({ min: 1, max: 100 }),
        cursor: fc.record({ id: int64 }),
        categoryId: int64,
        id: fc.array(int64, { minLength: 1, maxLength: 3 }),
      },
      { requiredKeys: ["limit"] },
    );
    fc.assert(
      fc.property(values, (values) => {
        const absent = { cursor: undefined, categoryId: undefined, id: undefined };
        expect(read(`?${formatQuery(known, values)}`)).toEqual({ ...absent, ...values });
      }),
    );
  });

  test("is read as URLSearchParams reads it, whether or not there is something to decode", () => {
    const texts = fc.constantFrom("categoryId", "id", "limit", "x", "7", "%37", "+", "=", "&", "?", "#", "é", "1e1");
    const query = fc.array(texts, { maxLength: 9 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(query, (query) => {
        const pairs = [...new URLSearchParams(`?${query}`)];
        const encoded = pairs.map((pair) => pair.map(everyCharacterEncoded).join("=")).join("&");
        expect(shown(read(`?${query}`))).toEqual(shown(read(`?${encoded}`)));
      }),
      { numRuns: 2_000 },
    );
  });

  test("that is absent or empty gives the defaults", () => {
    for (const query of ["", "?"])
      expect(read(query)).toEqual({ limit: 20, cursor: undefined, categoryId: undefined, id: undefined });
  });

  test("never throws, and never takes a parameter that is not declared for it", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const outcome = read(`?${text}`);
        if (!(outcome instanceof Fault)) expect(Object.keys(outcome)).toEqual(["limit", "cursor", "categoryId", "id"]);
      }),
    );
    expect(read("?petId=1")).toBeInstanceOf(Fault);
    expect(read("?id=1&id=2&id=3&id=4")).toMatchObject({ message: expect.stringContaining("at most 3 times") });
  });

  test("with an invalid value names the parameter and what it must be", () => {
    expect(read("?categoryId=x")).toMatchObject({
      code: "invalid_parameter",
      message: 'The query parameter "categoryId" must be a 64-bit integer, such as 42.',
    });
  });
});

test("an id in a path is a canonical int64, or names nothing", () => {
  expect(readPath(known, { petId: "9223372036854775807" })).toEqual({ petId: INT64_MAX });
  for (const petId of ["", "x", "01", "+1", "1.0", "9223372036854775808", " 1"])
    expect(readPath(known, { petId })).toBe(PET_NOT_FOUND);
});
