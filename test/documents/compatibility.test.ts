import { describe, expect, test } from "bun:test";
import { inlined } from "../../scripts/api-document.ts";
import { openapiDocument } from "../../src/http/openapi/document.ts";
import { breakingChanges } from "../harness/checks/compatibility.ts";
import { DEFAULT_URLS } from "../harness/checks/openapi.ts";
import released from "../released/openapi-1.0.0.json" with { type: "json" };

// biome-ignore lint/suspicious/noExplicitAny: documents are walked by path
type Json = any;

const current = (): Json => inlined(openapiDocument(DEFAULT_URLS));

/**
 * 1.0.0 refused all that these patterns exclude, but its document did not say so. Except for new names: those that
 * cannot be seen, or change the direction of other text, were accepted once and are refused on purpose.
 */
const CORRECTED_PATTERNS = [
  "GET /pets parameter cursor",
  "GET /store/orders parameter cursor",
  "POST /pets parameter Idempotency-Key",
  "POST /store/orders parameter Idempotency-Key",
  "POST /pets body.name",
];

const parameter = (operation: Json, name: string): Json => operation.parameters.find((one: Json) => one.name === name);

const changesTo = (document: Json): string[] => breakingChanges(released, document, CORRECTED_PATTERNS);

test("a client generated from the document of release 1.0.0 still works", () => {
  expect(changesTo(current())).toEqual([]);
});

test("every corrected pattern is one that has changed", () => {
  const changed = breakingChanges(released, current()).map((change) => change.split(": pattern")[0]);
  expect(changed.sort()).toEqual([...CORRECTED_PATTERNS].sort());
});

describe("what would break a client is noticed", () => {
  const changes: Record<string, (document: Json) => void> = {
    "an operation is gone": ({ paths }) => delete paths["/pets"].post,
    "an operationId has changed": ({ paths }) => (paths["/pets"].get.operationId = "listAnimals"),
    "a parameter is gone": ({ paths }) => paths["/pets"].get.parameters.shift(),
    "a parameter has become required": ({ paths }) => (paths["/pets"].get.parameters[0].required = true),
    "a parameter takes less": ({ paths }) => (paths["/pets"].get.parameters[0].schema.maximum = 50),
    "a request field has become required": ({ components }) => components.schemas.NewPet.required.push("status"),
    "a new request field is required": ({ components: { schemas } }) => {
      schemas.NewPet.properties.tag = { type: "string" };
      schemas.NewPet.required.push("tag");
    },
    "a field of a response is gone": ({ components }) => delete components.schemas.Pet.properties.status,
    "a field of a response is no longer always there": ({ components }) => components.schemas.Pet.required.pop(),
    "a field has another type": ({ components }) => (components.schemas.Pet.properties.id.type = "string"),
    "a closed list of values has grown in a response": ({ components }) =>
      components.schemas.PetStatus.enum.push("lost"),
    "the codes are closed again, with a new one": ({ components: { schemas } }) => {
      schemas.Error.properties.code.enum = [...schemas.Error.properties.code["x-extensible-enum"], "new_code"];
    },
    "a field was added to Error, which is closed": ({ components: { schemas } }) => {
      schemas.Error.properties.detail = { type: "string" };
    },
    "a status is gone": ({ paths }) => delete paths["/pets/{petId}"].get.responses[404],
    "a request body is gone": ({ paths }) => delete paths["/pets"].post.requestBody,
    "a parameter takes only listed values": ({ paths }) => {
      parameter(paths["/store/orders"].get, "petId").schema.enum = [1];
    },
    "a parameter has got a pattern": ({ paths }) => {
      parameter(paths["/store/orders"].get, "petId").schema.pattern = "^1$";
    },
    "an optional header is gone": ({ paths }) => delete paths["/pets"].get.responses[200].headers.Link,
    "there is a new success": ({ paths }) => (paths["/pets"].get.responses[206] = {}),
    "304 without having asked for it": ({ paths }) => (paths["/pets"].post.responses[304] = {}),
    "a header is gone": ({ paths }) => delete paths["/pets"].post.responses[201].headers.Location,
  };

  for (const [name, change] of Object.entries(changes))
    test(name, () => {
      const document = current();
      change(document);
      expect(changesTo(document)).not.toEqual([]);
    });

  test("and what adds to the interface is allowed", () => {
    const document = current();
    document.paths["/categories"] = { get: { operationId: "listCategories", responses: {} } };
    document.paths["/pets"].get.parameters.push({ name: "name", in: "query", schema: { type: "string" } });
    document.components.schemas.Error.properties.code["x-extensible-enum"].push("new_code");
    document.components.schemas.Pet.properties.tag = { type: "string" };
    document.components.schemas.OrderPlacement.properties.reference = { type: "string" };
    expect(changesTo(document)).toEqual([]);
  });
});
