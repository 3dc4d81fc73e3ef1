import { STATUS_CODES } from "node:http";
import { type AnyOperation, isTagged, type PublicUrls, type Success } from "../declare/operation.ts";
import { FAULTS, type Fault } from "../faults/fault.ts";
import { COMMON_HEADERS } from "../reply/header-template.ts";
import { ERROR } from "../wire/error.ts";
import { type Components, type Json, pascalCase, requiredHeader } from "./components.ts";
import { faultsOf, OUTSIDE_FAULTS, SHARED_RESPONSES } from "./faults.ts";
import { deprecationDescriptions, HEADERS, urlHeaders } from "./headers.ts";

/** Every response of an operation, by status. */
export function responsesOf(operation: AnyOperation, components: Components, urls: PublicUrls): Json {
  const { success, otherSuccess, deprecation, method } = operation;
  const responses: Json = {};
  for (const one of otherSuccess ? [success, otherSuccess] : [success])
    responses[one.status] = successResponse(operation, one, components, urls);
  if (method === "GET" && isTagged(operation, success)) responses[304] = notModified(responses[success.status] as Json);
  for (const [status, faults] of Map.groupBy(faultsOf(operation), (fault) => fault.status))
    responses[status] = deprecation ? faultResponse(faults, components) : sharedOrOwn(faults, components);
  if (deprecation) {
    const described = deprecationDescriptions(deprecation, urls);
    const headers = ownHeaders(described, Object.keys(described), true);
    for (const response of Object.values(responses) as Json[]) Object.assign(response.headers as Json, headers);
  }
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      const name = pascalCase(`${operation.name} ${STATUS_CODES[status]}`);
      return [status, hasOwnHeaders(response as Json) ? components.response(name, response as Json) : response];
    }),
  );
}

/** Such a response gets a name: generators make one type of all unnamed ones with the same schema. */
const hasOwnHeaders = ({ headers = {} }: Json): boolean =>
  Object.keys(headers as Json).some((name) => !COMMON_HEADERS.some((common) => common === name));

/**
 * The responses to requests under /v1 that call no operation. OpenAPI has no place for them, hence an extension. Linters
 * do not count its references, so schemas that only it uses are written out.
 */
export const outsideResponses = (components: Components): Json =>
  Object.fromEntries(OUTSIDE_FAULTS.map((fault) => [fault.status, faultResponse([fault], components, requiredHeader)]));

function successResponse(
  operation: AnyOperation,
  success: Success,
  components: Components,
  { publicUrl }: PublicUrls,
): Json {
  const { description, schema, examples = {}, headers = [], optionalHeaders = [] } = success;
  const described = { ...HEADERS, ...urlHeaders(publicUrl + operation.path) };
  const replayed = operation.idempotency ? ["Idempotency-Replayed"] : [];
  return {
    description,
    headers: {
      ...commonHeaders(components),
      ...(isTagged(operation, success) ? { ETag: etag(operation, components) } : {}),
      ...ownHeaders(described, headers, true),
      ...ownHeaders(described, [...optionalHeaders, ...replayed], false),
    },
    ...(schema ? { content: jsonContent(components.schema(schema), examples) } : {}),
  };
}

const ownHeaders = (described: Readonly<Record<string, object>>, names: readonly string[], required: boolean): Json =>
  Object.fromEntries(names.map((name) => [name, { required, ...described[name] }]));

/** Release 1.0.0 saved responses to POSTs without one, and its clients may still retry. */
const etag = ({ method }: AnyOperation, components: Components): Json =>
  method === "POST" ? components.optionalHeader("ETag") : components.header("ETag");

/** A 304 has the headers that 200 would have had. */
const notModified = ({ headers }: Json): Json => ({
  description: "What `If-None-Match` names is still what would be sent.",
  headers: { ...(headers as Json) },
});

function sharedOrOwn(faults: readonly Fault[], components: Components): Json {
  const response = faultResponse(faults, components);
  const name = Object.keys(SHARED_RESPONSES).find((name) => isSame(SHARED_RESPONSES[name] ?? [], faults));
  return name === undefined ? response : components.response(name, response);
}

const isSame = (a: readonly Fault[], b: readonly Fault[]): boolean =>
  a.length === b.length && a.every((fault, i) => fault === b[i]);

/** All faults of one status: each is an example. A header that only some of them have is optional. */
function faultResponse(
  faults: readonly Fault[],
  components: Components,
  header = (name: string): Json => components.header(name),
): Json {
  const names = new Set(faults.flatMap(({ headers }) => Object.keys(headers)));
  names.delete("Connection");
  const always = [...names].filter((name) => faults.every(({ headers }) => name in headers));
  const sometimes = [...names].filter((name) => !always.includes(name));
  const sentences = new Set(faults.map(({ code }) => FAULTS[code][1]));
  const examples: Json = {};
  for (const { code, message, status } of faults) {
    const count = Object.keys(examples).filter((name) => name.replace(/_\d+$/, "") === code).length;
    examples[count === 0 ? code : `${code}_${count + 1}`] = { code, message, status };
  }
  return {
    description: [...sentences].join(" "),
    headers: {
      ...commonHeaders(components),
      ...Object.fromEntries(sometimes.map((name) => [name, components.optionalHeader(name)])),
      ...Object.fromEntries(always.map((name) => [name, header(name)])),
    },
    content: jsonContent(components.schema(ERROR), examples),
  };
}

const commonHeaders = (components: Components): Json =>
  Object.fromEntries(COMMON_HEADERS.map((name) => [name, components.header(name)]));

export const jsonContent = (schema: Json, examples: Readonly<Record<string, unknown>>): Json => ({
  "application/json": {
    schema,
    examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])),
  },
});
