import { describe, expect, test } from "bun:test";
import Ajv2020 from "ajv/dist/2020";
import { FAULT_CODES } from "../../src/http/faults/fault.ts";
import { openapiDocument } from "../../src/http/openapi/document.ts";
import { DEFAULT_URLS } from "../harness/checks/openapi.ts";
import { startService } from "../harness/service/service.ts";

const read = (name: string): Promise<string> => Bun.file(new URL(`../../${name}`, import.meta.url)).text();
// biome-ignore lint/suspicious/noExplicitAny: a document is walked by path
const document = JSON.parse(JSON.stringify(openapiDocument(DEFAULT_URLS))) as any;

describe("openapi.json", () => {
  test("is what the code makes: `npm run openapi` writes it again", async () => {
    expect(await read("openapi.json")).toBe(`${JSON.stringify(openapiDocument(DEFAULT_URLS), null, 2)}\n`);
  });

  test("has the routes that there are, and no others", async () => {
    const service = await startService();
    for (const [path, operations] of Object.entries<Record<string, unknown>>(document.paths)) {
      const { headers } = await service.call(`PROPFIND ${path.replace(/\{\w+\}/, "1")}`);
      const allowed = headers
        .get("allow")
        ?.split(", ")
        .filter((method) => method !== "HEAD");
      expect(Object.keys(operations).map((method) => method.toUpperCase())).toEqual(allowed as string[]);
    }
  });

  test("has examples that are valid by its own schemas", () => {
    const ajv = new Ajv2020({ strict: false, formats: { int64: true, "date-time": true } });
    ajv.addSchema({ $id: "doc", components: document.components });
    let checked = 0;
    const walk = (node: unknown): void => {
      if (typeof node !== "object" || node === null) return;
      const { schema, examples } = node as {
        schema?: { $ref?: string };
        examples?: Record<string, { value: unknown }>;
      };
      if (schema?.$ref && examples)
        for (const { value } of Object.values(examples)) {
          const validate = ajv.compile({ $ref: `doc${schema.$ref}` });
          expect([value, validate(value)]).toEqual([value, true]);
          checked++;
        }
      for (const child of Object.values(node)) walk(child);
    };
    walk(document);
    expect(checked).toBeGreaterThan(20);
  });

  test("has no default that is refused beside another parameter, and says what cannot be combined", () => {
    const { get } = document.paths["/pets"];
    const { sort, name } = Object.fromEntries(get.parameters.map((one: { name: string }) => [one.name, one]));
    expect(sort.schema).toEqual({ type: "string", enum: ["id", "-id"] });
    expect([sort.description, name.description]).toEqual([
      expect.stringContaining("Not together with `name`."),
      expect.stringContaining("not with `categoryId`, `id` or `sort`"),
    ]);
    const clashes = ["/pets", "/store/orders"].map((path) =>
      JSON.stringify(document.paths[path].get.responses[400]).match(/cannot be combined with/g),
    );
    expect(clashes.map((found) => found?.length)).toEqual([1, 1]);
  });

  test("says which tags are for If-Match, and in which order lists are", () => {
    expect(document.info.description).toContain(
      "An animal's own `ETag` comes with createPet, updatePet, getPet, and `GET /pets` with exactly one `id`.",
    );
    const { Pets, Orders } = document.components.schemas;
    expect([Pets.description, Orders.description]).toEqual([
      expect.stringContaining("by ascending id unless `sort` or `name` says otherwise"),
      expect.stringContaining("by ascending id unless `sort` says otherwise"),
    ]);
  });

  test("has an example of every error code", () => {
    const text = JSON.stringify(document);
    expect(FAULT_CODES.filter((code) => !text.includes(`"value":{"code":"${code}"`))).toEqual([]);
  });
});
