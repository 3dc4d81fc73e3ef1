import { INT64_SCHEMA } from "../../base/json/fields.ts";
import { type KeptRequest, timeOf } from "../../domain/usage/kept-request.ts";
import { pageSchema } from "../declare/paging.ts";
import { bigExample, moment, namedSchema } from "../declare/schema.ts";

// A kept request on the wire: its schema, and its JSON.

export const REFUSED_REQUEST_EXAMPLE = {
  id: bigExample(1_794_735_000_123_456n),
  at: "2026-11-15T09:30:00.123Z",
  method: "POST",
  path: "/v1/pets",
  status: 400,
  code: "missing_field",
  message: '"name" is missing. Add it to the body.',
  requestId: "7b1c7c3e-5a55-4b7e-9c0d-0b6f3f1f8f4e",
  idempotencyKey: "order-2026-0815",
  latencyMs: 0.412,
};
export const PASSED_REQUEST_EXAMPLE = {
  id: bigExample(1_794_734_998_000_017n),
  at: "2026-11-15T09:29:58.000Z",
  method: "GET",
  path: "/v1/pets",
  status: 200,
  requestId: "a4f4c2f6-7f0e-4f0a-8f60-5d4d2f9b7f13",
  latencyMs: 0.087,
};

const text = (description: string, examples: readonly string[]) => ({ type: "string", description, examples });

export const KEY_REQUEST = namedSchema("KeyRequest", {
  type: "object",
  description: "A request that was made with a key, and what came of it.",
  properties: {
    id: {
      ...INT64_SCHEMA,
      description: "Assigned by the service: a later request has a greater one.",
      examples: [REFUSED_REQUEST_EXAMPLE.id],
    },
    at: moment("When it arrived."),
    method: text("Its method.", [REFUSED_REQUEST_EXAMPLE.method]),
    path: text("Its path without the query; `…` stands for what is too long, or may have been a secret.", [
      REFUSED_REQUEST_EXAMPLE.path,
    ]),
    status: { type: "integer", description: "The status that it was answered with.", examples: [400] },
    code: text("The code of the error, if it was one.", [REFUSED_REQUEST_EXAMPLE.code]),
    message: text("The message of the error, cut at 300 characters.", [REFUSED_REQUEST_EXAMPLE.message]),
    requestId: text("The `X-Request-Id` of its response. A client may have chosen it, so it may occur again.", [
      REFUSED_REQUEST_EXAMPLE.requestId,
    ]),
    idempotencyKey: text("The `Idempotency-Key` that a write was sent with.", [REFUSED_REQUEST_EXAMPLE.idempotencyKey]),
    latencyMs: {
      type: "number",
      description: "How long the service took to answer, in milliseconds.",
      examples: [REFUSED_REQUEST_EXAMPLE.latencyMs],
    },
  },
  required: ["id", "at", "method", "path", "status", "requestId", "latencyMs"],
  examples: [REFUSED_REQUEST_EXAMPLE],
});

export const KEY_REQUESTS = pageSchema(
  "KeyRequests",
  KEY_REQUEST,
  "A page of requests, the newest first; the Link header has the next one.",
);

export const keyRequestJson = ({ keyId: _, id, ...request }: KeptRequest): string => {
  const { method, path, status, code, message, requestId, idempotencyKey, latencyMs } = request;
  const at = new Date(timeOf({ id })).toISOString();
  const said = { at, method, path, status, code, message, requestId, idempotencyKey, latencyMs };
  return `{"id":${id},${JSON.stringify(said).slice(1)}`;
};
