import type { BunRequest, Server } from "bun";
import { isTrustedProxy, type TrustedProxies } from "../access/address.ts";
import type { Admission, Gate, Refusal } from "../access/gate.ts";
import { type Awaitable, andThen, orElse } from "../domain/awaitable.ts";
import type { Key } from "../domain/key.ts";
import type { Standing } from "../domain/tally.ts";
import { StoreUnavailable } from "../store/store.ts";
import type { FailureLog, Log } from "../telemetry/log.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import { callerAddress } from "./caller-address.ts";
import { asReply, type Fault, type Outcome } from "./fault.ts";
import { BAD_HOST, INTERNAL_ERROR, methodNotAllowed, NO_SUCH_PATH, OUTCOME_UNKNOWN, UNAVAILABLE } from "./faults.ts";
import type { RefusalFlood } from "./floods.ts";
import { CLOSE } from "./header-template.ts";
import type { Method } from "./operation.ts";
import { refusalFault } from "./refusal-faults.ts";
import type { Reply } from "./reply.ts";
import { loggedPath, requestIdOf } from "./request-id.ts";
import type { RunnableOperation } from "./run-operation.ts";
import { traceContextOf } from "./trace-context.ts";
import { hasUnreadBody } from "./unread-body.ts";

export type Handler = (request: BunRequest, server: Server<undefined>) => Awaitable<Response>;

/** The operations of one path, by method. HEAD is GET without the body. */
export type Resource = Partial<Record<Method, RunnableOperation>>;

export interface HandlerParts {
  readonly gate: Gate;
  readonly trustedProxies: TrustedProxies;
  /** While they are closing, every response is the last one of its connection. */
  readonly connections: { readonly areClosing: boolean };
  readonly telemetry: Telemetry;
  readonly log: Log;
  readonly failures: FailureLog;
  readonly logRequests: boolean;
  readonly refusalFlood: RefusalFlood;
}

/** A request under /v1 on its way to a response. */
interface Exchange {
  readonly request: BunRequest;
  readonly server: Server<undefined>;
  readonly requestId: string;
  readonly startedAtMs: number;
  readonly operation: RunnableOperation | undefined;
  admission: Admission | undefined;
  /** Whether whatever else the caller sends now is certain to be refused too. */
  isHopeless: boolean;
}

/** What a request under /v1 meets, in this order: key and limits, path, method, scope, then the operation. */
export class V1Handler {
  private readonly isTimed: boolean;
  private readonly noOperation: Fault;

  constructor(
    private readonly parts: HandlerParts,
    private readonly resource: Resource | undefined,
  ) {
    this.isTimed = parts.telemetry.isOn || parts.logRequests;
    this.noOperation = resource ? methodNotAllowed(allowedMethods(resource)) : NO_SUCH_PATH;
  }

  readonly handle: Handler = (request, server) => {
    const exchange: Exchange = {
      request,
      server,
      requestId: requestIdOf(request),
      startedAtMs: this.isTimed ? performance.now() : 0,
      operation: this.resource?.[methodOf(request)],
      admission: undefined,
      isHopeless: false,
    };
    return orElse(
      () => this.answer(exchange),
      (error) => this.answerMalfunction(exchange, error),
    );
  };

  private answer(exchange: Exchange): Awaitable<Response> {
    const authorization = exchange.request.headers.get("authorization");
    return andThen(
      this.parts.gate.admit(authorization, () => this.addressOf(exchange)),
      (admission) => {
        exchange.admission = admission;
        return andThen(this.outcomeOf(exchange, admission), (outcome) =>
          this.respond(exchange, asReply(outcome), admission.standing),
        );
      },
    );
  }

  private outcomeOf(exchange: Exchange, admission: Admission): Awaitable<Outcome> {
    const { request, operation } = exchange;
    if (admission.kind === "refusal") {
      const refused = this.refuse(exchange, admission);
      exchange.isHopeless = isHopeless(admission);
      return hasRepeatedHost(request) ? BAD_HOST : refused;
    }
    if (hasRepeatedHost(request)) return BAD_HOST;
    if (!operation) return this.noOperation;
    if (hasBadHost(request)) return BAD_HOST;
    return this.refuseKey(operation, admission.key) ?? operation.run(request, admission);
  }

  private refuse({ request, requestId }: Exchange, refusal: Refusal): Fault {
    const { telemetry, log } = this.parts;
    const fault = refusalFault(refusal);
    telemetry.refusal(fault.code);
    if (refusal.reason.kind === "banned" && refusal.reason.isNew) {
      telemetry.ban();
      log.warn({ requestId, keyId: refusal.key?.id, ...traceContextOf(request) }, "key banned");
    }
    return fault;
  }

  private refuseKey(operation: RunnableOperation, key: Key): Fault | undefined {
    const fault = operation.refuse(key);
    if (fault) this.parts.telemetry.refusal(fault.code);
    return fault;
  }

  private answerMalfunction(exchange: Exchange, error: unknown): Awaitable<Response> {
    const { failures, gate } = this.parts;
    const { request, requestId } = exchange;
    failures.report("request failed", error, { requestId, ...traceContextOf(request) });
    const { reply } = this.malfunctionFault(exchange, error);
    const standing = exchange.admission?.standing ?? gate.countAddress(this.addressOf(exchange));
    return andThen(standing, (standing) => this.respond(exchange, reply, standing));
  }

  private malfunctionFault(exchange: Exchange, error: unknown): Fault {
    if (!(error instanceof StoreUnavailable)) return INTERNAL_ERROR;
    this.parts.telemetry.storeError();
    return error.changed === "nothing" && !this.mayBeResent(exchange) ? UNAVAILABLE : OUTCOME_UNKNOWN;
  }

  /** A proxy sends a write with a key to one instance after another: what is certain here may not be so elsewhere. */
  private mayBeResent(exchange: Exchange): boolean {
    const { operation, request } = exchange;
    return operation?.isWrite === true && request.headers.has("idempotency-key") && this.isFromProxy(exchange);
  }

  private respond(exchange: Exchange, reply: Reply, standing: Standing): Awaitable<Response> {
    const { request, operation, requestId, isHopeless } = exchange;
    if (this.isTimed) this.record(exchange, reply.status);
    const isLast =
      this.parts.connections.areClosing ||
      hasUnreadBody(request) ||
      (isHopeless && !this.isFromProxy(exchange)) ||
      // Bun takes its connection for a tunnel, and never answers on it again.
      (!operation && request.method === "CONNECT");
    let { template } = reply;
    if (operation?.headers) template = template.with(operation.headers);
    if (isLast) template = template.with(CLOSE);
    const headers = template.fill(requestId, standing, reply.headers, reply.etag);
    const response = new Response(reply.body, { status: reply.status, headers });
    return isHopeless ? this.parts.refusalFlood.bound(response) : response;
  }

  private record({ request, requestId, startedAtMs, operation, admission }: Exchange, status: number): void {
    const { telemetry, log, logRequests } = this.parts;
    const seconds = (performance.now() - startedAtMs) / 1000;
    const name = operation?.name ?? "none";
    telemetry.request(name, status, seconds);
    if (!logRequests) return;
    const { method } = request;
    const ms = Math.round(seconds * 1e6) / 1e3;
    const path = loggedPath(request.url);
    const keyId = admission?.key?.id;
    log.info({ requestId, method, path, operation: name, status, ms, keyId, ...traceContextOf(request) }, "request");
  }

  private addressOf({ request, server }: Exchange): string {
    return callerAddress(request, server, this.parts.trustedProxies);
  }

  /** A proxy's connection carries the requests of others too. */
  private isFromProxy({ request, server }: Exchange): boolean {
    const { trustedProxies } = this.parts;
    return trustedProxies !== undefined && isTrustedProxy(server.requestIP(request)?.address ?? "", trustedProxies);
  }
}

/**
 * Callers whose next requests are certain to be refused too. Their connections are closed, since many requests may be
 * waiting in them, and refusing each of them would delay others.
 */
const isHopeless = ({ reason }: Refusal): boolean => reason.kind === "banned" || reason.kind === "address_exhausted";

const methodOf = (request: Request): Method => (request.method === "HEAD" ? "GET" : request.method) as Method;

const allowedMethods = (resource: Resource): string =>
  Object.keys(resource)
    .flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]))
    .join(", ");

/** Bun joins the values of a header that was sent twice, and takes the URL from the first one. */
export const hasRepeatedHost = (request: Request): boolean => request.headers.get("host")?.includes(",") ?? false;

/** Bun leaves the URL relative when the Host header is not a host. HTTP/1.0 may do without one. */
const hasBadHost = (request: Request): boolean => request.url.startsWith("/") && Boolean(request.headers.get("host"));
