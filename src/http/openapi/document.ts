import { z } from "zod";
import manifest from "../../../package.json" with { type: "json" };
import { PLANS } from "../../domain/plan.ts";
import {
  ErrorBody,
  NewOrder,
  NewPet,
  Order,
  OrderStatus,
  Orders,
  OrderUpdate,
  Pet,
  PetStatus,
  Pets,
} from "../contract.ts";
import { STATUS_OF } from "../reply.ts";
import { OUTSIDE_ERRORS, sharedErrors } from "./errors.ts";
import { headerComponents } from "./headers.ts";
import { orderPaths } from "./orders.ts";
import type { Json } from "./parts.ts";
import { petPaths } from "./pets.ts";

/** The whole interface as an OpenAPI 3.1 document, made from the schemas that validate requests. */
export function openapiDocument(publicUrl: string): Json {
  const paths = { ...petPaths(publicUrl), ...orderPaths(publicUrl) };
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
    tags: [
      { name: "Pets", description: "The animals held in the store." },
      {
        name: "Orders",
        description: "Their sale. An animal has one open order at the most, and its status follows it.",
      },
    ],
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

const DESCRIPTION = `List the animals held in a store, filter them by availability, add one, fetch one, sell one.

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

/** JSON Schema, as OpenAPI 3.1 has it. A bigint of ours is an integer on the wire. */
function componentSchemas(): Json {
  const registry = z.registry<{ id: string }>();
  for (const schema of [PetStatus, NewPet, Pet, Pets, OrderStatus, NewOrder, OrderUpdate, Order, Orders, ErrorBody])
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
