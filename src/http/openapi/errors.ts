import { MISSING_KEY, UNKNOWN_KEY } from "../../access/gate.ts";
import type { FaultCode } from "../../domain/fault.ts";
import { NOT_JSON, TOO_LARGE, TOO_SLOW, WRONG_TYPE } from "../body.ts";
import { IN_PROGRESS, MISMATCH, WRONG_TOKEN } from "../once.ts";
import { moveFault, NO_SUCH_ORDER, placeFault } from "../orders.ts";
import { WRONG_LIMIT } from "../paging.ts";
import { NO_SUCH_PET, REMOVED } from "../pets.ts";
import { STATUS_OF } from "../reply.ts";
import { NO_RESOURCE, UNAVAILABLE, UNFORESEEN } from "../server.ts";
import { LIMIT_HEADERS } from "./headers.ts";
import { type HeaderName, headerRefs, type Json, jsonContent, ref, schemaRef } from "./parts.ts";

interface ErrorResponse {
  readonly description: string;
  readonly codes: Partial<Record<FaultCode, string>>;
  readonly headers?: readonly HeaderName[];
}

/** Every error that an operation can answer with: its codes, each with an example of its message. */
const ERRORS = {
  InvalidParameter: {
    description: "A query parameter is unknown, repeated or has a wrong value.",
    codes: { invalid_parameter: WRONG_LIMIT.message },
  },
  InvalidBody: {
    description:
      "The body is no JSON, lacks a required field, has an unknown one or a wrong value; or a header is wrong, or there is a query.",
    codes: {
      invalid_json: NOT_JSON.message,
      missing_field: '"name" is missing. Add it to the body.',
      invalid_value: '"name" must not be empty or blank.',
      unknown_field: '"id" is assigned by the service. Remove it.',
      invalid_parameter: WRONG_TOKEN.message,
    },
  },
  Unauthorized: {
    description: "The API key is missing or invalid.",
    codes: {
      missing_api_key: MISSING_KEY.message,
      invalid_api_key: UNKNOWN_KEY.message,
    },
    headers: ["WWW-Authenticate"],
  },
  PetNotFound: {
    description: "There is no animal with that identifier.",
    codes: { pet_not_found: NO_SUCH_PET.message },
  },
  OrderNotFound: {
    description: "There is no order with that identifier.",
    codes: { order_not_found: NO_SUCH_ORDER.message },
  },
  InProgress: {
    description: "The first request with this Idempotency-Key is still being worked on.",
    codes: { idempotency_in_progress: IN_PROGRESS.message },
    headers: ["Retry-After"],
  },
  PetNotAvailable: {
    description:
      "The animal cannot be ordered, or the first request with this Idempotency-Key is still being worked on.",
    codes: {
      pet_not_available: placeFault({ kind: "not_available", status: "pending" }).message,
      idempotency_in_progress: IN_PROGRESS.message,
    },
    headers: [["Retry-After", "RetryAfterIfInProgress"]],
  },
  InvalidTransition: {
    description: "The order cannot make this move.",
    codes: {
      invalid_transition: moveFault("placed", "delivered").message,
    },
  },
  IdempotencyMismatch: {
    description: "The Idempotency-Key was used for a different request.",
    codes: { idempotency_mismatch: MISMATCH.message },
  },
  RequestTimeout: {
    description: "The body took too long to arrive.",
    codes: { request_timeout: TOO_SLOW.message },
  },
  NotFound: {
    description: "No operation has this path.",
    codes: { not_found: NO_RESOURCE.message },
  },
  MethodNotAllowed: {
    description: "No operation has this method on this path.",
    codes: { method_not_allowed: "This path knows only GET, HEAD, POST. Use one of them." },
    headers: ["Allow"],
  },
  OperationRemoved: {
    description: "The operation was removed on 5 December 2030.",
    codes: {
      operation_removed: REMOVED.message,
    },
  },
  PayloadTooLarge: {
    description: "The body is too large.",
    codes: { payload_too_large: TOO_LARGE.message },
  },
  UnsupportedMediaType: {
    description: "The body is not declared as JSON.",
    codes: { unsupported_media_type: WRONG_TYPE.message },
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
    codes: { internal_error: UNFORESEEN.message },
  },
  ServiceUnavailable: {
    description: "The store cannot do its work now. Nothing was changed.",
    codes: { service_unavailable: UNAVAILABLE.message },
    headers: ["Retry-After"],
  },
} as const satisfies Record<string, ErrorResponse>;

type ErrorName = keyof typeof ERRORS;

/** What a request under /v1 gets that is no operation at all. */
export const OUTSIDE_ERRORS = { 404: ref("responses", "NotFound"), 405: ref("responses", "MethodNotAllowed") };

const statusOf = (name: ErrorName): number => STATUS_OF[Object.keys(ERRORS[name].codes)[0] as FaultCode];

/** What any operation can answer with, and what one with a body can besides. */
export const READ_ERRORS: readonly ErrorName[] = [
  "Unauthorized",
  "TooManyRequests",
  "InternalError",
  "ServiceUnavailable",
];
export const WRITE_ERRORS: readonly ErrorName[] = [
  ...READ_ERRORS,
  "InvalidBody",
  "RequestTimeout",
  "PayloadTooLarge",
  "UnsupportedMediaType",
];

/** Errors that are the same for every operation, by reference. */
export const errors = (...names: ErrorName[]): Record<number, Json> =>
  Object.fromEntries(names.map((name) => [statusOf(name), ref("responses", name)]));

/** Errors written out, for an operation that adds to them. */
export const ownErrors = (...names: ErrorName[]): Record<number, Json> =>
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
export function sharedErrors(paths: Json): Json {
  const text = JSON.stringify([paths, OUTSIDE_ERRORS]);
  const names = (Object.keys(ERRORS) as ErrorName[]).filter((name) => text.includes(`#/components/responses/${name}"`));
  return Object.fromEntries(names.map((name) => [name, errorResponse(name)]));
}
