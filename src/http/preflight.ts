import { type Cors, isAllowed } from "./cors/cors.ts";
import { callerAddress } from "./pipeline/caller-address.ts";
import type { Handler } from "./pipeline/handler.ts";
import { requestIdOf } from "./pipeline/request-id.ts";
import { RequestLog } from "./pipeline/request-log.ts";
import { hasUnreadBody } from "./pipeline/unread-body.ts";
import type { HeldFloods } from "./reply/floods.ts";
import { endConnection, type HeaderFields } from "./reply/header-template.ts";
import { allowedMethods, type HandlerParts, hasRepeatedHost, type Resource } from "./v1-handler.ts";

// Before a script of another origin may send its key, the browser asks for permission by a request without one: a
// preflight. It uses no quota: otherwise a page would exhaust its visitors' quotas before its first real request.

/** `*` allows any header, but not Authorization, and older browsers take it for a name. */
const REQUEST_HEADERS = [
  "Authorization",
  "Content-Type",
  "Idempotency-Key",
  "If-Match",
  "If-None-Match",
  "X-Request-Id",
  "traceparent",
  "tracestate",
  "User-Agent",
  "*",
].join(", ");

/** Chromium caches a permission no longer than this. */
const MAX_AGE_SECONDS = 7_200;

/** Allowed for a path that does not exist, so that the script can read the 404. */
const ANY_METHOD = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

/**
 * Answers OPTIONS to anyone, even while the service starts, and leaves everything else to the handler of the path. The
 * response depends on the origin alone, and has no headers about limits: there is no caller to have them.
 */
export function answeringOptions(
  parts: HandlerParts,
  cors: Cors,
  floods: HeldFloods,
  resource: Resource | undefined,
  handle: Handler,
): Handler {
  const { telemetry, logRequests, trustedProxies } = parts;
  const requestLog = new RequestLog(parts);
  const ownFields: HeaderFields = resource ? { Allow: allowedMethods(resource, cors) } : {};
  const permission: HeaderFields = {
    "Access-Control-Allow-Methods": ownFields.Allow ?? ANY_METHOD,
    "Access-Control-Allow-Headers": REQUEST_HEADERS,
    "Access-Control-Max-Age": String(MAX_AGE_SECONDS),
  };
  const isAnswered = (request: Request): boolean =>
    request.method === "OPTIONS" && !hasRepeatedHost(request) && (resource !== undefined || isPreflight(request));

  return (request, server) => {
    if (!isAnswered(request)) return handle(request, server);
    const startedAtMs = performance.now();
    const requestId = requestIdOf(request);
    const fields = cors(request);
    const headers = {
      "Cache-Control": "no-store",
      "X-Request-Id": requestId,
      ...ownFields,
      ...fields,
      ...(isAllowed(fields) ? permission : {}),
    };
    const response = new Response(null, { status: 204, headers });
    const tookMs = performance.now() - startedAtMs;
    telemetry.request("none", response.status, tookMs / 1000);
    const address = callerAddress(request, server, trustedProxies);
    if (logRequests) {
      const exchange = { request, requestId, startedAtMs, address };
      requestLog.answered(exchange, { operation: "none", status: response.status, tookMs });
    }
    return floods.bound(address, hasUnreadBody(request) ? endConnection(response) : response, request);
  };
}

const isPreflight = ({ headers }: Request): boolean =>
  headers.has("origin") && headers.has("access-control-request-method");
