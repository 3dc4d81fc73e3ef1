import type { BunRequest, Server } from "bun";
import { isTrustedProxy, type TrustedProxies } from "../access/address.ts";
import type { Admission, Gate, Refusal } from "../access/gate.ts";
import { type Awaitable, andThen, orElse } from "../base/time/awaitable.ts";
import type { Key } from "../domain/keys/key.ts";
import type { QuotaStatus } from "../domain/limits/tally.ts";
import { outcomeOf } from "../domain/usage/usage.ts";
import { StoreUnavailable } from "../store/ports/store.ts";
import type { FailureLog, Log, RefusalLog } from "../telemetry/log.ts";
import type { Telemetry, UsageCount } from "../telemetry/telemetry.ts";
import type { Cors } from "./cors/cors.ts";
import type { Method } from "./declare/operation.ts";
import { asReply, Fault, type Outcome } from "./faults/fault.ts";
import {
  BAD_HOST,
  INTERNAL_ERROR,
  methodNotAllowed,
  NO_SUCH_PATH,
  OUTCOME_UNKNOWN,
  UNAVAILABLE,
} from "./faults/faults.ts";
import { refusalFault } from "./faults/refusal-faults.ts";
import { usageRefusal } from "./faults/usage.ts";
import { callerAddress } from "./pipeline/caller-address.ts";
import type { Handler } from "./pipeline/handler.ts";
import { loggedPath, requestIdOf } from "./pipeline/request-id.ts";
import { traceContextOf } from "./pipeline/trace-context.ts";
import { hasUnreadBody } from "./pipeline/unread-body.ts";
import type { HeldFlood } from "./reply/floods.ts";
import { CLOSE } from "./reply/header-template.ts";
import type { RunnableOperation } from "./run-operation.ts";

/** The operations of one path, by method. HEAD is GET without the body. */
export type Resource = Partial<Record<Method, RunnableOperation>>;

export interface HandlerParts {
  readonly gate: Gate;
  readonly trustedProxies: TrustedProxies;
  /** While they are closing, every response is the last one of its connection. */
  readonly connections: { readonly areClosing: boolean };
  readonly telemetry: Telemetry;
  readonly usage: UsageCount;
  readonly log: Log;
  readonly failures: FailureLog;
  readonly refusals: RefusalLog;
  readonly logRequests: boolean;
  readonly refusalFlood: HeldFlood;
  /** Undefined: no other origin is allowed anything. */
  readonly cors: Cors | undefined;
}

/** A request under /v1 on its way to a response. */
interface Exchange {
  readonly request: BunRequest;
  readonly server: Server<undefined>;
  readonly requestId: string;
  readonly startedAtMs: number;
  readonly operation: RunnableOperation | undefined;
  admission: Admission | undefined;
  address: string | undefined;
  /** Whether the key, or the lack of one, is why it is not carried out. */
  isRefused: boolean;
  /** Whether whatever else the caller sends now is certain to be refused too. */
  isHopeless: boolean;
}

/** What a request under /v1 meets, in this order: key and limits, path, method, scope, then the operation. */
export class V1Handler {
  private readonly isReported: boolean;
  private readonly noOperation: Fault;

  constructor(
    private readonly parts: HandlerParts,
    private readonly resource: Resource | undefined,
  ) {
    this.isReported = parts.telemetry.isOn || parts.logRequests;
    this.noOperation = resource ? methodNotAllowed(allowedMethods(resource, parts.cors)) : NO_SUCH_PATH;
  }

  readonly handle: Handler = (request, server) => {
    const exchange: Exchange = {
      request,
      server,
      requestId: requestIdOf(request),
      startedAtMs: performance.now(),
      operation: this.resource?.[methodOf(request)],
      admission: undefined,
      address: undefined,
      isRefused: false,
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
          this.respond(exchange, outcome, admission.quotaStatus),
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
    return this.refuseKey(exchange, operation, admission.key) ?? operation.run(request, exchange.server, admission);
  }

  private refuse(exchange: Exchange, refusal: Refusal): Fault {
    const { telemetry, log } = this.parts;
    const fault = refusalFault(refusal);
    exchange.isRefused = true;
    telemetry.refusal(fault.code);
    if (refusal.reason.kind === "banned" && refusal.reason.isNew) {
      telemetry.ban();
      const { request, requestId } = exchange;
      const who = { address: this.addressOf(exchange), keyId: refusal.key?.id, code: fault.code };
      log.warn({ requestId, ...who, ...traceContextOf(request) }, "key banned");
    }
    return fault;
  }

  private refuseKey(exchange: Exchange, operation: RunnableOperation, key: Key): Fault | undefined {
    const fault = operation.refuse(key);
    if (!fault) return undefined;
    exchange.isRefused = true;
    this.parts.telemetry.refusal(fault.code);
    return fault;
  }

  private answerMalfunction(exchange: Exchange, error: unknown): Awaitable<Response> {
    const { failures, gate } = this.parts;
    const { request, requestId } = exchange;
    failures.report("request failed", error, { requestId, ...traceContextOf(request) });
    const fault = this.malfunctionFault(exchange, error);
    const quotaStatus = exchange.admission?.quotaStatus ?? gate.countAddress(this.addressOf(exchange));
    return andThen(quotaStatus, (quotaStatus) => this.respond(exchange, fault, quotaStatus));
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

  private respond(exchange: Exchange, outcome: Outcome, quotaStatus: QuotaStatus): Awaitable<Response> {
    const { request, server, operation, requestId, isHopeless } = exchange;
    const { connections, cors } = this.parts;
    const reply = asReply(outcome);
    this.record(exchange, outcome, reply.status, quotaStatus.atMs);
    const isLast =
      connections.areClosing ||
      hasUnreadBody(request) ||
      (isHopeless && !this.isFromProxy(exchange)) ||
      // Bun takes its connection for a tunnel, and never answers on it again.
      (!operation && request.method === "CONNECT");
    let { template } = reply;
    const ownHeaders = operation?.headersFor(request, server);
    if (ownHeaders) template = template.with(ownHeaders);
    if (cors) template = template.with(cors(request));
    if (isLast) template = template.with(CLOSE);
    const headers = template.fill(requestId, quotaStatus, reply.headers, reply.etag);
    const response = new Response(reply.body, { status: reply.status, headers });
    return isHopeless ? this.parts.refusalFlood.bound(response) : response;
  }

  private record(exchange: Exchange, outcome: Outcome, status: number, atMs: number): void {
    const { telemetry, usage, logRequests } = this.parts;
    const { startedAtMs, operation, admission } = exchange;
    const tookMs = performance.now() - startedAtMs;
    const counted = outcomeOf(admission && usageRefusal(admission, status), status);
    usage.count(admission?.counted, counted, tookMs, atMs);
    if (this.isReported) {
      telemetry.request(operation?.name ?? "none", status, tookMs / 1000);
      if (admission?.key) telemetry.requestOfKey(admission.key.id, counted);
    }
    if (logRequests || exchange.isRefused) this.logRequest(exchange, outcome, status, tookMs);
  }

  private logRequest(exchange: Exchange, outcome: Outcome, status: number, tookMs: number): void {
    const { log, logRequests, refusals } = this.parts;
    const { keyId, reason } = refusedAs(exchange.admission);
    const code = outcome instanceof Fault ? outcome.code : undefined;
    if (code && exchange.isRefused && !(logRequests && refusals.mayLogEach()))
      refusals.report(code, keyId ?? this.addressOf(exchange), () => ({
        code,
        reason,
        address: this.addressOf(exchange),
        keyId,
        request: lineOf(exchange, status, tookMs),
      }));
    else {
      const address = this.addressOf(exchange);
      log.info({ ...lineOf(exchange, status, tookMs), address, keyId, code, reason }, "request");
    }
  }

  /** Asked for only by those who need it: finding it out takes microseconds. */
  private addressOf(exchange: Exchange): string {
    exchange.address ??= callerAddress(exchange.request, exchange.server, this.parts.trustedProxies);
    return exchange.address;
  }

  /** A proxy's connection carries the requests of others too. */
  private isFromProxy({ request, server }: Exchange): boolean {
    const { trustedProxies } = this.parts;
    return trustedProxies !== undefined && isTrustedProxy(server.requestIP(request)?.address ?? "", trustedProxies);
  }
}

/** Whose request it was, and why the gate refused it if it did: one code stands for several reasons. */
function refusedAs(admission: Admission | undefined): { keyId: string | undefined; reason: string | undefined } {
  if (admission?.kind !== "refusal") return { keyId: admission?.key.id, reason: undefined };
  return { keyId: admission.key?.id ?? admission.invalidKeyId, reason: admission.reason.kind };
}

/** What is logged of a request, whatever comes of it. */
export function lineOf(
  { request, requestId, operation }: Pick<Exchange, "request" | "requestId" | "operation">,
  status: number,
  tookMs: number,
): object {
  const { method } = request;
  const path = loggedPath(request.url);
  const ms = Math.round(tookMs * 1e3) / 1e3;
  return { requestId, method, path, operation: operation?.name ?? "none", status, ms, ...traceContextOf(request) };
}

/**
 * Callers whose next requests are certain to be refused too. Their connections are closed, since many requests may be
 * waiting in them, and refusing each of them would delay others.
 */
const isHopeless = ({ reason }: Refusal): boolean => reason.kind === "banned" || reason.kind === "address_exhausted";

const methodOf = (request: Request): Method => (request.method === "HEAD" ? "GET" : request.method) as Method;

/** As in Allow. OPTIONS is answered only where browsers may ask for permission by it. */
export const allowedMethods = (resource: Resource, cors: Cors | undefined): string =>
  Object.keys(resource)
    .flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]))
    .concat(cors ? "OPTIONS" : [])
    .join(", ");

/** Bun joins the values of a header that was sent twice, and takes the URL from the first one. */
export const hasRepeatedHost = (request: Request): boolean => request.headers.get("host")?.includes(",") ?? false;

/** Bun leaves the URL relative when the Host header is not a host. HTTP/1.0 may do without one. */
const hasBadHost = (request: Request): boolean => request.url.startsWith("/") && Boolean(request.headers.get("host"));
