import {
  type ApiDocument,
  type ApiOperation,
  type Content,
  inlined,
  type Parameter,
  type Schema,
} from "./api-document.ts";
import { docComment, literal } from "./doc-comment.ts";

/** Sent values are typed more loosely than received ones: ids may be numbers, optional fields undefined. */
type Direction = "sent" | "received";

/** The ids that have types of their own, which the client declares. */
const IDS: readonly string[] = ["CategoryId", "OrderId", "PetId"];

/** The type of an id: `petId` is that of a Pet, and so is the `id` of a Pet. Empty if it has none of its own. */
function idType(name: string, owner: string): string {
  const type = name === "id" ? `${owner}Id` : `${name[0]?.toUpperCase()}${name.slice(1)}`;
  return IDS.includes(type) ? type : "";
}

/** Generates the types of everything on the wire, and the list of fields and query parameters that need 64 bits. */
export function clientTypes(document: ApiDocument): string {
  const { info, paths, components } = withDescriptions(inlined(document));
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const { Error: error, ...schemas } = components.schemas;
  const resources = Object.entries(schemas).filter(([, { type }]) => type !== "array");
  refuseDeepIntegers(schemas);
  const blocks = [
    ...resources.map(([name, schema]) => namedType(name, schema, sentBy(operations, name), schemas)),
    ...operations
      .filter((operation) => queryOf(operation).length > 0)
      .map((operation) => queryType(operation, schemas)),
    errorCodes(error?.properties?.code ?? {}, info.description),
    operationIds(operations),
    exactFields([...Object.values(schemas), ...operations.map(asObject)]),
  ];
  const isUsed = (type: string): boolean => new RegExp(`\\b${type}\\b`).test(blocks.join());
  const imported = [...IDS, "Int64", "Int64Input"].filter(isUsed).toSorted().join(", ");
  const head = [
    "// Made from openapi.json by `npm run openapi`. Do not edit.",
    `import type { ${imported} } from "./int64.ts";`,
  ];
  return `${[...head, ...blocks].join("\n\n")}\n`;
}

/** Gives references without a description that of the schema they refer to. */
const withDescriptions = (document: ApiDocument): ApiDocument =>
  JSON.parse(JSON.stringify(document), (_, value) => {
    const description = document.components.schemas[refName(value?.$ref)]?.description;
    return description ? { description, ...value } : value;
  });

const refName = ($ref = ""): string => $ref.replace("#/components/schemas/", "");
const schemaName = (content: Content | undefined): string =>
  refName(content?.content?.["application/json"].schema.$ref);
const sentBy = (operations: readonly ApiOperation[], name: string): ApiOperation | undefined =>
  operations.find(({ requestBody }) => schemaName(requestBody) === name);
const queryOf = ({ parameters = [] }: ApiOperation): readonly Parameter[] =>
  parameters.filter((parameter) => parameter.in === "query");
const asObject = (operation: ApiOperation): Schema => ({
  properties: Object.fromEntries(queryOf(operation).map(({ name, schema }) => [name, schema])),
});

function namedType(
  name: string,
  schema: Schema,
  sender: ApiOperation | undefined,
  schemas: Readonly<Record<string, Schema>>,
): string {
  const { description, properties } = schema;
  const direction = sender ? "sent" : "received";
  const example = exampleOf(schema.examples?.[0] ?? schema.enum?.[0], schema, direction);
  const comment = typeComment(description, name, example);
  if (!properties) return `${comment}export type ${name} = ${typeOf(schema, direction, "")};`;
  const answered = schemas[schemaName(sender?.responses[200] ?? sender?.responses[201])]?.properties ?? {};
  const foreign = Object.keys(answered).filter((field) => !(field in properties));
  // Typed as undefined, so that a received object is not sent back unchanged: the service would refuse it.
  const refused = foreign.map((field) => `  /** Not part of the request. */\n  readonly ${field}?: undefined;\n`);
  return `${comment}export interface ${name} ${objectType(schema, direction, "", name, refused.join(""))}`;
}

function queryType(operation: ApiOperation, schemas: Readonly<Record<string, Schema>>): string {
  const { operationId, summary } = operation;
  const name = `${operationId[0]?.toUpperCase()}${operationId.slice(1)}Query`;
  const parameters = queryOf(operation);
  const owner = refName(schemas[schemaName(operation.responses[200])]?.items?.$ref);
  const given = parameters.filter(({ name }) => name !== "cursor").slice(0, 2);
  const example = Object.fromEntries(given.map(({ name, example }) => [name, example]));
  const fields = parameters.map(({ name, description, schema, example }) => {
    // A repeatable parameter also takes a single value.
    const id = idType(name, owner);
    const item = schema.items ? `${typeOf(schema.items, "sent", "", id)} | ` : "";
    const comment = fieldComment(`${inClientTerms(description)} ${boundsOf(schema)}`, example, "  ");
    return `${comment}  readonly ${name}?: ${item}${typeOf(schema, "sent", "  ", id)} | undefined;\n`;
  });
  const listed = /^List (.+)$/.exec(summary)?.[1];
  const about = listed === undefined ? `${summary}: which part of it.` : `Which ${listed} to list, and how.`;
  return `${typeComment(about, name, example)}export interface ${name} {\n${fields.join("")}}`;
}

/** Rewords descriptions about HTTP in terms of the client. */
const inClientTerms = (description: string): string =>
  description
    .replace("Opaque: take it from a `Link` header.", "Opaque: the `nextCursor` of an earlier page.")
    .replace("Repeat it to ask for several, up to 100 times.", "Give several as an array.");

function errorCodes(code: Schema, overview: string): string {
  const rows = overview.matchAll(/^\| `(\w+)` \| (\d{3}) \| (.+) \|$/gm);
  const meanings = new Map(Array.from(rows, ([, name, status, when]) => [name, `(${status}): ${when}`]));
  const codes = code["x-extensible-enum"] ?? [];
  const list = codes.map((name) => `- \`${name}\` ${meanings.get(name)}`);
  const about = ["The codes of the service's errors so far. More may be added.", "", ...list].join("\n");
  const union = codes.map((name) => `\n  | ${JSON.stringify(name)}`).join("");
  return `${typeComment(about, "ErrorCode", code.examples?.[0])}export type ErrorCode =${union};`;
}

function operationIds(operations: readonly ApiOperation[]): string {
  const ids = operations.map(({ operationId }) => operationId);
  const union = ids.map((id) => `\n  | ${JSON.stringify(id)}`).join("");
  const about = "The ids of the operations, as in openapi.json. More may be added.";
  return `${typeComment(about, "OperationId", ids[0])}export type OperationId =${union};`;
}

/** Responses are parsed by the names of fields, so a name must have the same type everywhere. */
function exactFields(objects: readonly Schema[]): string {
  const exact = new Set<string>();
  const rounded = new Set<string>();
  const visit = ({ properties = {}, items }: Schema): void => {
    if (items) visit(items);
    for (const [name, schema] of Object.entries(properties)) {
      const value = schema.items ?? schema;
      if (value.type === "integer") (isExact(value) ? exact : rounded).add(name);
      visit(schema);
    }
  };
  for (const object of objects) visit(object);
  const both = [...exact].filter((name) => rounded.has(name));
  if (both.length > 0) throw new Error(`${both} is exact in one place, and a number in another: give it another name.`);
  const comment = docComment("The fields and query parameters that are 64-bit integers.", ["", "@internal"]);
  return `${comment}export const INT64_FIELDS: readonly string[] = ${literal([...exact])};`;
}

/** Throws if a schema has 64-bit integers deeper than the client looks: in an object, or in each of a list. */
function refuseDeepIntegers(schemas: Readonly<Record<string, Schema>>): void {
  const holdsExact = (schema: Schema): boolean => {
    const { $ref, items, properties = {} } = schema;
    const parts = [items, $ref ? schemas[refName($ref)] : undefined, ...Object.values(properties)];
    return isExact(schema) || parts.some((part) => part && holdsExact(part));
  };
  for (const { properties, items } of Object.values(schemas))
    for (const [name, schema] of Object.entries(properties ?? items?.properties ?? {}))
      if (!isExact(schema) && holdsExact(schema))
        throw new Error(`${name} has exact integers in it: parseExactly of the client would have to look that deep.`);
}

/** True if a JavaScript number would lose digits. */
const isExact = ({ format, minimum = Number.NaN, maximum = Number.NaN }: Schema): boolean =>
  format === "int64" && !(Number.isSafeInteger(minimum) && Number.isSafeInteger(maximum));

function typeOf(schema: Schema, direction: Direction, indent: string, id = ""): string {
  const open = schema["x-extensible-enum"];
  if (schema.$ref) return refName(schema.$ref);
  if (open) return [...open.map((value) => JSON.stringify(value)), "(string & {})"].join(" | ");
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.items) {
    const item = typeOf(schema.items, direction, indent, id);
    return `readonly ${item.startsWith('"') ? `(${item})` : item}[]`;
  }
  if (schema.properties) return objectType(schema, direction, indent);
  if (schema.type === "string") return "string";
  if (schema.type === "number" || schema.type === "boolean") return schema.type;
  if (schema.type !== "integer") throw new Error(`There is no type for ${JSON.stringify(schema)}.`);
  if (!isExact(schema)) return "number";
  if (direction === "received") return id || "Int64";
  return id ? `Int64Input<${id}>` : "Int64Input";
}

function objectType(schema: Schema, direction: Direction, indent: string, owner = "", more = ""): string {
  const { properties = {}, required = [] } = schema;
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(([name, field]) => {
    const about = [field.description ?? "", ...(direction === "sent" ? [boundsOf(field)] : [])].join(" ");
    const comment = fieldComment(about, exampleOf(field.examples?.[0], field, direction), inner);
    const isOptional = !required.includes(name);
    const type =
      typeOf(field, direction, inner, idType(name, owner)) + (isOptional && direction === "sent" ? " | undefined" : "");
    return `${comment}${inner}readonly ${name}${isOptional ? "?" : ""}: ${type};\n`;
  });
  return `{\n${fields.join("")}${more}${indent}}`;
}

function boundsOf({ minimum, maximum, maxLength, maxItems, default: preset }: Schema): string {
  const range = minimum === undefined || maximum === undefined ? [] : [`From ${minimum} to ${maximum}.`];
  const length = maxLength === undefined ? [] : [`At most ${maxLength} characters.`];
  const count = maxItems === undefined ? [] : [`At most ${maxItems}.`];
  const otherwise = preset === undefined ? [] : [`By default ${preset}.`];
  return [...range, ...length, ...count, ...otherwise].join(" ");
}

/** Converts an example to the client's types. */
function exampleOf(value: unknown, schema: Schema, direction: Direction): unknown {
  if (Array.isArray(value)) return value.map((one) => exampleOf(one, schema.items ?? {}, direction));
  if (typeof value === "object" && value !== null) {
    const part = (name: string): Schema => schema.properties?.[name] ?? {};
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, exampleOf(one, part(name), direction)]),
    );
  }
  return isExact(schema) && direction === "received" && value !== undefined ? String(value) : value;
}

function typeComment(about = "", name: string, example: unknown): string {
  const variable = `${name[0]?.toLowerCase()}${name.slice(1)}`;
  return docComment(about, ["", "@example", ...`const ${variable}: ${name} = ${literal(example)};`.split("\n")]);
}

function fieldComment(about: string, example: unknown, indent: string): string {
  // The type already lists the values.
  const text = about.replace(/ So far: .*\./, "").trim();
  return docComment(text, example === undefined ? [] : [`@example ${literal(example)}`], indent);
}
