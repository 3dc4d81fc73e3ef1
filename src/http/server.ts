import type { BunRequest, Server } from "bun";
import { clientAddress, type TrustedProxies } from "../access/address.ts";
import type { Gate, Pass, Refusal } from "../access/gate.ts";
import { type Awaitable, andThen } from "../domain/awaitable.ts";
import { Fault } from "../domain/fault.ts";
import { withoutSecrets } from "../domain/key.ts";
import type { Standing } from "../domain/tally.ts";
import type { Log } from "../log.ts";
import { StoreUnavailable } from "../store/store.ts";
import { Letterhead } from "./letterhead.ts";
import type { Method, Operation, Resource } from "./operation.ts";
import { type Page, publicError } from "./page.ts";
import { faultReply, type Reply, respond } from "./reply.ts";
import type { Telemetry } from "./telemetry.ts";

export interface ServerParts {
  readonly resources: Readonly<Record<string, Resource>>;
  readonly pages: Readonly<Record<string, Page>>;
  readonly gate: Gate;
  readonly trustedProxies: TrustedProxies;
  readonly telemetry: Telemetry;
  readonly log: Log;
  readonly logRequests: boolean;
}

type Handler = (request: BunRequest, server: Server<undefined>) => Awaitable<Response>;

/** A request under /v1 on its way to an answer. */
interface Exchange {
  readonly request: BunRequest;
  readonly server: Server<undefined>;
  readonly requestId: string;
  readonly startedAtMs: number;
  readonly operation: Operation | undefined;
  admission: Pass | Refusal | undefined;
}

/** Every path as Bun's router wants it, and what answers where no path matches. */
export function createHandlers(parts: ServerParts) {
  const routes: Record<string, Handler> = {};
  for (const [path, resource] of Object.entries(parts.resources)) routes[path] = v1Handler(parts, resource);
  for (const path of ["/v1", "/v1/*"]) routes[path] = v1Handler(parts, undefined);
  for (const [path, page] of Object.entries(parts.pages)) routes[path] = pageHandler(parts, page);
  return {
    routes,
    fetch: async () => publicError(NO_PAGE),
    /** The last resort: a fault in what answers faults. */
    error(error: Error) {
      parts.log.error({ err: error }, "answer failed");
      return publicError(UNFORESEEN);
    },
  };
}

const NO_PAGE = new Fault("not_found", "There is nothing here. The API is under /v1, its reference at /docs.");
export const NO_RESOURCE = new Fault("not_found", "There is no such path in v1. The reference at /docs has them all.");
export const UNFORESEEN = new Fault(
  "internal_error",
  "Something went wrong on our side. Try again, or report the X-Request-Id.",
);
export const UNAVAILABLE = new Fault(
  "service_unavailable",
  "The store cannot do this now, and nothing was changed. Try again shortly.",
);
const UNCERTAIN = new Fault(
  "service_unavailable",
  "The store went away before it answered, and the change may have been made or not. Look, or retry with the same Idempotency-Key.",
);
const BAD_HOST = new Fault(
  "invalid_parameter",
  "The Host header is not a host name. Send the host that you connect to.",
);

/** What a request under /v1 meets, in this order: key and limits, path, method, then the operation. */
function v1Handler(parts: ServerParts, resource: Resource | undefined): Handler {
  const { gate, trustedProxies, telemetry, log, logRequests } = parts;
  const isTimed = telemetry.isOn || logRequests;
  const notAllowed = resource && notAllowedReply(allowedMethods(resource));

  return function handleV1(request, server) {
    const exchange: Exchange = {
      request,
      server,
      requestId: requestIdOf(request),
      startedAtMs: isTimed ? performance.now() : 0,
      operation: resource?.[methodOf(request)],
      admission: undefined,
    };
    // Written out for both cases, here and in the steps below: most requests wait for nothing.
    try {
      const admission = gate.admit(request.headers.get("authorization"), () => addressOf(exchange));
      const response =
        admission instanceof Promise
          ? admission.then((admission) => proceed(exchange, admission))
          : proceed(exchange, admission);
      return response instanceof Promise ? response.catch((error) => malfunction(exchange, error)) : response;
    } catch (error) {
      return malfunction(exchange, error);
    }
  };

  function proceed(exchange: Exchange, admission: Pass | Refusal): Awaitable<Response> {
    exchange.admission = admission;
    const { standing } = admission;
    const reply = answer(exchange, admission);
    return reply instanceof Promise
      ? reply.then((reply) => finish(exchange, reply, standing))
      : finish(exchange, reply, standing);
  }

  function answer({ request, operation }: Exchange, admission: Pass | Refusal): Awaitable<Reply> {
    if (admission.kind === "refusal") {
      noteRefusal(admission);
      return faultReply(admission.fault, admission.retryAfterSeconds);
    }
    if (!notAllowed) return faultReply(NO_RESOURCE);
    if (!operation) return notAllowed;
    if (hasBadHost(request)) return faultReply(BAD_HOST);
    const outcome = operation.handle({ operation: operation.name, request, key: admission.key });
    return outcome instanceof Promise ? outcome.then(asReply) : asReply(outcome);
  }

  function malfunction(exchange: Exchange, error: unknown): Awaitable<Response> {
    const reply = faultReply(faultOfMalfunction(error, exchange.requestId));
    const standing = exchange.admission?.standing ?? gate.standingOf(addressOf(exchange));
    return andThen(standing, (standing) => finish(exchange, reply, standing));
  }

  function finish(exchange: Exchange, reply: Reply, standing: Standing): Response {
    const { operation, requestId, startedAtMs } = exchange;
    if (isTimed) {
      const seconds = (performance.now() - startedAtMs) / 1000;
      telemetry.request(operation?.name ?? "none", reply.status, seconds);
      if (logRequests) logRequest(exchange, reply.status, seconds);
    }
    return respond(reply, requestId, standing, operation?.fields);
  }

  function noteRefusal({ fault, key, isNewBan }: Refusal): void {
    telemetry.refusal(fault.code);
    if (!isNewBan) return;
    telemetry.ban();
    log.warn({ keyId: key?.id }, "key banned");
  }

  function faultOfMalfunction(error: unknown, requestId: string): Fault {
    log.error({ err: error, requestId }, "request failed");
    if (!(error instanceof StoreUnavailable)) return UNFORESEEN;
    telemetry.storeError();
    return error.changed === "nothing" ? UNAVAILABLE : UNCERTAIN;
  }

  function addressOf({ request, server }: Exchange): string {
    const peer = server.requestIP(request)?.address ?? "unknown";
    return clientAddress(peer, trustedProxies ? request.headers.get("x-forwarded-for") : null, trustedProxies);
  }

  function logRequest({ request, requestId, operation, admission }: Exchange, status: number, seconds: number): void {
    log.info(
      {
        requestId,
        method: request.method,
        path: pathOf(request.url),
        operation: operation?.name ?? "none",
        status,
        ms: Math.round(seconds * 1e6) / 1e3,
        keyId: admission?.key?.id,
      },
      "request",
    );
  }
}

const asReply = (outcome: Reply | Fault): Reply => (outcome instanceof Fault ? faultReply(outcome) : outcome);

/** GET and HEAD for anyone. */
function pageHandler({ log }: ServerParts, page: Page): Handler {
  return async function handlePage(request) {
    if (methodOf(request) !== "GET") {
      const allow = "GET, HEAD";
      return publicError(new Fault("method_not_allowed", `This page knows only ${allow}.`), { Allow: allow });
    }
    try {
      return await page();
    } catch (error) {
      log.error({ err: error, path: pathOf(request.url) }, "page failed");
      return publicError(UNFORESEEN);
    }
  };
}

const methodOf = (request: Request): Method => (request.method === "HEAD" ? "GET" : request.method) as Method;

function allowedMethods(resource: Resource): string {
  return Object.keys(resource)
    .flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]))
    .join(", ");
}

function notAllowedReply(allow: string): Reply {
  const fault = new Fault("method_not_allowed", `This path knows only ${allow}. Use one of them.`);
  return { ...faultReply(fault), letterhead: new Letterhead({ Allow: allow }) };
}

const SANE_REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** A proxy's own id is kept, so that both logs can be read together. */
function requestIdOf(request: Request): string {
  const given = request.headers.get("x-request-id");
  if (given === null) return newRequestId();
  const isSane = SANE_REQUEST_ID.test(given) && withoutSecrets(given) === given;
  return isSane ? given : newRequestId();
}

const IDS_AT_ONCE = 128;
const freshIds: string[] = [];

/** Many at once cost much less each than one at a time, between two requests. */
function newRequestId(): string {
  if (freshIds.length === 0) for (let i = 0; i < IDS_AT_ONCE; i++) freshIds.push(crypto.randomUUID());
  return freshIds.pop() as string;
}

/** Bun leaves the URL relative when the Host header is no host. HTTP/1.0 may do without one. */
const hasBadHost = (request: Request): boolean => request.url.startsWith("/") && Boolean(request.headers.get("host"));

/** Without the query, which may hold what does not belong in a log. */
function pathOf(url: string): string {
  const path = url.startsWith("/") ? url : url.slice(url.indexOf("/", "https://".length));
  return withoutSecrets(path.split("?", 1)[0] as string);
}
