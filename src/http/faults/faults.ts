import { type InvalidRecord, sentencesOn } from "../../base/json/fields.ts";
import { notJson, recordTooLarge } from "../../base/json/record.ts";
import type { Mistake } from "../../base/mistake.ts";
import { quote } from "../../base/text/text.ts";
import {
  ANIMAL_HAS_ORDERS,
  ANIMAL_IN_ORDER,
  NO_SUCH_ANIMAL,
  NO_SUCH_CATEGORY,
  NO_SUCH_ORDER,
  sentencesOnOrderUpdate,
  sentencesOnTakenName,
} from "../../domain/refusal-sentences.ts";
import type { NamingRefusal } from "../../domain/stock/category.ts";
import type { OrderUpdateRefusal, PlacingRefusal } from "../../domain/stock/order.ts";
import type { Precondition, PreconditionFailed } from "../../domain/tag.ts";
import { CLOSE, type HeaderFields } from "../reply/header-template.ts";
import { constant, Fault } from "./fault.ts";

// The faults of requests, and of our own side; refusal-faults.ts has those about keys and limits. The rest of the
// program returns reasons: only these two files put them into words.

const badParameter = (message: string): Fault => constant("invalid_parameter", message);

// Paths, methods, hosts.

export const NO_SUCH_PAGE = constant(
  "not_found",
  "There is nothing here. The API is under /v1, and its reference is at /docs.",
);
export const NO_SUCH_PATH = constant(
  "not_found",
  "There is no such path in v1. The reference at /docs lists them all.",
);
export const BAD_HOST = badParameter(
  "The Host header is not a single valid host name. Send the host that you connect to, once.",
);

/** For CONNECT, whose connection Bun would treat as a tunnel from then on, and never read again. */
export const NOT_A_PROXY = constant(
  "method_not_allowed",
  "This service is not a proxy, and opens no tunnels. Send requests for its own paths.",
  { Allow: "GET, HEAD, POST, PUT, PATCH, DELETE", ...CLOSE },
);

export const methodNotAllowed = (allow: string): Fault =>
  constant("method_not_allowed", `This path supports only ${allow}.`, { Allow: allow });

// Parameters.

export function unknownParameter(name: string, known: readonly string[]): Fault {
  const remedy = known.length === 0 ? "This operation takes none." : `This operation takes ${known.join(", ")}.`;
  return new Fault("invalid_parameter", `The query parameter ${quote(name)} is unknown. ${remedy}`);
}

export const repeatedParameter = (name: string, maxCount: number): Fault =>
  new Fault(
    "invalid_parameter",
    `The query parameter "${name}" was sent too often. Send it at most ${maxCount === 1 ? "once" : `${maxCount} times`}.`,
  );

export const invalidParameter = (name: string, mistake: string): Fault =>
  new Fault("invalid_parameter", `The query parameter "${name}" ${mistake}.`);

/** Decoding would replace invalid bytes by U+FFFD, and then find nothing. */
export const MALFORMED_QUERY = badParameter(
  "The query is not valid percent-encoded UTF-8. Send, for example, M%C3%BCller for Müller, and %25 for a percent sign.",
);

export const invalidIdempotencyKey = (maxCharacters: number): Fault =>
  badParameter(
    `The Idempotency-Key header must be 1 to ${maxCharacters} printable ASCII characters without quotes, commas or backslashes, such as a UUID.`,
  );

export const invalidIfMatch = (maxCharacters: number): Fault =>
  badParameter(
    `The If-Match header must be *, or tags as an ETag header has them, separated by commas: "…", "…". It may have ${maxCharacters} characters at most.`,
  );

export const INVALID_IF_NONE_MATCH = badParameter(
  "The If-None-Match header of a write must be *: only if there is nothing yet. To change only what you have read, send If-Match with its ETag.",
);

export const TWO_CONDITIONS = badParameter(
  "The request has both If-Match and If-None-Match. Send one of them: If-Match to change what is there, or If-None-Match: * if there is to be nothing yet.",
);

// Bodies.

export const UNSUPPORTED_MEDIA_TYPE = constant(
  "unsupported_media_type",
  "The body must be JSON. Send it with Content-Type: application/json.",
);
export const NO_BODY = constant(
  "unsupported_media_type",
  "The request has no body. Send one JSON object, with Content-Type: application/json.",
);
export const payloadTooLarge = (maxBytes: number): Fault => constant("payload_too_large", recordTooLarge(maxBytes));
/** For an endless body. */
export const payloadFarTooLarge = (maxBytes: number): Fault =>
  constant("payload_too_large", recordTooLarge(maxBytes), CLOSE);
export const tooManyPieces = (maxPieces: number): Fault =>
  constant(
    "payload_too_large",
    `The body was sent in more than ${maxPieces} pieces. Send it all at once, with a Content-Length.`,
    CLOSE,
  );
export const BODY_TOO_SLOW = constant(
  "request_timeout",
  "The body took too long to arrive. Send the request again, with the whole body at once.",
  CLOSE,
);
export const BODY_CUT_OFF = constant("invalid_json", "The body ended before it was complete. Send it again.");
/** For the log alone: Bun has closed the connection. */
export const SENDER_GONE = constant(
  "invalid_json",
  "The connection was closed, or more than the body was sent. Nothing was changed. Send the request again.",
);
export const NOT_UTF8 = constant("invalid_json", "The body is not valid UTF-8. Send it as UTF-8.");
export const invalidJson = ({ text }: Mistake): Fault => new Fault("invalid_json", text);
export const NOT_JSON = invalidJson(notJson());

/** All mistakes in one message; the code is that of the first. */
export function invalidBody(invalid: InvalidRecord, hasIdInPath: boolean): Fault {
  const { mistakes } = invalid;
  const code = mistakes === "not an object" ? "invalid_value" : CODE_OF_MISTAKE[mistakes[0].kind];
  return new Fault(code, sentencesOn(invalid, { hasIdInPath }));
}

export const CODE_OF_MISTAKE = {
  none: "missing_field",
  missing: "missing_field",
  invalid: "invalid_value",
  unknown: "unknown_field",
} as const;

// Refusals of operations.

export const PET_NOT_FOUND = constant("pet_not_found", `${NO_SUCH_ANIMAL} Find ids with GET /pets.`);
export const ORDER_NOT_FOUND = constant("order_not_found", `${NO_SUCH_ORDER} Find ids with GET /store/orders.`);
export const CATEGORY_NOT_FOUND = constant(
  "category_not_found",
  `${NO_SUCH_CATEGORY} Find those that have one with GET /categories.`,
);
/** For an id that no category can have. */
export const NOT_A_CATEGORY_ID = constant(
  "category_not_found",
  "This is not the id of a category. Use a 64-bit integer, such as 7, without leading zeros or a plus sign.",
);
export const GET_PET_REMOVED = constant(
  "operation_removed",
  "GET /pets/{petId} was removed on 5 December 2030. Use GET /pets with the status filter, or with id.",
);

const unmet = (message: string): Fault => constant("precondition_failed", message);

export const PRECONDITION_FAILED = unmet(
  "If-Match does not have the ETag of what is there now. Get it again, by itself, and send the request with the ETag of that response.",
);
const ONLY_WEAK_TAGS = unmet(
  'If-Match has only weak tags (W/"…"), which never match. Get this again, by itself, and send the request with the ETag of that response, without W/.',
);
const THERE_ALREADY = unmet(
  "If-None-Match: * is for what does not exist yet, and this does. To change or remove it, send the request without If-None-Match.",
);

/** The fault of a write whose precondition failed. */
export function preconditionFailed(precondition: Precondition | undefined): Fault {
  if (precondition === "absent") return THERE_ALREADY;
  return typeof precondition === "object" && precondition.tags.length === 0 ? ONLY_WEAK_TAGS : PRECONDITION_FAILED;
}

export const PET_IN_ORDER = constant(
  "pet_in_order",
  `${ANIMAL_IN_ORDER} Deliver or cancel the order first with PATCH /store/orders/{orderId} (find it with GET /store/orders?petId=…), or leave "status" out.`,
);
export const PET_HAS_ORDERS = constant(
  "pet_has_orders",
  `${ANIMAL_HAS_ORDERS} Correct it with PATCH /pets/{petId} instead.`,
);

export const placingFault = (refusal: PlacingRefusal): Fault =>
  refusal.kind === "no_such_animal"
    ? new Fault("invalid_value", '"petId" is not the id of an animal. Find ids with GET /pets?status=available.')
    : new Fault(
        "pet_not_available",
        `This animal is ${refusal.status}, and only an available one can be ordered. Find one with GET /pets?status=available.`,
      );

export const orderUpdateFault = (refusal: Exclude<OrderUpdateRefusal, PreconditionFailed>): Fault =>
  refusal.kind === "no_such_order" ? ORDER_NOT_FOUND : new Fault("invalid_transition", sentencesOnOrderUpdate(refusal));

const CATEGORY_ALREADY_NAMED = unmet(
  "This category has a name already. To give it another one, send the request without If-None-Match.",
);
const CATEGORY_NOT_NAMED = unmet(
  "This category has no name yet, so there is nothing for If-Match to match. Leave If-Match out to give it one.",
);

export function namingFault(refusal: Exclude<NamingRefusal, PreconditionFailed>): Fault {
  if (refusal.kind === "already_named") return CATEGORY_ALREADY_NAMED;
  if (refusal.kind === "not_named") return CATEGORY_NOT_NAMED;
  return new Fault("category_name_taken", sentencesOnTakenName(refusal.by));
}

// Retries, and failures on our side.

/** For a condition that will pass soon, at an unknown time. */
const SOON: HeaderFields = { "Retry-After": "2" };

export const IDEMPOTENCY_MISMATCH = constant(
  "idempotency_mismatch",
  "This Idempotency-Key was used for a different request. Use a new one for each new request.",
);
export const IDEMPOTENCY_IN_PROGRESS = constant(
  "idempotency_in_progress",
  "The first request with this Idempotency-Key is still in progress. Wait, and retry with the same key.",
  SOON,
);
export const INTERNAL_ERROR = constant(
  "internal_error",
  "Something went wrong on our side. Try again, or report the X-Request-Id.",
);

const unavailable = (message: string): Fault => constant("service_unavailable", message, SOON);

export const STARTING = unavailable("The service is starting, and nothing was changed. Try again shortly.");
export const UNAVAILABLE = unavailable(
  "The service cannot do this at the moment, and nothing was changed. Try again shortly.",
);
export const OUTCOME_UNKNOWN = unavailable(
  "The change was not confirmed: it may or may not have been made. Check before you retry. A request with an Idempotency-Key can be retried with the same key.",
);
