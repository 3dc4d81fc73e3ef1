import { z } from "zod";
import manifest from "../../package.json" with { type: "json" };
import { ANIMAL_STATUSES } from "../domain/animal.ts";
import type { FaultCode } from "../domain/fault.ts";
import { encodeCursor, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX, PAGE_SIZE_MIN } from "../domain/page.ts";
import { PLANS } from "../domain/plan.ts";
import { BODY_MAX_BYTES } from "./body.ts";
import { ErrorBody, NewPet, Pet, PetStatus, Pets } from "./contract.ts";
import { headerComponents, LIMIT_HEADERS } from "./openapi-headers.ts";
import { STATUS_OF } from "./reply.ts";

type Json = Record<string, unknown>;

const ref = (kind: string, name: string): Json => ({ $ref: `#/components/${kind}/${name}` });
const schemaRef = (name: string): Json => ref("schemas", name);
const headerRefs = (...names: string[]): Json => Object.fromEntries(names.map((name) => [name, ref("headers", name)]));

/** The whole interface as an OpenAPI 3.1 document, made from the schemas that validate requests. */
export function openapiDocument(publicUrl: string): Json {
  const paths = {
    "/pets": { get: listPets(publicUrl), post: createPet(publicUrl) },
    "/pets/{petId}": { get: getPet() },
  };
  return {
    openapi: "3.1.0",
    info: {
      title: "Animal Store",
      version: manifest.version,
      summary: manifest.description,
      description: DESCRIPTION,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: publicUrl, description: "This service" }],
    security: [{ apiKey: [] }],
    tags: [{ name: "Pets", description: "The animals held in the store." }],
    paths,
    "x-other-responses": OUTSIDE_ERRORS,
    components: {
      securitySchemes: {
        apiKey: { type: "http", scheme: "bearer", description: "The API key, as `Authorization: Bearer <key>`." },
      },
      schemas: componentSchemas(),
      headers: headerComponents(),
      responses: sharedErrors(paths),
    },
  };
}

const planRows = Object.entries(PLANS).map(([name, quotas]) =>
  quotas ? `| ${name} | ${quotas.perMinute} | ${quotas.perDay} |` : `| ${name} | custom | custom |`,
);

const codeRows = Object.entries(STATUS_OF).map(([code, status]) => `| \`${code}\` | ${status} |`);

const DESCRIPTION = `List the animals held in a store, filter them by availability, add one, fetch one.

Every response carries the caller's limits, whatever its status. Every error has exactly \`code\`, \`message\` and \`status\`. Every int64 is exact over its whole range: use a parser that keeps large integers.

## Plans

| plan | requests per minute | requests per day |
|---|---|---|
${planRows.join("\n")}

Windows are fixed and opened by the first request that counts. A refused request uses no quota. Who goes on after 429 is banned for a while: 1 minute, then 5, 30 and 60.

## Error codes

| code | status |
|---|---|
${codeRows.join("\n")}

## Versions

v1 only grows. A change that would break a client becomes v2, and v1 then lives for 24 months more.`;

const REX = { id: 42, name: "Rex", categoryId: 7, status: "available" };
const MIA = { id: 43, name: "Mia", categoryId: 3, status: "available" };

const jsonContent = (schema: Json, examples: Record<string, unknown>): Json => ({
  "application/json": {
    schema,
    examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])),
  },
});

const success = (
  description: string,
  schema: string,
  examples: Record<string, unknown>,
  ...headers: string[]
): Json => ({
  description,
  headers: headerRefs(...LIMIT_HEADERS, ...headers),
  content: jsonContent(schemaRef(schema), examples),
});

const listPets = (publicUrl: string): Json => ({
  operationId: "listPets",
  summary: "List animals",
  description:
    "Animals by ascending id, a page at a time. The `Link` header has the next page's URL while there is one; pages stay stable while animals are added.",
  tags: ["Pets"],
  parameters: [
    {
      name: "limit",
      in: "query",
      description: "Page size: the most animals to return.",
      schema: { type: "integer", minimum: PAGE_SIZE_MIN, maximum: PAGE_SIZE_MAX, default: PAGE_SIZE_DEFAULT },
      example: 50,
    },
    {
      name: "status",
      in: "query",
      description: "Return only animals with this status.",
      schema: schemaRef("PetStatus"),
      example: ANIMAL_STATUSES[0],
    },
    {
      name: "cursor",
      in: "query",
      description: "Where the page begins. Opaque: take it from a `Link` header.",
      schema: { type: "string" },
      example: encodeCursor(42n),
    },
  ],
  responses: {
    200: success("A page of animals.", "Pets", { page: [REX, MIA], empty: [] }, "Link"),
    ...errors("InvalidParameter", "Unauthorized", "TooManyRequests", "InternalError", "ServiceUnavailable"),
  },
  "x-codeSamples": [
    {
      lang: "Shell",
      label: "curl",
      source: `curl -H "Authorization: Bearer $API_KEY" "${publicUrl}/pets?status=available"`,
    },
  ],
});

const createPet = (publicUrl: string): Json => ({
  operationId: "createPet",
  summary: "Add an animal",
  description: `The answer comes after the animal is on disk. The body has at most ${BODY_MAX_BYTES} bytes; without a status the animal is available.`,
  tags: ["Pets"],
  requestBody: {
    required: true,
    content: jsonContent(schemaRef("NewPet"), {
      full: { name: "Rex", categoryId: 7, status: "pending" },
      least: { name: "Rex", categoryId: 7 },
    }),
  },
  responses: {
    201: success("The animal, with its id.", "Pet", { added: REX }, "Location"),
    ...errors(
      "InvalidBody",
      "Unauthorized",
      "RequestTimeout",
      "PayloadTooLarge",
      "UnsupportedMediaType",
      "TooManyRequests",
      "InternalError",
      "ServiceUnavailable",
    ),
  },
  "x-codeSamples": [
    {
      lang: "Shell",
      label: "curl",
      source: `curl -H "Authorization: Bearer $API_KEY" -H "Content-Type: application/json" \\\n  -d '{"name":"Rex","categoryId":7}' "${publicUrl}/pets"`,
    },
  ],
});

const getPet = (): Json => ({
  operationId: "getPet",
  summary: "Get an animal",
  description:
    "Deprecated, and removed on 5 December 2030: from then on the answer is 410. Use `GET /pets` with the status filter instead.",
  deprecated: true,
  tags: ["Pets"],
  parameters: [
    {
      name: "petId",
      in: "path",
      required: true,
      description: "The animal's id. What is no canonical int64 is answered with 404.",
      schema: { type: "integer", format: "int64" },
      example: 42,
    },
  ],
  responses: Object.fromEntries(
    Object.entries({
      200: success("The animal.", "Pet", { found: REX }),
      ...ownErrors(
        "InvalidParameter",
        "Unauthorized",
        "PetNotFound",
        "OperationRemoved",
        "TooManyRequests",
        "InternalError",
        "ServiceUnavailable",
      ),
    }).map(([status, response]) => [status, withDeprecation(response)]),
  ),
});

/** The headers of a deprecated operation stand on all of its responses. */
const withDeprecation = (response: Json): Json => ({
  ...response,
  headers: {
    ...(response.headers as Json),
    ...headerRefs("Deprecation", "Sunset"),
    Link: ref("headers", "DeprecationLink"),
  },
});

interface ErrorResponse {
  readonly description: string;
  readonly codes: Partial<Record<FaultCode, string>>;
  readonly headers?: readonly string[];
}

/** Every error that an operation can answer with: its codes, each with an example of its message. */
const ERRORS = {
  InvalidParameter: {
    description: "A query parameter is unknown, repeated or has a wrong value.",
    codes: { invalid_parameter: 'The query parameter "limit" must be a whole number from 1 to 100, such as limit=20.' },
  },
  InvalidBody: {
    description: "The body is no JSON, lacks a required field, has an unknown one or a wrong value.",
    codes: {
      invalid_json: "The body is not valid JSON. Send one JSON object.",
      missing_field: '"name" is missing. Add it to the body.',
      invalid_value: '"name" must not be empty or blank.',
      unknown_field: '"id" is assigned by the service. Remove it.',
      invalid_parameter: 'The query parameter "limit" is unknown here. Remove it: this operation has none.',
    },
  },
  Unauthorized: {
    description: "The API key is missing or invalid.",
    codes: {
      missing_api_key: "The Authorization header is missing. Send your API key as: Authorization: Bearer <key>.",
      invalid_api_key: "This API key is not known here. Check that it was copied whole.",
    },
    headers: ["WWW-Authenticate"],
  },
  PetNotFound: {
    description: "There is no animal with that identifier.",
    codes: { pet_not_found: "There is no animal with this id. Find ids with GET /pets." },
  },
  RequestTimeout: {
    description: "The body took too long to arrive.",
    codes: { request_timeout: "The body took too long to arrive. Send it again, all of it at once." },
  },
  NotFound: {
    description: "No operation has this path.",
    codes: { not_found: "There is no such path in v1. The reference at /docs has them all." },
  },
  MethodNotAllowed: {
    description: "No operation has this method on this path.",
    codes: { method_not_allowed: "This path knows only GET, HEAD, POST. Use one of them." },
    headers: ["Allow"],
  },
  OperationRemoved: {
    description: "The operation was removed on 5 December 2030.",
    codes: {
      operation_removed: "GET /pets/{petId} was removed on 5 December 2030. Use GET /pets with the status filter.",
    },
  },
  PayloadTooLarge: {
    description: "The body is too large.",
    codes: { payload_too_large: `The body is larger than ${BODY_MAX_BYTES} bytes. Send a smaller one.` },
  },
  UnsupportedMediaType: {
    description: "The body is not declared as JSON.",
    codes: { unsupported_media_type: "The body must be JSON. Send it with Content-Type: application/json." },
  },
  TooManyRequests: {
    description:
      "A quota is used up, or the key is banned for a while. Wait as long as Retry-After says, and back off exponentially.",
    codes: {
      rate_limit_exceeded:
        "All 60 requests of this minute are used. Wait 21 seconds before the next request. Going on regardless bans the key: 59 more refusals in this minute will do.",
      key_banned:
        "This API key is banned for a while because it went on after 429 answers. Wait 60 seconds before the next request, and back off when you are refused.",
    },
    headers: ["Retry-After"],
  },
  InternalError: {
    description: "Something unforeseen. The log of the service knows more, under the request id.",
    codes: { internal_error: "Something went wrong on our side. Try again, or report the X-Request-Id." },
  },
  ServiceUnavailable: {
    description: "The store cannot do its work now. Nothing was changed.",
    codes: { service_unavailable: "The store cannot do this now, and nothing was changed. Try again shortly." },
    headers: ["Retry-After"],
  },
} as const satisfies Record<string, ErrorResponse>;

type ErrorName = keyof typeof ERRORS;

/** What a request under /v1 gets that is no operation at all. */
const OUTSIDE_ERRORS = { 404: ref("responses", "NotFound"), 405: ref("responses", "MethodNotAllowed") };

const statusOf = (name: ErrorName): number => STATUS_OF[Object.keys(ERRORS[name].codes)[0] as FaultCode];

/** Errors that are the same for every operation, by reference. */
const errors = (...names: ErrorName[]): Record<number, Json> =>
  Object.fromEntries(names.map((name) => [statusOf(name), ref("responses", name)]));

/** Errors written out, for an operation that adds to them. */
const ownErrors = (...names: ErrorName[]): Record<number, Json> =>
  Object.fromEntries(names.map((name) => [statusOf(name), errorResponse(name)]));

function errorResponse(name: ErrorName): Json {
  const { description, codes, headers = [] }: ErrorResponse = ERRORS[name];
  const examples = Object.entries(codes).map(([code, message]) => [code, { code, message, status: statusOf(name) }]);
  return {
    description,
    headers: headerRefs(...LIMIT_HEADERS, ...headers),
    content: jsonContent(schemaRef("Error"), Object.fromEntries(examples)),
  };
}

/** Those that some operation refers to, and those that a path outside of all operations answers with. */
function sharedErrors(paths: Json): Json {
  const text = JSON.stringify([paths, OUTSIDE_ERRORS]);
  const names = (Object.keys(ERRORS) as ErrorName[]).filter((name) => text.includes(`#/components/responses/${name}"`));
  return Object.fromEntries(names.map((name) => [name, errorResponse(name)]));
}

/** JSON Schema, as OpenAPI 3.1 has it. A bigint of ours is an integer on the wire. */
function componentSchemas(): Json {
  const registry = z.registry<{ id: string }>();
  for (const schema of [PetStatus, NewPet, Pet, Pets, ErrorBody])
    registry.add(schema, { id: schema.meta()?.id as string });
  const { schemas } = z.toJSONSchema(registry, {
    io: "input",
    unrepresentable: "any",
    uri: (id) => `#/components/schemas/${id}`,
    override({ zodSchema, jsonSchema }) {
      delete jsonSchema.id;
      delete jsonSchema.$schema;
      delete jsonSchema.$id;
      if (zodSchema._zod.def.type === "bigint") Object.assign(jsonSchema, { type: "integer", format: "int64" });
    },
  });
  for (const schema of Object.values(schemas)) {
    delete schema.$id;
    delete schema.$schema;
  }
  return schemas;
}
