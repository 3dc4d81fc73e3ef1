import Ajv2020, { type ValidateFunction } from "ajv/dist/2020";
import type { PublicUrls } from "../../../src/http/declare/operation.ts";
import { openapiDocument } from "../../../src/http/openapi/document.ts";

interface ResponseObject {
  $ref?: string;
  headers?: Record<string, { $ref?: string } & Partial<HeaderObject>>;
  content?: { "application/json": { schema: object } };
}

interface HeaderObject {
  required?: boolean;
  schema: { type: string };
}

/** The address of a service with the default settings. */
export const DEFAULT_URLS: PublicUrls = {
  publicUrl: "http://127.0.0.1:8080/v1",
  docsUrl: "http://127.0.0.1:8080/docs",
  environment: "production",
  otherUrl: undefined,
};

// biome-ignore lint/suspicious/noExplicitAny: a document is walked by path, not by type
const document = JSON.parse(JSON.stringify(openapiDocument(DEFAULT_URLS))) as any;
// The document leaves Error open, for the clients that are generated from it; what is sent has these fields exactly.
document.components.schemas.Error.additionalProperties = false;
// Ajv need not validate the schemas here, which takes 0.1 s a test file: test/documents/openapi.test.ts does.
const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false, meta: false });
ajv.addFormat("int64", { type: "number", validate: Number.isInteger });
ajv.addFormat("date-time", (text) => new Date(text).toISOString() === text);
ajv.addSchema({ $id: "doc", components: document.components });

const validators = new Map<string, ValidateFunction>();

/** Throws unless the response is one that the OpenAPI document describes, headers and body. */
export function assertDescribed(method: string, path: string, status: number, headers: Headers, body: string): void {
  const described = describedResponse(method, path, status);
  const where = `${method} ${path} → ${status}`;
  for (const [name, header] of Object.entries(described.headers ?? {}))
    assertHeader(where, name, resolved(header) as HeaderObject, headers);
  assertNoOtherHeader(where, described, headers);
  const type = headers.get("content-type");
  if (!described.content && (type !== null || body !== "")) throw new Error(`${where}: there must be no content`);
  if (method === "HEAD" || !described.content) return;
  if (type !== "application/json") throw new Error(`${where}: content type ${type}`);
  const validate = validatorOf(described);
  if (!validate(JSON.parse(body)))
    throw new Error(`${where}: the body is not as described: ${ajv.errorsText(validate.errors)}\n${body}`);
}

function describedResponse(method: string, path: string, status: number): ResponseObject {
  const template = Object.keys(document.paths).find((known) =>
    new RegExp(`^${known.replace(/\{\w+\}/g, "[^/]+")}$`).test(path),
  );
  const operation = document.paths[template ?? ""]?.[method === "HEAD" ? "get" : method.toLowerCase()];
  if (!operation) {
    const response = { ...document.paths["/pets"].get.responses, ...document["x-other-responses"] }[status];
    if (!response || status < 400) throw new Error(`${method} ${path} → ${status}: the document does not list it`);
    return resolved(response) as ResponseObject;
  }
  const response = operation.responses[status] as ResponseObject | undefined;
  if (!response) throw new Error(`${method} ${path} → ${status}: the document does not list this status`);
  return resolved(response) as ResponseObject;
}

function assertHeader(where: string, name: string, header: HeaderObject, headers: Headers): void {
  const value = headers.get(name);
  if (value === null) {
    if (header.required) throw new Error(`${where}: header ${name} is missing`);
    return;
  }
  if (header.schema.type === "integer" && !/^[0-9]+$/.test(value))
    throw new Error(`${where}: header ${name} is ${value}`);
}

/** Headers of HTTP itself, which the document leaves out. */
const UNDESCRIBED = new Set([
  "content-type",
  "content-length",
  "date",
  "connection",
  "transfer-encoding",
  "keep-alive",
]);

function assertNoOtherHeader(where: string, { headers: described = {} }: ResponseObject, headers: Headers): void {
  const known = new Set(Object.keys(described).map((name) => name.toLowerCase()));
  for (const name of headers.keys())
    if (!known.has(name) && !UNDESCRIBED.has(name)) throw new Error(`${where}: header ${name} is not described`);
}

function validatorOf(response: ResponseObject): ValidateFunction {
  const schema = response.content?.["application/json"].schema as { $ref: string };
  const found = validators.get(schema.$ref);
  if (found) return found;
  const validate = ajv.compile({ $ref: `doc${schema.$ref}` });
  validators.set(schema.$ref, validate);
  return validate;
}

function resolved(node: { readonly $ref?: string }): object {
  if (!node.$ref) return node;
  return node.$ref
    .slice(2)
    .split("/")
    .reduce((parent, name) => parent[name], document);
}
