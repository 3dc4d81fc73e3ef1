import type { BunRequest, Server } from "bun";
import type { Logger } from "pino";
import { clientAddress, type TrustedProxies } from "../access/address.ts";
import type { Gate, Pass, Refusal } from "../access/gate.ts";
import { Fault } from "../domain/fault.ts";
import { type Key, withoutSecrets } from "../domain/key.ts";
import type { Standing } from "../domain/tally.ts";
import { StoreUnavailable } from "../store/store.ts";
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
  readonly log: Logger;
  readonly logRequests: boolean;
}

type Handler = (request: BunRequest, server: Server<undefined>) => Promise<Response>;

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
  const allow = resource && allowedMethods(resource);
  const notAllowed = allow && new Fault("method_not_allowed", `This path knows only ${allow}. Use one of them.`);

  return async function handleV1(request, server) {
    const startedAt = performance.now();
    const requestId = requestIdOf(request);
    const operation = resource?.[methodOf(request)];
    let standing: Standing | undefined;
    let admission: Pass | Refusal | undefined;
    let reply: Reply;
    try {
      admission = await gate.admit(request.headers.get("authorization"), () => addressOf(request, server));
      standing = admission.standing;
      if (admission.kind === "refusal") {
        noteRefusal(admission);
        reply = faultReply(admission.fault, admission.retryAfterSeconds);
      } else reply = await perform(request, admission.key, operation);
    } catch (error) {
      standing ??= await gate.standingOf(addressOf(request, server));
      reply = faultReply(faultOfMalfunction(error, requestId));
    }
    const operationName = operation?.name ?? "none";
    const seconds = (performance.now() - startedAt) / 1000;
    telemetry.request(operationName, reply.status, seconds);
    if (logRequests) logRequest(request, requestId, operationName, reply.status, seconds, admission?.key?.id);
    return respond(reply, { requestId, standing, operationHeaders: operation?.headers });
  };

  async function perform(request: BunRequest, key: Key, operation: Operation | undefined): Promise<Reply> {
    if (!notAllowed) return faultReply(NO_RESOURCE);
    if (!operation) {
      const { status, body } = faultReply(notAllowed);
      return { status, body, headers: { Allow: allow as string } };
    }
    if (hasBadHost(request)) return faultReply(BAD_HOST);
    const outcome = await operation.handle({ operation: operation.name, request, key, params: request.params });
    return outcome instanceof Fault ? faultReply(outcome) : outcome;
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

  function addressOf(request: Request, server: Server<undefined>): string {
    const peer = server.requestIP(request)?.address ?? "unknown";
    return clientAddress(peer, request.headers.get("x-forwarded-for"), trustedProxies);
  }

  function logRequest(
    request: Request,
    requestId: string,
    operation: string,
    status: number,
    seconds: number,
    keyId?: string,
  ): void {
    const path = pathOf(request.url);
    log.info(
      { requestId, method: request.method, path, operation, status, ms: Math.round(seconds * 1e6) / 1e3, keyId },
      "request",
    );
  }
}

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

const SANE_REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** A proxy's own id is kept, so that both logs can be read together. */
function requestIdOf(request: Request): string {
  const given = request.headers.get("x-request-id");
  const isSane = given !== null && SANE_REQUEST_ID.test(given) && withoutSecrets(given) === given;
  return isSane ? given : crypto.randomUUID();
}

/** Bun leaves the URL relative when the Host header is no host. HTTP/1.0 may do without one. */
const hasBadHost = (request: Request): boolean => request.url.startsWith("/") && Boolean(request.headers.get("host"));

/** Without the query, which may hold what does not belong in a log. */
function pathOf(url: string): string {
  const path = url.startsWith("/") ? url : url.slice(url.indexOf("/", "https://".length));
  return withoutSecrets(path.split("?", 1)[0] as string);
}
