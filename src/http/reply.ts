import { SECOND_MS, toWholeSeconds } from "../domain/clock.ts";
import type { Fault, FaultCode } from "../domain/fault.ts";
import type { Standing } from "../domain/tally.ts";
import type { QuotaStanding } from "../domain/window.ts";

/** The only place where a fault gets a status. */
export const STATUS_OF: Record<FaultCode, number> = {
  missing_api_key: 401,
  invalid_api_key: 401,
  invalid_json: 400,
  missing_field: 400,
  invalid_value: 400,
  unknown_field: 400,
  invalid_parameter: 400,
  pet_not_found: 404,
  order_not_found: 404,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  pet_not_available: 409,
  invalid_transition: 409,
  idempotency_in_progress: 409,
  operation_removed: 410,
  payload_too_large: 413,
  unsupported_media_type: 415,
  idempotency_mismatch: 422,
  rate_limit_exceeded: 429,
  key_banned: 429,
  internal_error: 500,
  service_unavailable: 503,
};

export type Headers = Readonly<Record<string, string>>;

/** What an operation answers when it succeeds. The body is JSON text. */
export interface Reply {
  readonly status: number;
  readonly body: string;
  readonly headers?: Headers;
}

const CHALLENGE = 'Bearer realm="animal-store"';
/** For a moment that will pass: no clock says when. */
const SHORTLY_SECONDS = 2;

/** An error as a reply: exactly code, message and status, and the headers that its code demands. */
export function faultReply(fault: Fault, retryAfterSeconds?: number): Reply {
  const status = STATUS_OF[fault.code];
  const body = JSON.stringify({ code: fault.code, message: fault.message, status });
  return { status, body, headers: faultHeaders(fault.code, retryAfterSeconds) };
}

function faultHeaders(code: FaultCode, retryAfterSeconds: number | undefined): Headers {
  if (code === "missing_api_key") return { "WWW-Authenticate": CHALLENGE };
  if (code === "invalid_api_key") return { "WWW-Authenticate": `${CHALLENGE}, error="invalid_token"` };
  if (code === "request_timeout") return { Connection: "close" };
  if (code === "service_unavailable" || code === "idempotency_in_progress")
    return { "Retry-After": String(SHORTLY_SECONDS) };
  return retryAfterSeconds === undefined ? {} : { "Retry-After": String(retryAfterSeconds) };
}

/** What every response under /v1 shows, whatever its status. */
export interface Envelope {
  readonly requestId: string;
  readonly standing: Standing;
  /** Headers of the operation itself, on all its responses. */
  readonly operationHeaders: Headers | undefined;
}

export function respond(reply: Reply, { requestId, standing, operationHeaders }: Envelope): Response {
  const { shown } = standing;
  return new Response(reply.body, {
    status: reply.status,
    headers: {
      "Content-Type": "application/json",
      "Cache-Control": "no-store",
      "X-Request-Id": requestId,
      "X-RateLimit-Limit": String(shown.quota),
      "X-RateLimit-Remaining": String(shown.remaining),
      "X-RateLimit-Reset": String(toWholeSeconds(shown.resetAtMs)),
      "RateLimit-Policy": perQuota(standing, policyItem),
      RateLimit: perQuota(standing, (quota) => limitItem(quota, standing.atMs)),
      ...operationHeaders,
      ...reply.headers,
    },
  });
}

const perQuota = ({ minute, day }: Standing, item: (quota: QuotaStanding) => string): string =>
  day ? `${item(minute)}, ${item(day)}` : item(minute);

const policyItem = ({ window, quota }: QuotaStanding): string =>
  `"${window.name}";q=${quota};w=${window.lengthMs / SECOND_MS}`;

const limitItem = ({ window, remaining, resetAtMs }: QuotaStanding, atMs: number): string =>
  `"${window.name}";r=${remaining};t=${Math.max(0, toWholeSeconds(resetAtMs - atMs))}`;
