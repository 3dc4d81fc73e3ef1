/** Every code that an Error can carry. The list is part of the interface: it only grows. */
export const FAULT_CODES = [
  "missing_api_key",
  "invalid_api_key",
  "invalid_json",
  "missing_field",
  "invalid_value",
  "unknown_field",
  "invalid_parameter",
  "pet_not_found",
  "order_not_found",
  "not_found",
  "method_not_allowed",
  "request_timeout",
  "pet_not_available",
  "invalid_transition",
  "idempotency_in_progress",
  "operation_removed",
  "payload_too_large",
  "unsupported_media_type",
  "idempotency_mismatch",
  "rate_limit_exceeded",
  "key_banned",
  "internal_error",
  "service_unavailable",
] as const;

export type FaultCode = (typeof FAULT_CODES)[number];

/** An intended failure. A value, not an exception: only malfunctions are thrown. */
export class Fault {
  constructor(
    readonly code: FaultCode,
    /** For the caller: names what is wrong and what to do about it. Never a cause from inside. */
    readonly message: string,
  ) {}
}

/** A failure that the operator can mend: the message is one line that says what and how. */
export class OperatorError extends Error {
  override readonly name = "OperatorError";
}
