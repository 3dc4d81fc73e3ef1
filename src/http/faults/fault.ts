import { lazy } from "../../base/lazy.ts";
import { type HeaderFields, NO_FIELDS } from "../reply/header-template.ts";
import { encoded, Reply } from "../reply/reply.ts";

/** Every code, with its status and when it is sent. The list is part of the interface: it only grows. */
export const FAULTS = {
  missing_api_key: [401, "There is no `Authorization` header."],
  invalid_api_key: [401, "The API key is malformed, unknown, expired, replaced, suspended or revoked."],
  insufficient_scope: [403, "The API key is valid, but may not do this; `WWW-Authenticate` names the scope."],
  invalid_json: [400, "The body is not valid JSON, contains a field twice, or has more than 64 values."],
  missing_field: [400, "A required field is missing."],
  invalid_value: [400, "A field has the wrong type or value."],
  unknown_field: [400, "The body has a field that it must not have, such as `id`."],
  invalid_parameter: [
    400,
    "A query parameter is unknown, repeated, invalid or not possible together with another, or the `Idempotency-Key`, `If-Match`, `If-None-Match` or `Host` header is invalid.",
  ],
  pet_not_found: [404, "There is no animal with this id."],
  order_not_found: [404, "There is no order with this id."],
  category_not_found: [404, "There is no name for the category with this id."],
  not_found: [404, "There is no such path."],
  method_not_allowed: [405, "The path does not support the method; `Allow` lists the ones it does."],
  request_timeout: [408, "The body took too long to arrive."],
  pet_not_available: [409, "The animal is pending or sold, and cannot be ordered."],
  invalid_transition: [409, "The order cannot move to this status."],
  pet_in_order: [409, "An open order holds the animal, and its status follows that order."],
  pet_has_orders: [409, "Orders refer to the animal, so it cannot be removed."],
  category_name_taken: [409, "Another category has this name."],
  secret_replaced: [409, "The secret has been replaced: only the newest one of a key may rotate."],
  too_many_rotations: [409, "The holder of the key has rotated its secret five times in 24 hours."],
  idempotency_in_progress: [409, "The first request with this `Idempotency-Key` is still in progress."],
  operation_removed: [410, "The operation has been removed: `GET /pets/{petId}`, on 5 December 2030."],
  precondition_failed: [412, "What is there now is not what `If-Match` or `If-None-Match` asks for."],
  payload_too_large: [413, "The body is larger than 16 KiB, or was sent in more than 64 pieces."],
  unsupported_media_type: [415, "There is no body, or it is not declared as `application/json`."],
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

/** An intended failure, as the client sees it. It is returned: only malfunctions are thrown. */
export class Fault {
  constructor(
    readonly code: FaultCode,
    /** Names the problem and the remedy, never an internal cause. */
    readonly message: string,
    readonly headers: HeaderFields = NO_FIELDS,
  ) {}

  get status(): number {
    return FAULTS[this.code][0];
  }

  /** The body has exactly code, message and status. */
  get reply(): Reply {
    const { code, message, status, headers } = this;
    return new Reply(status, `{"code":"${code}","message":${JSON.stringify(message)},"status":${status}}`, headers);
  }
}

/** A fault whose reply is made and encoded once. */
class ConstantFault extends Fault {
  readonly #reply = lazy(() => encoded(super.reply));

  override get reply(): Reply {
    return this.#reply();
  }
}

/** Makes a fault whose message is always the same. */
export const constant = (code: FaultCode, message: string, headers?: HeaderFields): Fault =>
  new ConstantFault(code, message, headers);

/** The result of a request, before the headers of its response. */
export type Outcome = Reply | Fault;

export const asReply = (outcome: Outcome): Reply => (outcome instanceof Fault ? outcome.reply : outcome);
