import manifest from "../../../package.json" with { type: "json" };
import { MINUTE_MS } from "../../base/time/clock.ts";
import { PLANS } from "../../domain/keys/plan.ts";
import { type Right, ROTATION, SCOPES } from "../../domain/keys/scope.ts";
import { BAN_LADDER_MS } from "../../domain/limits/ban.ts";
import type { AnyOperation, PublicUrls } from "../declare/operation.ts";
import { FAULT_CODES, FAULTS } from "../faults/fault.ts";
import { OPERATIONS } from "../operations/index.ts";
import { Components, type Json } from "./components.ts";
import { parametersOfAll } from "./parameters.ts";
import { jsonContent, outsideResponses, responsesOf } from "./responses.ts";
import { samplesOf } from "./samples.ts";
import { serversOf } from "./servers.ts";

/** The version of the interface, which the contract names. The program's own is package.json's. */
const INTERFACE_VERSION = "1.0.0";

/** The whole interface as an OpenAPI 3.1 document, derived from the operations themselves. */
export function openapiDocument(urls: PublicUrls): Json {
  const components = new Components();
  const parametersOf = parametersOfAll(OPERATIONS, components);
  const paths: Record<string, Json> = {};
  for (const operation of OPERATIONS)
    paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: describe(operation) };
  return {
    openapi: "3.1.0",
    info: {
      title: "Animal Store",
      version: INTERFACE_VERSION,
      summary: manifest.description,
      description: urls.environment === "staging" ? `${STAGING_NOTE}\n\n${DESCRIPTION}` : DESCRIPTION,
      contact: { name: "The operator of this service", url: urls.docsUrl.replace(/docs$/, "") },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: serversOf(urls),
    security: [{ apiKey: [] }],
    tags: [...new Set(OPERATIONS.map(({ tag }) => tag))],
    paths,
    "x-other-responses": outsideResponses(components),
    components: {
      securitySchemes: {
        apiKey: { type: "http", scheme: "bearer", description: "The API key, as `Authorization: Bearer <key>`." },
      },
      ...components,
    },
  };

  function describe(operation: AnyOperation): Json {
    const { name, tag, scope, summary, description, body, isBodyOptional, deprecation } = operation;
    return {
      operationId: name,
      summary,
      description: `${description} ${scopeSentence(scope)}`,
      tags: [tag.name],
      security: [{ apiKey: scope ? [scope] : [] }],
      ...(deprecation ? { deprecated: true } : {}),
      parameters: parametersOf(operation),
      ...(body
        ? { requestBody: { required: !isBodyOptional, content: jsonContent(components.schema(body), body.examples) } }
        : {}),
      responses: responsesOf(operation, components, urls),
      "x-codeSamples": samplesOf(operation, urls),
    };
  }
}

function scopeSentence(right: Right | undefined): string {
  if (right === ROTATION) return `Needs the right \`${ROTATION}\`, which is no scope: the operator gives it to a key.`;
  return right ? `Needs the scope \`${right}\`.` : "Any key may do this, whatever its scopes.";
}

const planRows = Object.entries(PLANS).map(([name, quotas]) =>
  quotas ? `| ${name} | ${quotas.perMinute} | ${quotas.perDay} |` : `| ${name} | custom | custom |`,
);

const scopeRows = SCOPES.map((scope) => {
  const names = OPERATIONS.filter((operation) => operation.scope === scope).map(({ name }) => name);
  return `| \`${scope}\` | ${names.join(", ")} |`;
});

const codeRows = FAULT_CODES.map((code) => `| \`${code}\` | ${FAULTS[code].join(" | ")} |`);

const [firstBan, ...longerBans] = BAN_LADDER_MS.map((ms) => ms / MINUTE_MS);

const STAGING_NOTE =
  "**This is staging**, where things are tried out: what is here may be changed or removed at any time, and its keys begin with `ask_test_`.";

const DESCRIPTION = `List the animals held in a store, filter them by availability, add one, fetch one, correct or remove one, sell one, and name their categories.

Every response carries your limits, whatever its status. Every error has exactly \`code\`, \`message\` and \`status\`. Every int64 is exact over its whole range: use a parser that keeps large integers.

For tools that do not read OpenAPI 3.1, this document is also there in 3.0: \`openapi-3.0.json\`, beside \`openapi.json\`.

## Plans

| plan | requests per minute | requests per day |
|---|---|---|
${planRows.join("\n")}

Windows are fixed, and open with the first request that counts. A refused request uses no quota. A key that keeps sending requests after 429 is temporarily banned: for ${firstBan} minute, then for ${longerBans.slice(0, -1).join(", ")} and ${longerBans.at(-1)}.

## Scopes

A key has scopes, and each operation says which one it needs. Without it the response is 403, and its \`WWW-Authenticate\` header names the scope. \`GET /key\` shows those that your key has, and in \`rotation\` whether it may rotate its own secret, which no scope allows.

| scope | operations |
|---|---|
${scopeRows.join("\n")}

## Conditional requests

What you read has an \`ETag\`. Send it as \`If-None-Match\` to read only what has changed: otherwise the response is 304, without a body, and counts as any other. Send it as \`If-Match\` with PATCH, PUT or DELETE to change only what you have seen: if it has changed since, the response is 412, and nothing is done.

An animal's own \`ETag\` comes with createPet, updatePet, getPet, and \`GET /pets\` with exactly one \`id\`. That of any other page stands for the page, and is only for \`If-None-Match\`.

## Retries

Every write takes an \`Idempotency-Key\`. For at least 24 hours, a request with the same key gets the response to the first one again, and only the first is carried out.

## Error codes

Every error says in its \`message\` what is wrong with this very request, and what to do about it; \`code\` is for programs. New codes may be added: for a code that you do not know, go by the status.

| code | status | when |
|---|---|---|
${codeRows.join("\n")}

## Versions

v1 only grows. A change that would break a client becomes v2, and v1 then lives for 24 more months.`;
