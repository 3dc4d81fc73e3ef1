import type { Refusal } from "../access/gate.ts";
import { SECOND_MS, toWholeSeconds } from "../domain/clock.ts";
import type { FieldMistake, InvalidRecord } from "../domain/fields.ts";
import type { KeyProblem } from "../domain/key.ts";
import { lazy } from "../domain/lazy.ts";
import { type MoveRefusal, movesFrom, type PlacingRefusal } from "../domain/order.ts";
import type { Standing } from "../domain/tally.ts";
import { CLOSE, type HeaderFields, NO_FIELDS } from "./header-template.ts";
import { encoded, type Reply, reply } from "./reply.ts";

// Every failure that a client can be told of: its code, its status and its message. The rest of the program
// returns reasons; only this file words them.

/** Every code, with its status and when it is sent. The list is part of the interface: it only grows. */
export const FAULTS = {
  missing_api_key: [401, "There is no `Authorization` header."],
  invalid_api_key: [401, "The API key is malformed, unknown, expired, replaced or revoked."],
  invalid_json: [400, "The body is not valid JSON, contains a field twice, or has more than 64 values."],
  missing_field: [400, "A required field is missing."],
  invalid_value: [400, "A field has the wrong type or value."],
  unknown_field: [400, "The body has a field that it must not have, such as `id`."],
  invalid_parameter: [
    400,
    "A query parameter is unknown, repeated or invalid, or the `Idempotency-Key` or `Host` header is invalid.",
  ],
  pet_not_found: [404, "There is no animal with this id."],
  order_not_found: [404, "There is no order with this id."],
  not_found: [404, "There is no such path."],
  method_not_allowed: [405, "The path does not support the method; `Allow` lists the ones it does."],
  request_timeout: [408, "The body took too long to arrive."],
  pet_not_available: [409, "The animal is pending or sold, and cannot be ordered."],
  invalid_transition: [409, "The order cannot move to this status."],
  idempotency_in_progress: [409, "The first request with this `Idempotency-Key` is still in progress."],
  operation_removed: [410, "The operation has been removed: `GET /pets/{petId}`, on 5 December 2030."],
  payload_too_large: [413, "The body is larger than 16 KiB, or was sent in more than 64 pieces."],
  unsupported_media_type: [415, "The body is not declared as `application/json`."],
  idempotency_mismatch: [422, "The `Idempotency-Key` was used for a different request."],
  rate_limit_exceeded: [429, "A quota is used up; `Retry-After` says how long to wait."],
  key_banned: [429, "The key kept sending requests after 429; `Retry-After` says how long to wait."],
  internal_error: [500, "Something unexpected happened; the log has the cause under the `X-Request-Id`."],
  service_unavailable: [
    503,
    "The service cannot do this at the moment. The message says whether anything may have been changed.",
  ],
} as const satisfies Record<string, readonly [status: number, when: string]>;

export type FaultCode = keyof typeof FAULTS;

export const FAULT_CODES = Object.keys(FAULTS) as readonly FaultCode[];

/** An intended failure, as the client is told of it. A value, not an exception: only malfunctions are thrown. */
export class Fault {
  constructor(
    readonly code: FaultCode,
    /** Says what is wrong and what to do about it. Never an internal cause. */
    readonly message: string,
    readonly headers: HeaderFields = NO_FIELDS,
  ) {}

  get status(): number {
    return FAULTS[this.code][0];
  }

  /** Exactly code, message and status. */
  get reply(): Reply {
    const { code, message, status, headers } = this;
    return reply(status, `{"code":"${code}","message":${JSON.stringify(message)},"status":${status}}`, headers);
  }
}

/** A fault whose message is always the same: its reply is made and encoded once. */
class ConstantFault extends Fault {
  readonly #reply = lazy(() => encoded(super.reply));

  override get reply(): Reply {
    return this.#reply();
  }
}

const constant = (code: FaultCode, message: string, headers?: HeaderFields): Fault =>
  new ConstantFault(code, message, headers);

// Who is calling, and may they now.

const CHALLENGE = 'Bearer realm="animal-store"';
const INVALID_TOKEN = { "WWW-Authenticate": `${CHALLENGE}, error="invalid_token"` };
const HOW_TO_SEND = "Send your API key as: Authorization: Bearer <key>";

export const MISSING_KEY = constant("missing_api_key", `The Authorization header is missing. ${HOW_TO_SEND}.`, {
  "WWW-Authenticate": CHALLENGE,
});
const MALFORMED_KEY = constant(
  "invalid_api_key",
  `The Authorization header is not a single bearer credential. ${HOW_TO_SEND}.`,
  INVALID_TOKEN,
);
export const UNKNOWN_KEY = constant(
  "invalid_api_key",
  "This API key is unknown. Check that you copied all of it.",
  INVALID_TOKEN,
);

/** The fault that a refused request is answered with. */
export function refusalFault({ reason, standing }: Refusal): Fault {
  switch (reason.kind) {
    case "starting":
      return STARTING;
    case "missing":
      return MISSING_KEY;
    case "malformed":
      return MALFORMED_KEY;
    case "unknown":
      return UNKNOWN_KEY;
    case "exhausted":
      return quotaFault(standing, reason.strikesLeft);
    case "banned":
      return banFault(standing);
    case "address_exhausted":
      return addressFault(standing);
    default:
      return new Fault("invalid_api_key", messageOn(reason), INVALID_TOKEN);
  }
}

function messageOn(problem: KeyProblem): string {
  if (problem.kind === "replaced") return "This API key has been replaced. Use the new one.";
  const what = problem.kind === "revoked" ? "has been revoked" : `expired at ${new Date(problem.atMs).toISOString()}`;
  return `This API key ${what}. Ask the operator for a new one.`;
}

/** Whole seconds, at least 1, and never before the moment that the Reset header names. */
function secondsUntilReset({ shown, atMs }: Standing): number {
  const resetMs = toWholeSeconds(shown.resetAtMs) * SECOND_MS;
  return Math.max(1, toWholeSeconds(resetMs - atMs));
}

const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? "" : "s"}`;

function retryLater(code: FaultCode, standing: Standing, message: (wait: string) => string): Fault {
  const seconds = secondsUntilReset(standing);
  return new Fault(code, message(`Wait ${plural(seconds, "second")}`), { "Retry-After": String(seconds) });
}

export const quotaFault = (standing: Standing, strikesLeft: number | undefined): Fault =>
  retryLater("rate_limit_exceeded", standing, (wait) => {
    const { quota, window } = standing.shown;
    const warning =
      strikesLeft === undefined
        ? ""
        : ` The key will be banned after ${plural(strikesLeft, "more refused request")} this minute.`;
    return `You have used all ${quota} requests for this ${window.name}. ${wait} before the next request.${warning}`;
  });

export const banFault = (standing: Standing): Fault =>
  retryLater(
    "key_banned",
    standing,
    (wait) =>
      `This API key is temporarily banned because it kept sending requests after 429 responses. ${wait} before the next request, and back off when you get a 429.`,
  );

const addressFault = (standing: Standing): Fault =>
  retryLater("rate_limit_exceeded", standing, (wait) => {
    const { quota, window } = standing.shown;
    return `Your address has used all ${quota} requests without a valid API key for this ${window.name}. ${wait}, or send a valid key.`;
  });

export const visitorFault = (standing: Standing): Fault =>
  retryLater("rate_limit_exceeded", standing, (wait) => {
    const { quota, window } = standing.shown;
    return `Your address has used all ${quota} page requests for this ${window.name}. ${wait}, then load the page again.`;
  });

// Paths, methods, hosts.

export const NO_SUCH_PAGE = constant(
  "not_found",
  "There is nothing here. The API is under /v1, and its reference is at /docs.",
);
export const NO_SUCH_PATH = constant(
  "not_found",
  "There is no such path in v1. The reference at /docs lists them all.",
);
export const BAD_HOST = constant(
  "invalid_parameter",
  "The Host header is not a single valid host name. Send the host that you connect to, once.",
);

/** For CONNECT, whose connection Bun would then treat as a tunnel, and never listen to again. */
export const NOT_A_PROXY = constant(
  "method_not_allowed",
  "This service is not a proxy, and opens no tunnels. Send requests for its own paths.",
  { Allow: "GET, HEAD, POST, PATCH", ...CLOSE },
);

export const methodNotAllowed = (allow: string): Fault =>
  constant("method_not_allowed", `This path supports only ${allow}.`, { Allow: allow });

// Parameters.

const QUOTED_MAX_CHARACTERS = 60;

/** A name from outside, safe to put in a message. */
const quote = (name: string): string =>
  JSON.stringify(
    name.length > QUOTED_MAX_CHARACTERS ? `${name.slice(0, QUOTED_MAX_CHARACTERS)}…` : name.toWellFormed(),
  );

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

export const invalidIdempotencyKey = (maxCharacters: number): Fault =>
  constant(
    "invalid_parameter",
    `The Idempotency-Key header must be 1 to ${maxCharacters} printable ASCII characters without quotes, commas or backslashes, such as a UUID.`,
  );

// Bodies.

export const UNSUPPORTED_MEDIA_TYPE = constant(
  "unsupported_media_type",
  "The body must be JSON. Send it with Content-Type: application/json.",
);
export const payloadTooLarge = (maxBytes: number): Fault => constant("payload_too_large", tooLarge(maxBytes));
/** For a body that goes on and on. */
export const payloadFarTooLarge = (maxBytes: number): Fault => constant("payload_too_large", tooLarge(maxBytes), CLOSE);
const tooLarge = (maxBytes: number): string => `The body is larger than ${maxBytes} bytes. Send a smaller one.`;
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
/** Nobody gets it, since Bun has cut the connection: it is for the log. */
export const SENDER_GONE = constant(
  "invalid_json",
  "The connection was closed, or more than the body was sent. Nothing was changed. Send the request again.",
);
export const NOT_UTF8 = constant("invalid_json", "The body is not valid UTF-8. Send it as UTF-8.");
export const NOT_JSON = constant("invalid_json", "The body is not valid JSON. Send one JSON object.");
export const tooManyValues = (maxValues: number): Fault =>
  constant("invalid_json", `The body has more than ${maxValues} values. Send one flat JSON object.`);

export const repeatedField = (name: string): Fault =>
  new Fault("invalid_json", `The body contains ${quote(name)} more than once. Send it once.`);

/** All mistakes in one message; the code is that of the first. */
export function invalidBody({ mistakes }: InvalidRecord): Fault {
  if (mistakes === "not an object") return new Fault("invalid_value", "The body must be a JSON object.");
  return new Fault(CODE_OF_MISTAKE[mistakes[0].kind], mistakes.map(sentenceOnField).join(" "));
}

const CODE_OF_MISTAKE = { missing: "missing_field", invalid: "invalid_value", unknown: "unknown_field" } as const;

function sentenceOnField(mistake: FieldMistake): string {
  if (mistake.kind === "missing") return `"${mistake.field}" is missing. Add it to the body.`;
  if (mistake.kind === "invalid") return `"${mistake.field}" ${mistake.text}.`;
  const [first = "", ...others] = mistake.fields;
  if (others.length > 0) return `${quote(first)} and ${others.length} more are not fields of this body. Remove them.`;
  return `${quote(first)} ${first === "id" ? "is assigned by the service" : "is not a field of this body"}. Remove it.`;
}

// What an operation can refuse.

export const PET_NOT_FOUND = constant("pet_not_found", "There is no animal with this id. Find ids with GET /pets.");
export const ORDER_NOT_FOUND = constant(
  "order_not_found",
  "There is no order with this id. Find ids with GET /store/orders.",
);
export const GET_PET_REMOVED = constant(
  "operation_removed",
  "GET /pets/{petId} was removed on 5 December 2030. Use GET /pets with the status filter, or with id.",
);

export const placingFault = (refusal: PlacingRefusal): Fault =>
  refusal.kind === "no_such_animal"
    ? new Fault("invalid_value", '"petId" is not the id of an animal. Find ids with GET /pets?status=available.')
    : new Fault(
        "pet_not_available",
        `This animal is ${refusal.status}, and only an available one can be ordered. Find one with GET /pets?status=available.`,
      );

export function moveFault(refusal: MoveRefusal): Fault {
  if (refusal.kind === "no_such_order") return ORDER_NOT_FOUND;
  const { from, to } = refusal;
  const moves = movesFrom(from);
  const remedy = moves.length === 0 ? `A ${from} order can no longer change.` : `It can become ${moves.join(" or ")}.`;
  return new Fault("invalid_transition", `This order is ${from} and cannot become ${to}. ${remedy}`);
}

// Retries, and what goes wrong on our side.

/** For a condition that passes soon, nobody knows exactly when. */
const SOON: HeaderFields = { "Retry-After": "2" };

export const IDEMPOTENCY_MISMATCH = constant(
  "idempotency_mismatch",
  "This Idempotency-Key was used for a different request within the last 24 hours. Use a new one for each new request.",
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
export const STARTING = constant(
  "service_unavailable",
  "The service is starting, and nothing was changed. Try again shortly.",
  SOON,
);
export const UNAVAILABLE = constant(
  "service_unavailable",
  "The service cannot do this at the moment, and nothing was changed. Try again shortly.",
  SOON,
);
export const OUTCOME_UNKNOWN = constant(
  "service_unavailable",
  "The change was not confirmed: it may or may not have been made. Check before you retry. A request with an Idempotency-Key can be retried with the same key.",
  SOON,
);

export type Outcome = Reply | Fault;

export const asReply = (outcome: Outcome): Reply => (outcome instanceof Fault ? outcome.reply : outcome);
