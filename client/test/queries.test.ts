import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { AnimalStore, type ListPetsQuery } from "../src/index.ts";
import { startTarget } from "./harness/target.ts";

const connect = async () => {
  const service = await startTarget();
  return new AnimalStore({ baseUrl: `${service.origin}/v1`, apiKey: service.boundless });
};

/** Text with characters that have a meaning in URLs or their encodings. */
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "+",
        " ",
        "%",
        "%20",
        "%2B",
        "&",
        "=",
        "#",
        "?",
        "/",
        "\\",
        ";",
        ",",
        '"',
        "'",
        "<",
        "~",
        "*",
        "🐶",
      ),
      fc.constantFrom("é", "e\u0301", "ß", "İ", "日本", "👩‍🚒", "\u00a0", "null", "undefined"),
      fc.string({ minLength: 1, maxLength: 3, unit: "grapheme" }),
    ),
    { minLength: 1, maxLength: 8 },
  )
  // Without the characters that the service refuses in names: see `NewPet`.
  .map((parts) => `x${parts.join("").replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, "")}`);

test("an order is found by any reference, and by no other", async () => {
  const store = await connect();
  const property = fc.asyncProperty(text, async (reference) => {
    const { id: petId } = await store.pets.create({ name: "Rex", categoryId: 1 });
    const order = await store.orders.place({ petId, reference });
    expect(order.reference).toBe(reference);
    const { items } = await store.orders.list({ reference, sort: "-id" });
    expect(items[0]).toEqual(order);
    expect(items.every((found) => found.reference === reference)).toBe(true);
  });
  await fc.assert(property, { numRuns: 100 });
});

test("an animal is found by any name, and by the beginning of it", async () => {
  const store = await connect();
  const property = fc.asyncProperty(text, async (name) => {
    const pet = await store.pets.create({ name, categoryId: 1 });
    expect(pet.name).toBe(name);
    const found: string[] = [];
    for await (const { id } of store.pets.list({ name, limit: 100 })) found.push(id);
    expect(found).toContain(pet.id);
    const [first = ""] = name;
    expect((await store.pets.list({ name: first, limit: 1 })).items).toHaveLength(1);
    await store.pets.delete(pet.id);
    expect((await store.pets.list({ name: `${name}+ &#` })).items).toEqual([]);
  });
  await fc.assert(property, { numRuns: 100 });
});

test("the pages that follow have the same query", async () => {
  const store = await connect();
  const name = "a+b & c%20#?🐶";
  for (let i = 0; i < 5; i++) await store.pets.create({ name: `${name} ${i}`, categoryId: 1 });
  await store.pets.create({ name: "another", categoryId: 1 });
  const found: string[] = [];
  for await (const pet of store.pets.list({ name, limit: 2 })) found.push(pet.name);
  expect(found).toEqual([0, 1, 2, 3, 4].map((i) => `${name} ${i}`));
});

describe("what cannot be asked for is refused, and nothing is sent", () => {
  const refused: Record<string, [filter: unknown, message: string]> = {
    "no ids, which would list all": [{ id: [] }, "id is empty. To list all, leave it out."],
    "an id that is missing": [{ id: [1, undefined] }, "id is undefined. It must be a 64-bit integer"],
    "a name that is null": [{ name: null }, "name is null. It must be a string or a number."],
    "a status that is an object": [{ status: {} }, "status is an object. It must be a string or a number."],
    "a name among several that is null": [{ name: ["a", null] }, "name is null. It must be a string or a number."],
  };
  for (const [about, [filter, message]] of Object.entries(refused))
    test(about, async () => {
      let sent = 0;
      const store = new AnimalStore({
        baseUrl: "http://store.invalid/v1",
        apiKey: "pk_test",
        fetch: async () => {
          sent++;
          return new Response();
        },
      });
      const error = await store.pets.list(filter as ListPetsQuery).catch((error) => error);
      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toStartWith(message);
      expect(sent).toBe(0);
    });
});

test("what is undefined is left out", async () => {
  const store = await connect();
  await store.pets.create({ name: "Rex", categoryId: 7 });
  const { items } = await store.pets.list({ name: undefined, id: undefined, limit: undefined, sort: undefined });
  expect(items).toHaveLength(1);
});
