import { describe, expect, test } from "bun:test";
import Ajv2020 from "ajv/dist/2020";
import { inlined } from "../../scripts/api-document.ts";
import { FAULT_CODES } from "../../src/http/faults/fault.ts";
import { openapiDocument } from "../../src/http/openapi/document.ts";
import { openapi30Document } from "../../src/http/openapi/document-30.ts";
import { DEFAULT_URLS } from "../harness/checks/openapi.ts";
import { startService } from "../harness/service/service.ts";

const read = (name: string): Promise<string> => Bun.file(new URL(`../../${name}`, import.meta.url)).text();
// biome-ignore lint/suspicious/noExplicitAny: a document is walked by path
type Json = any;
const document: Json = inlined(openapiDocument(DEFAULT_URLS));

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly description: string;
  readonly schema: { readonly type?: string; readonly enum?: readonly string[]; readonly pattern?: string };
  readonly example?: unknown;
}

const operations = Object.entries<Record<string, { parameters: Parameter[]; requestBody?: Json }>>(
  document.paths,
).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { parameters, requestBody }]) => ({
    line: `${method.toUpperCase()} ${path}`,
    parameters,
    bodies: requestBody?.content["application/json"].examples as Record<string, { value: unknown }> | undefined,
  })),
);
type Described = (typeof operations)[number];

const parameterOf = (line: string, name: string): Parameter | undefined =>
  operations.find((one) => one.line === line)?.parameters.find((one) => one.name === name);

const service = await startService();

/** Sends an operation with the examples of these optional parameters, and of those in its path. */
function follow(
  { line, parameters, bodies }: Described,
  sent: readonly Parameter[],
  body = Object.values(bodies ?? {})[0],
) {
  // Only an Idempotency-Key has none: each request needs a new one.
  const exampleOf = (one: Parameter): string => String(one.example ?? crypto.randomUUID());
  const query = sent.filter((one) => one.in === "query").map((one) => exampleOf(one).replace(/^|,/g, `&${one.name}=`));
  const path = parameters
    .filter((one) => one.in === "path")
    .reduce((text, one) => text.replace(`{${one.name}}`, exampleOf(one)), line);
  const headers = sent.filter((one) => one.in === "header").map((one) => [one.name, exampleOf(one)]);
  return service.call(`${path}?${query.join("")}`, {
    headers: Object.fromEntries(headers),
    ...(body ? { body: body.value } : {}),
  });
}

describe("openapi.json", () => {
  test("is what the code makes: `npm run openapi` writes it again", async () => {
    for (const [name, document] of [
      ["openapi.json", openapiDocument(DEFAULT_URLS)],
      ["openapi-3.0.json", openapi30Document(DEFAULT_URLS)],
    ] as const)
      expect(await read(name)).toBe(`${JSON.stringify(document, null, 2)}\n`);
  });

  test("has the routes that there are, and no others", async () => {
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

  test("says of two parameters that cannot be combined so in the description of both", async () => {
    const refused: string[] = [];
    for (const operation of operations) {
      const optional = operation.parameters.filter((one) => one.in !== "path");
      for (const [index, one] of optional.entries())
        for (const other of optional.slice(index + 1)) {
          if ((await follow(operation, [one, other])).status !== 400) continue;
          const pair = `${operation.line}: ${one.name} with ${other.name}`;
          refused.push(pair);
          expect([pair, one.description, other.description]).toEqual([
            pair,
            expect.stringContaining(`\`${other.name}\``),
            expect.stringContaining(`\`${one.name}\``),
          ]);
        }
    }
    expect(refused).toEqual([
      "GET /pets: cursor with name",
      "GET /pets: categoryId with name",
      "GET /pets: id with name",
      "GET /pets: sort with name",
      "GET /categories: cursor with name",
      "PUT /categories/{categoryId}: If-Match with If-None-Match",
      "GET /store/orders: petId with reference",
    ]);
  });

  test("has no example of an Idempotency-Key: whoever followed two requests with the same one would get 422", () => {
    const keys = operations.flatMap(({ line }) => parameterOf(line, "Idempotency-Key") ?? []);
    expect(keys.length).toBe(8);
    for (const key of keys) expect([key.example, "examples" in key]).toEqual([undefined, false]);
  });

  test("says of an example tag that it is only an example, since nothing is there that has it", () => {
    for (const { line } of operations) {
      const header = parameterOf(line, "If-Match");
      if (header) expect(header.description).toContain("The example is only one");
    }
  });

  test("has a pattern for cursors that fits those of the list, and no others", async () => {
    const byId = "000000000000002a";
    const byName = "000000000000002a.cmV4";
    for (const [path, taken] of [
      ["/pets", [byId, byName]],
      ["/categories", [byId, byName]],
      ["/store/orders", [byId]],
    ] as const) {
      const pattern = new RegExp(parameterOf(`GET ${path}`, "cursor")?.schema.pattern ?? "");
      expect([byId, byName].filter((cursor) => pattern.test(cursor))).toEqual([...taken]);
      for (const cursor of taken) {
        const name = cursor === byName ? "&name=re" : "";
        expect((await service.call(`GET ${path}?cursor=${cursor}${name}`)).status).toBe(200);
      }
    }
  });

  test("has no default that is refused beside another parameter, and an example of what cannot be combined", () => {
    expect(parameterOf("GET /pets", "sort")?.schema).not.toHaveProperty("default");
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
