import type { Fault, FaultCode } from "../domain/fault.ts";
import type { Standing } from "../domain/tally.ts";
import { type Fields, Letterhead } from "./letterhead.ts";

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

/** What is answered, but for what belongs to the request alone: it may answer more than one. */
export interface Reply {
  readonly status: number;
  /** JSON text; as a Blob when it is to be sent often, since that is encoded once. */
  readonly body: string | Blob;
  readonly letterhead: Letterhead;
  /** The value of the field that the letterhead's responses differ in, if there is one. */
  readonly value: string;
}

export const reply = (status: number, body: string, letterhead = PLAIN, value = ""): Reply => ({
  status,
  body,
  letterhead,
  value,
});

const PLAIN = new Letterhead();
const RETRY_LATER = new Letterhead({}, "Retry-After");
const CLOSE = new Letterhead({ Connection: "close" });
const CHALLENGE = 'Bearer realm="animal-store"';
const NO_KEY = new Letterhead({ "WWW-Authenticate": CHALLENGE });
const WRONG_KEY = new Letterhead({ "WWW-Authenticate": `${CHALLENGE}, error="invalid_token"` });
/** For a moment that will pass: no clock says when. */
const SHORTLY_SECONDS = 2;

/** What is sent again and again: a Blob goes out as it is, a text is encoded for every answer. */
export const encoded = (reply: Reply): Reply =>
  typeof reply.body === "string" ? { ...reply, body: new Blob([reply.body]) } : reply;

/** Whoever is refused without a valid key is so many times in a row, with the same fault. */
let latest: { readonly fault: Fault; reply: Reply } | undefined;

/** An error as a reply: exactly code, message and status, and the headers that its code demands. */
export function faultReply(fault: Fault, retryAfterSeconds?: number): Reply {
  if (retryAfterSeconds !== undefined) return newFaultReply(fault, retryAfterSeconds);
  if (fault === latest?.fault) latest.reply = encoded(latest.reply);
  else latest = { fault, reply: newFaultReply(fault) };
  return latest.reply;
}

function newFaultReply(fault: Fault, retryAfterSeconds?: number): Reply {
  const { code } = fault;
  const status = STATUS_OF[code];
  const body = errorJson(fault, status);
  if (code === "missing_api_key") return reply(status, body, NO_KEY);
  if (code === "invalid_api_key") return reply(status, body, WRONG_KEY);
  if (code === "request_timeout") return reply(status, body, CLOSE);
  const isPassing = code === "service_unavailable" || code === "idempotency_in_progress";
  const seconds = isPassing ? SHORTLY_SECONDS : retryAfterSeconds;
  return seconds === undefined ? reply(status, body) : reply(status, body, RETRY_LATER, String(seconds));
}

const errorJson = ({ code, message }: Fault, status: number): string =>
  `{"code":"${code}","message":${JSON.stringify(message)},"status":${status}}`;

/** A response under /v1, with the fields that its operation has on all of them. */
export function respond(
  { status, body, letterhead, value }: Reply,
  requestId: string,
  standing: Standing,
  fields: Fields | undefined,
): Response {
  const dressed = fields ? letterhead.with(fields) : letterhead;
  return new Response(body, { status, headers: dressed.headersFor(requestId, standing, value) });
}
