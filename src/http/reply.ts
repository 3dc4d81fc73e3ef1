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

/** Header fields by name. */
export type Fields = Readonly<Record<string, string>>;

/** What is answered, but for what changes with every request. It may answer more than one. */
export interface Reply {
  readonly status: number;
  /** JSON text. */
  readonly body: string;
  readonly headers: Headers;
  /** The standing whose quotas the headers show already. */
  shows?: Standing;
}

export const reply = (status: number, body: string, fields: Fields = {}): Reply => ({
  status,
  body,
  headers: new Headers({ "Content-Type": "application/json", "Cache-Control": "no-store", ...fields }),
});

export function addFields(reply: Reply, fields: Fields): Reply {
  for (const name in fields) reply.headers.set(name, fields[name] as string);
  return reply;
}

const CHALLENGE = 'Bearer realm="animal-store"';
/** For a moment that will pass: no clock says when. */
const SHORTLY_SECONDS = 2;

/** An error as a reply: exactly code, message and status, and the headers that its code demands. */
export function faultReply(fault: Fault, retryAfterSeconds?: number): Reply {
  const status = STATUS_OF[fault.code];
  const body = JSON.stringify({ code: fault.code, message: fault.message, status });
  return reply(status, body, faultFields(fault.code, retryAfterSeconds));
}

function faultFields(code: FaultCode, retryAfterSeconds: number | undefined): Fields {
  if (code === "missing_api_key") return { "WWW-Authenticate": CHALLENGE };
  if (code === "invalid_api_key") return { "WWW-Authenticate": `${CHALLENGE}, error="invalid_token"` };
  if (code === "request_timeout") return { Connection: "close" };
  if (code === "service_unavailable" || code === "idempotency_in_progress")
    return { "Retry-After": String(SHORTLY_SECONDS) };
  return retryAfterSeconds === undefined ? {} : { "Retry-After": String(retryAfterSeconds) };
}

/**
 * A response under /v1, whatever its status. The fields that belong to the request are set on every
 * one; a Response takes a copy of the headers, so a reply can be used again. Most of what a reply
 * shows to one caller it shows to the same one again, and that is not set twice.
 */
export function respond(reply: Reply, requestId: string, standing: Standing): Response {
  const { status, body, headers } = reply;
  const { shown, minute, day, atMs } = standing;
  if (!reply.shows || !isSameWindow(reply.shows, standing)) {
    headers.set("X-RateLimit-Limit", String(shown.quota));
    headers.set("X-RateLimit-Reset", String(toWholeSeconds(shown.resetAtMs)));
    headers.set("RateLimit-Policy", day ? `${policyItem(minute)}, ${policyItem(day)}` : policyItem(minute));
    reply.shows = standing;
  }
  headers.set("X-Request-Id", requestId);
  headers.set("X-RateLimit-Remaining", String(shown.remaining));
  headers.set("RateLimit", day ? `${limitItem(minute, atMs)}, ${limitItem(day, atMs)}` : limitItem(minute, atMs));
  return new Response(body, { status, headers });
}

const isSameWindow = (a: Standing, b: Standing): boolean =>
  a.shown.quota === b.shown.quota &&
  a.shown.resetAtMs === b.shown.resetAtMs &&
  a.minute.quota === b.minute.quota &&
  a.day?.quota === b.day?.quota;

const policyItem = ({ window, quota }: QuotaStanding): string =>
  `"${window.name}";q=${quota};w=${window.lengthMs / SECOND_MS}`;

const limitItem = ({ window, remaining, resetAtMs }: QuotaStanding, atMs: number): string =>
  `"${window.name}";r=${remaining};t=${Math.max(0, toWholeSeconds(resetAtMs - atMs))}`;
