import { describe, expect, test } from "bun:test";
import { openapiDocument } from "../../src/http/openapi/document.ts";
import { openapi30Document } from "../../src/http/openapi/document-30.ts";
import { COMMON_HEADERS } from "../../src/http/reply/header-template.ts";
import { assertDescribed, DEFAULT_URLS } from "../harness/checks/openapi.ts";

// These tests hold the document to what generators of clients need. docs/generated-clients.md says which ones, and why.

// biome-ignore lint/suspicious/noExplicitAny: a document is walked by path
type Json = any;
const document: Json = JSON.parse(JSON.stringify(openapiDocument(DEFAULT_URLS)));
const { schemas } = document.components;

/** Every object in the document, with the path to it. */
function* nodesOf(node: Json, path = "#"): Generator<[path: string, node: Json]> {
  if (typeof node !== "object" || node === null) return;
  yield [path, node];
  for (const [name, child] of Object.entries(node)) yield* nodesOf(child, `${path}/${name}`);
}
const nodes = [...nodesOf(document)];
const operations = Object.values<Json>(document.paths).flatMap((methods) => Object.values<Json>(methods));

/** Go makes a constructor `NewOrder` of `Order`; Rust makes a type `CategoryName` of the name in `Category`. */
test("no schema has the name that a generator makes for something else", () => {
  const names = Object.keys(schemas);
  const made = names.flatMap((name) => [
    `New${name}`,
    ...Object.keys(schemas[name].properties ?? {}).map((field) => name + field[0]?.toUpperCase() + field.slice(1)),
  ]);
  // PetStatus and OrderStatus are the very types of those fields, and NewPet is the contract's own name.
  expect(names.filter((name) => made.includes(name))).toEqual(["PetStatus", "OrderStatus", "NewPet"]);
  const { parameters, responses } = document.components;
  const all = [schemas, parameters, responses].flatMap(Object.keys);
  expect(new Set(all).size).toBe(all.length);
});

test("every object has a name, also within another one", () => {
  const objects = nodes.filter(([, { type, properties }]) => type === "object" && properties).map(([path]) => path);
  expect(objects).toEqual(objects.filter((path) => /^#\/components\/schemas\/\w+$/.test(path)));
  expect(objects.length).toBeGreaterThan(8);
});

/** openapi-python-client leaves out an operation that has a `const`. */
test("a single value is an enum of one", () => {
  expect(nodes.filter(([, node]) => "const" in node).map(([path]) => path)).toEqual([]);
});

test("every value of a list of values can be the name of a constant, or has one", () => {
  const lists = nodes.filter(([, node]) => Array.isArray(node.enum));
  const unnamed = lists.filter(
    ([, { enum: values, "x-enum-varnames": names = values }]) =>
      names.length !== values.length || names.some((name: string) => !/^[A-Za-z]\w*$/.test(name)),
  );
  // The one value of If-None-Match is a header, which is sent as it is.
  expect(unnamed.map(([, node]) => node.enum)).toEqual([["*"]]);
  expect(lists.length).toBeGreaterThan(4);
});

/** Three generators make clients that fail on the first new field of a closed schema. */
test("bodies of requests are closed, and all that responses have is open", () => {
  const bodies = nodes.flatMap(([, { requestBody }]) => requestBody?.content["application/json"].schema.$ref ?? []);
  const closed = nodes.filter(([, node]) => node.additionalProperties === false).map(([path]) => path);
  expect(closed.sort()).toEqual(bodies.sort());
});

test("but the tests of this service hold every error to its exact fields", () => {
  const [error] = Object.values<Json>(document.paths["/pets"].get.responses[400].content["application/json"].examples);
  const headers = new Headers({ "Content-Type": "application/json" });
  for (const [name] of Object.entries(document.paths["/pets"].get.responses[400].headers)) headers.set(name, "1");
  const check = (body: Json) => () => assertDescribed("GET", "/pets", 400, headers, JSON.stringify(body));
  expect(check(error.value)).not.toThrow();
  expect(check({ ...error.value, detail: "?" })).toThrow("must NOT have additional properties");
});

/** openapi-python-client would parse a proxy's page as JSON, and fail. */
test("no response is a default, which would also stand for what others answer", () => {
  expect(nodes.filter(([path]) => path.endsWith("/responses/default"))).toEqual([]);
});

test("a parameter that several operations share is defined once, under a name of its own", () => {
  const own = operations.flatMap(({ parameters }) => parameters).filter(({ $ref }) => !$ref);
  expect(own.length).toBe(new Set(own.map((parameter) => JSON.stringify(parameter))).size);
  expect(Object.keys(document.components.parameters).sort()).toEqual([
    "CategoryId",
    "Cursor",
    "IdempotencyKey",
    "IfMatch",
    "IfNoneMatch",
    "Limit",
    "OrderId",
    "PetId",
  ]);
});

/** ogen makes one type of all unnamed responses with the same schema, and fails if their headers differ. */
test("a response that has more than the common headers has a name", () => {
  const unnamed = operations.flatMap(({ responses }) => Object.values<Json>(responses)).filter(({ $ref }) => !$ref);
  expect(unnamed.length).toBeGreaterThan(10);
  for (const { headers } of unnamed) expect(Object.keys(headers)).toEqual([...COMMON_HEADERS]);
});

describe("in OpenAPI 3.0", () => {
  const in30: Json = JSON.parse(JSON.stringify(openapi30Document(DEFAULT_URLS)));

  /** Without what 3.0 has no place for: the scopes of a key, and the further examples of a schema. */
  const common = ({ components, paths }: Json): Json =>
    JSON.parse(JSON.stringify({ components, paths }), function (this: Json, name, value) {
      const isOfSchema = name === "examples" ? Array.isArray(value) : name === "example" && "type" in this;
      return name === "security" || isOfSchema ? undefined : value;
    });

  test("every operation and every schema is the same, but for scopes and further examples", () => {
    expect(Object.keys(common(in30).paths).length).toBeGreaterThan(6);
    expect(common(in30)).toEqual(common(document));
  });

  test("a schema has the first of its examples, digit by digit", () => {
    expect(in30.components.schemas.NewPet.example).toEqual(schemas.NewPet.examples[0]);
    expect(JSON.stringify(openapi30Document(DEFAULT_URLS))).toContain('"categoryId":9007199254740993');
  });

  test("nothing stands beside a reference, and no type is a list: 3.0 knows neither", () => {
    for (const [path, node] of nodesOf(in30)) {
      if ("$ref" in node) expect([path, Object.keys(node)]).toEqual([path, ["$ref"]]);
      if ("type" in node)
        expect([path, typeof node.type]).toEqual([path, path.endsWith("/properties") ? "object" : "string"]);
    }
  });
});
