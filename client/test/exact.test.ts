import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { startService } from "../../test/harness/service/service.ts";
import { AnimalStore, type Int64Input } from "../src/index.ts";
import { parseExactly, writeExactly } from "../src/wire/exact-json.ts";
import { INT64_FIELDS } from "../src/wire/types.ts";
import { parseObviously } from "./harness/obvious-json.ts";
import { startTarget, testOfService } from "./harness/target.ts";

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
/** An integer in each of its accepted forms. */
const given = fc
  .oneof(int64, fc.maxSafeInteger().map(BigInt))
  .chain((integer) =>
    fc.constantFrom<Int64Input>(
      String(integer),
      integer,
      ...(Number.isSafeInteger(Number(integer)) ? [Number(integer)] : []),
    ),
  );

describe("JSON", () => {
  const space = fc.constantFrom("", "", "", " ", "\n\t", "\r\n  ");
  const scrap = fc.constantFrom(
    '"id":1',
    "id",
    "petId",
    '"',
    "\\",
    '\\"',
    ",",
    "{",
    "}",
    ":",
    "[",
    "7",
    " ",
    "\n",
    "ü",
  );
  const string = fc
    .tuple(fc.array(fc.oneof(scrap, fc.string({ maxLength: 3 })), { maxLength: 6 }), fc.boolean())
    .map(([scraps, isEscaped]) => {
      const json = JSON.stringify(scraps.join(""));
      return isEscaped ? json.replace(/\\./g, (pair) => (pair === '\\"' ? "\\u0022" : pair)) : json;
    });
  const name = fc.oneof(
    fc.constantFrom(String.raw`"x\"id"`, String.raw`"{\"id"`, String.raw`",\"petId"`, String.raw`"\\\"id"`, '"id "'),
    string.filter((json) => !INT64_FIELDS.includes(JSON.parse(json))),
  );
  const number = fc.oneof(
    int64.map(String),
    fc.constantFrom("0", "-0", "1.5", "-1e3", "1E+2", "10e-1", "123456789012345678901234567890"),
  );
  /** Exact integers are in an object, or in each of a list, and nowhere deeper, which the generator checks. */
  const exactName = fc.constantFrom(...INT64_FIELDS).map((field) => `"${field}"`);
  const { document } = fc.letrec<{ json: string; list: string; object: string; item: string; document: string }>(
    (tie) => ({
      json: fc.oneof({ maxDepth: 4 }, number, string, fc.constantFrom("true", "null"), tie("list"), tie("object")),
      list: fc
        .tuple(fc.array(tie("json"), { maxLength: 4 }), space)
        .map(([items, s]) => `[${s}${items.join(`${s},`)}${s}]`),
      object: fc
        .array(fc.tuple(space, name, space, space, tie("json"), space), { maxLength: 5 })
        .map(
          (members) => `{${members.map(([a, key, b, c, value, d]) => `${a}${key}${b}:${c}${value}${d}`).join(",")}}`,
        ),
      item: fc
        .array(
          fc.oneof(
            fc.tuple(
              space,
              exactName,
              space,
              space,
              fc.oneof(int64.map(String), string, fc.constantFrom("null")),
              space,
            ),
            fc.tuple(space, name, space, space, tie("json"), space),
          ),
          { maxLength: 5 },
        )
        .map(
          (members) => `{${members.map(([a, key, b, c, value, d]) => `${a}${key}${b}:${c}${value}${d}`).join(",")}}`,
        ),
      document: fc.oneof(
        tie("item"),
        tie("json"),
        fc.array(fc.oneof(tie("item"), tie("json")), { maxLength: 4 }).map((items) => `[${items}]`),
      ),
    }),
  );

  test("is read as by a parser that sees the digits of numbers, whatever is in it", () => {
    fc.assert(
      fc.property(document, (text) => {
        expect(parseExactly(text)).toEqual(parseObviously(text));
      }),
      { numRuns: 3000 },
    );
  });

  test("that is damaged is never read", () => {
    fc.assert(
      fc.property(document, fc.nat(), scrap, (text, at, garbage) => {
        const damaged = text.slice(0, at % (text.length + 1)) + garbage + text.slice(at % (text.length + 1));
        const isValid = (): boolean => {
          try {
            JSON.parse(damaged);
            return true;
          } catch {
            return false;
          }
        };
        if (isValid()) parseExactly(damaged);
        else expect(() => parseExactly(damaged)).toThrow(SyntaxError);
      }),
      { numRuns: 3000 },
    );
  });

  test("is written with all digits, and what is undefined is left out", () => {
    const text = fc.array(fc.oneof(scrap, fc.string())).map((scraps) => scraps.join(""));
    const body = fc.record({ name: text, categoryId: given, status: fc.constantFrom("sold", undefined), 'x"id': text });
    fc.assert(
      fc.property(body, ({ categoryId, ...rest }) => {
        const json = writeExactly({ categoryId, ...rest });
        expect(json).toContain(`{"categoryId":${categoryId},"`);
        const { categoryId: _, ...read } = JSON.parse(json);
        expect(read).toEqual(JSON.parse(JSON.stringify(rest)));
      }),
    );
  });

  test("of the fields that there are is the same as without the client", () => {
    expect(writeExactly({})).toBe("{}");
    expect(writeExactly({ name: undefined, categoryId: undefined })).toBe("{}");
    expect(writeExactly({ name: "", status: null, n: 1.5, list: [1] })).toBe(
      '{"name":"","status":null,"n":1.5,"list":[1]}',
    );
  });
});

describe("through the service", () => {
  const connect = async () => {
    const service = await startTarget();
    return { service, store: new AnimalStore({ baseUrl: `${service.origin}/v1`, apiKey: service.boundless }) };
  };

  test("any category of an animal comes back digit by digit", async () => {
    const { store, service } = await connect();
    const property = fc.asyncProperty(given, async (categoryId) => {
      const pet = await store.pets.create({ name: "Rex", categoryId });
      expect(pet.categoryId).toBe(String(categoryId));
      expect((await service.call(`GET /pets?id=${pet.id}`)).text).toContain(`"categoryId":${categoryId},`);
      expect(await store.pets.find(pet.id)).toEqual(pet);
      const { items } = await store.pets.list({ categoryId, sort: "-id", limit: 1 });
      expect(items).toEqual([pet]);
    });
    await fc.assert(property, { numRuns: 60 });
  });

  test("any category has a name under its own digits", async () => {
    const { store } = await connect();
    const property = fc.asyncProperty(given, async (id) => {
      const dogs = { id: String(id), name: "Dogs" };
      expect(await store.categories.put(id, { name: "Dogs" })).toEqual(dogs);
      expect(await store.categories.get(id)).toEqual(dogs);
      expect((await store.categories.list()).items).toEqual([dogs]);
      await store.categories.delete(id);
    });
    await fc.assert(property, { numRuns: 60 });
  });

  test("any id that no animal has is one that was looked for", async () => {
    const { store } = await connect();
    const property = fc.asyncProperty(given, async (id) => {
      const asked: string[] = [];
      const noting = new AnimalStore({
        baseUrl: "http://store.invalid/v1",
        apiKey: "pk_test",
        retries: 0,
        fetch: async (url) => {
          asked.push(url);
          throw new Error("asked");
        },
      });
      await noting.orders.get(id).catch(() => {});
      expect(asked).toEqual([`http://store.invalid/v1/store/orders/${id}`]);
      expect(await store.pets.find(id)).toBeUndefined();
      expect(await store.orders.place({ petId: id }).catch(({ code }) => code)).toBe("pet_not_found");
    });
    await fc.assert(property, { numRuns: 60 });
  });

  testOfService("an id as large as ids get is exact", async () => {
    const service = await startService();
    const store = new AnimalStore({ baseUrl: `${service.origin}/v1`, apiKey: service.boundless });
    const { Database } = await import("bun:sqlite");
    await store.pets.create({ name: "Rex", categoryId: 1 });
    const database = new Database(service.path);
    database.run("UPDATE animals SET id = 9223372036854775806");
    database.close();
    const largest = "9223372036854775806";
    const order = await store.orders.place({ petId: largest });
    expect(order.petId).toBe(largest);
    expect((await store.orders.list({ petId: BigInt(largest) })).items).toEqual([order]);
    expect(await store.pets.find(largest)).toMatchObject({ id: largest, status: "pending" });
  });
});
