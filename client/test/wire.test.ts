import { describe, expect, test } from "bun:test";
import type { ApiDocument } from "../../scripts/api-document.ts";
import { clientTypes } from "../../scripts/client-types.ts";
import manifest from "../package.json" with { type: "json" };
import { VERSION } from "../src/version.ts";
import { INT64_FIELDS } from "../src/wire/types.ts";

const ROOT = new URL("../../", import.meta.url);
const read = (path: string): Promise<string> => Bun.file(new URL(path, ROOT)).text();
const document = JSON.parse(await read("openapi.json")) as ApiDocument;

test("the types are what openapi.json says: `npm run openapi` writes them again", async () => {
  expect(await read("client/src/wire/types.ts")).toBe(clientTypes(document));
});

test("every field and query parameter that needs 64 bits is exact, and no other", () => {
  expect([...INT64_FIELDS].sort()).toEqual(["categoryId", "id", "petId"]);
});

test("the version that the client sends is that of the package", () => {
  expect(VERSION).toBe(manifest.version);
});

describe("a change of the document is a change of the types", () => {
  // biome-ignore lint/suspicious/noExplicitAny: a document is walked by path
  const changed = (change: (document: any) => void): string => {
    const copy = structuredClone(document);
    change(copy);
    return clientTypes(copy);
  };

  test("a count without a maximum is exact", () => {
    const types = changed(({ components }) => delete components.schemas.Key.properties.strikesLeft.maximum);
    expect(types).toContain("readonly strikesLeft: Int64;");
    expect(types).toContain('["id", "categoryId", "petId", "strikesLeft"]');
  });

  test("a maximum beyond the safe integers is no help", () => {
    const types = changed(({ components }) => (components.schemas.Key.properties.strikesLeft.maximum = 2 ** 53));
    expect(types).toContain("readonly strikesLeft: Int64;");
  });

  test("a name that is exact in one place and a number in another is refused", () => {
    const ambiguous = () =>
      changed(({ components }) => (components.schemas.Order.properties.limit = { type: "integer", format: "int64" }));
    expect(ambiguous).toThrow("limit is exact in one place, and a number in another");
  });

  test.each([
    ["in an object", { type: "object", properties: { id: { type: "integer", format: "int64" } } }],
    ["in a list", { type: "array", items: { type: "integer", format: "int64" } }],
    ["in another resource", { $ref: "#/components/schemas/Pet" }],
  ])("an exact integer within a field, %s, is refused: the client would not see it", (_, schema) => {
    const deep = () => changed(({ components }) => (components.schemas.Order.properties.deep = schema));
    expect(deep).toThrow("deep has exact integers in it");
  });

  test("a type that nobody knows is refused", () => {
    const unknown = () => changed(({ components }) => (components.schemas.Pet.properties.name.type = "null"));
    expect(unknown).toThrow("There is no type for");
  });

  test("a new code, a new field and a new parameter appear", () => {
    const types = changed(({ components: { schemas }, paths }) => {
      schemas.Error.properties.code["x-extensible-enum"].push("brand_new");
      schemas.OrderPlacement.properties.gift = { type: "string", description: "For whom.", maxLength: 9 };
      paths["/key"].get.parameters = [{ in: "query", name: "at", description: "When.", schema: { type: "string" } }];
    });
    expect(types).toContain('\n  | "brand_new";');
    expect(types).toContain("  /** For whom. At most 9 characters. */\n  readonly gift?: string | undefined;\n");
    expect(types).toContain("export interface GetKeyQuery {\n  /** When. */\n  readonly at?: string | undefined;\n}");
  });
});
