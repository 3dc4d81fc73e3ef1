import type { BunRequest, Server } from "bun";
import { isTrustedProxy, type TrustedProxies } from "../access/address.ts";
import type { Admission, Gate } from "../access/gate.ts";
import { type Awaitable, andThen } from "../base/time/awaitable.ts";
import type { QuotaStatus } from "../domain/limits/tally.ts";
import { DAY } from "../domain/limits/window.ts";
import { outcomeOf, type UsageRefusal } from "../domain/usage/usage.ts";
import { StoreUnavailable } from "../store/ports/store.ts";
import type { RequestKeep, Telemetry, UsageCount } from "../telemetry/telemetry.ts";
import type { Cors } from "./cors/cors.ts";
import type { AnyOperation, Method } from "./declare/operation.ts";
import { asReply, FAULTS, Fault, type Outcome } from "./faults/fault.ts";
import {
  BAD_HOST,
  INTERNAL_ERROR,
  methodNotAllowed,
  NO_SUCH_PATH,
  OUTCOME_UNKNOWN,
  UNAVAILABLE,
} from "./faults/faults.ts";
import { refusalFault } from "./faults/refusal-faults.ts";
import { callerAddress } from "./pipeline/caller-address.ts";
import type { Handler } from "./pipeline/handler.ts";
import { type Exchange, Pipeline } from "./pipeline/pipeline.ts";
import { requestIdOf } from "./pipeline/request-id.ts";
import { RequestLog, type RequestLogParts } from "./pipeline/request-log.ts";
import { traceContextOf } from "./pipeline/trace-context.ts";
import { hasUnreadBody } from "./pipeline/unread-body.ts";
import type { HeldFlood } from "./reply/floods.ts";
import { CLOSE } from "./reply/header-template.ts";
import { keptRequest } from "./request/kept-request.ts";
import { RunnableOperation, type RunParts } from "./run-operation.ts";

/** The operations of one path, by method. HEAD is GET without the body. */
export type Resource = Partial<Record<Method, RunnableOperation>>;

/** The resources of /v1 by path, as Bun's router writes it: `/pets/{petId}` is `/v1/pets/:petId`. */
export function resourcesOf(operations: readonly AnyOperation[], parts: RunParts): Record<string, Resource> {
  const resources: Record<string, Resource> = {};
  for (const operation of operations) {
    const path = `/v1${operation.path.replaceAll(/\{(\w+)\}/g, ":$1")}`;
    resources[path] = { ...resources[path], [operation.method]: new RunnableOperation(operation, parts) };
  }
  return resources;
}

export interface HandlerParts extends RequestLogParts {
  readonly gate: Gate;
  readonly trustedProxies: TrustedProxies;
  /** While they are closing, every response ends its connection. */
  readonly connections: { readonly areClosing: boolean };
  readonly telemetry: Telemetry;
  readonly usage: UsageCount;
  /** Undefined: no requests are kept. */
  readonly requestKeep?: RequestKeep | undefined;
  readonly refusalFlood: Pick<HeldFlood, "bound">;
  /** Undefined: no other origin may read responses. */
  readonly cors: Cors | undefined;
}

/** A request under /v1. */
class V1Exchange implements Exchange {
  readonly requestId: string;
  readonly startedAtMs = performance.now();
  private knownAddress: string | undefined;

  constructor(
    readonly request: BunRequest,
    readonly server: Server<undefined>,
    readonly operation: RunnableOperation | undefined,
    private readonly trustedProxies: TrustedProxies,
  ) {
    this.requestId = requestIdOf(request);
  }

  /** Computed on demand: it takes microseconds. */
  get address(): string {
    this.knownAddress ??= callerAddress(this.request, this.server, this.trustedProxies);
    return this.knownAddress;
  }

  get isWrite(): boolean {
    return this.operation?.isWrite === true;
  }

  /** True: a trusted proxy sent it. Such a connection carries requests of other clients too. */
  get isFromProxy(): boolean {
    const { request, server, trustedProxies } = this;
    return trustedProxies !== undefined && isTrustedProxy(server.requestIP(request)?.address ?? "", trustedProxies);
  }
}

/** The gate has failed: the caller is unknown, and the request is counted for its address. */
interface Unidentified {
  readonly kind: "unidentified";
  readonly quotaStatus: QuotaStatus;
  readonly key?: never;
  readonly counted?: never;
}

type V1Admission = Admission | Unidentified;

/** Answers requests under /v1. They meet, in this order: key and limits, path, method, scope, then the operation. */
export class V1Handler extends Pipeline<V1Exchange, Admission, Unidentified, Outcome> {
  private readonly isReported: boolean;
  private readonly noOperation: Fault;
  private readonly requestLog: RequestLog;

  constructor(
    private readonly parts: HandlerParts,
    private readonly resource: Resource | undefined,
  ) {
    super();
    this.isReported = parts.telemetry.isOn || parts.logRequests;
    this.noOperation = resource ? methodNotAllowed(allowedMethods(resource, parts.cors)) : NO_SUCH_PATH;
    this.requestLog = new RequestLog(parts);
  }

  readonly handle: Handler = (request, server) =>
    this.answer(new V1Exchange(request, server, this.resource?.[methodOf(request)], this.parts.trustedProxies));

  protected admit(exchange: V1Exchange): Awaitable<Admission> {
    return this.parts.gate.admit(exchange.request.headers.get("authorization"), () => exchange.address);
  }

  protected admitUnidentified({ address }: V1Exchange): Awaitable<Unidentified> {
    return andThen(this.parts.gate.countAddress(address), (quotaStatus) => ({ kind: "unidentified", quotaStatus }));
  }

  protected carryOut({ request, server, operation }: V1Exchange, admission: Admission): Awaitable<Outcome> {
    if (hasRepeatedHost(request)) return BAD_HOST;
    if (admission.kind === "refusal") return refusalFault(admission);
    if (!operation) return this.noOperation;
    if (hasBadHost(request)) return BAD_HOST;
    return operation.refuse(admission.key) ?? operation.run(request, server, admission);
  }

  protected malfunction(exchange: V1Exchange, error: unknown): Fault {
    this.requestLog.failed(exchange, error);
    if (!(error instanceof StoreUnavailable)) return INTERNAL_ERROR;
    this.parts.telemetry.storeError();
    return error.changed === "nothing" && !mayBeResent(exchange) ? UNAVAILABLE : OUTCOME_UNKNOWN;
  }

  protected respond(exchange: V1Exchange, admission: V1Admission, outcome: Outcome): Awaitable<Response> {
    const { request, server, operation, requestId } = exchange;
    const { connections, cors, refusalFlood } = this.parts;
    const reply = asReply(outcome);
    const isHopeless = hasNoHope(admission);
    const isLast =
      connections.areClosing ||
      hasUnreadBody(request) ||
      (isHopeless && !exchange.isFromProxy) ||
      // Bun takes the connection for a tunnel, and never answers on it again.
      (!operation && request.method === "CONNECT");
    let { template } = reply;
    const ownHeaders = operation?.headersFor(request, server);
    if (ownHeaders) template = template.with(ownHeaders);
    if (cors) template = template.with(cors(request));
    if (isLast) template = template.with(CLOSE);
    const headers = template.fill(requestId, admission.quotaStatus, reply.headers, reply.etag);
    const response = new Response(reply.body, { status: reply.status, headers });
    // Last, because a response that fails is made again.
    this.record(exchange, admission, outcome, reply.status);
    return isHopeless ? refusalFlood.bound(response, request) : response;
  }

  private record(exchange: V1Exchange, admission: V1Admission, outcome: Outcome, status: number): void {
    const { telemetry, usage, requestKeep, logRequests } = this.parts;
    const { startedAtMs, operation } = exchange;
    const tookMs = performance.now() - startedAtMs;
    const refusal = refusalOf(admission, status);
    const counted = outcomeOf(refusal, status);
    const { atMs } = admission.quotaStatus;
    usage.count(admission.counted, counted, tookMs, atMs);
    if (admission.key && requestKeep?.wants(admission.key.id, status, atMs))
      requestKeep.keep(keptRequest(exchange, admission.key.id, { outcome, status, tookMs }), atMs);
    if (this.isReported) {
      telemetry.request(operation?.name ?? "none", status, tookMs / 1000);
      if (admission.key) telemetry.requestOfKey(admission.key.id, counted);
    }
    if (!logRequests && refusal === undefined) return;
    const code = outcome instanceof Fault ? outcome.code : undefined;
    const { keyId, reason } = refusedAs(admission);
    if (code && refusal !== undefined) this.recordRefusal(exchange, admission, code);
    const refusedCaller = refusal && (keyId ?? exchange.address);
    const name = operation?.name ?? "none";
    this.requestLog.answered(exchange, { operation: name, status, tookMs, keyId, code, reason, refusedCaller });
  }

  private recordRefusal(exchange: V1Exchange, admission: V1Admission, code: string): void {
    const { telemetry, log } = this.parts;
    telemetry.refusal(code);
    if (admission.kind !== "refusal" || admission.reason.kind !== "banned" || !admission.reason.isNew) return;
    telemetry.ban();
    const { request, requestId, address } = exchange;
    log.warn({ requestId, address, keyId: admission.key?.id, code, ...traceContextOf(request) }, "key banned");
  }
}

/** A proxy tries a write with an idempotency key on one instance after another: others may have made the change. */
const mayBeResent = (exchange: V1Exchange): boolean =>
  exchange.isWrite && exchange.request.headers.has("idempotency-key") && exchange.isFromProxy;

const [LACKS_SCOPE] = FAULTS.insufficient_scope;

/** Why a request was refused, as usage is counted; undefined if it reached its operation, or the path has none. */
function refusalOf(admission: V1Admission, status: number): UsageRefusal | undefined {
  if (admission.kind === "unidentified") return undefined;
  if (admission.kind === "pass") return status === LACKS_SCOPE ? "scope" : undefined;
  const { kind } = admission.reason;
  if (kind === "exhausted") return admission.quotaStatus.shown.window.name === DAY.name ? "day_quota" : "minute_quota";
  if (kind === "banned") return "banned";
  return kind === "address_exhausted" ? "address_quota" : "no_key";
}

/** The key of a request, and why the gate refused it if it did: one code stands for several reasons. */
function refusedAs(admission: V1Admission): { keyId: string | undefined; reason: string | undefined } {
  if (admission.kind !== "refusal") return { keyId: admission.key?.id, reason: undefined };
  return { keyId: admission.key?.id ?? admission.invalidKeyId, reason: admission.reason.kind };
}

/**
 * Returns whether the caller's next requests are certain to be refused too. Then the connection is closed: many
 * requests may be waiting in it, and refusing each of them would delay others.
 */
const hasNoHope = (admission: V1Admission): boolean =>
  admission.kind === "refusal" && (admission.reason.kind === "banned" || admission.reason.kind === "address_exhausted");

const methodOf = (request: Request): Method => (request.method === "HEAD" ? "GET" : request.method) as Method;

/** The value of Allow. OPTIONS is answered only where CORS is on, for preflights. */
export const allowedMethods = (resource: Resource, cors: Cors | undefined): string =>
  Object.keys(resource)
    .flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]))
    .concat(cors ? "OPTIONS" : [])
    .join(", ");

/** Bun joins the values of a header that was sent twice, and takes the URL from the first one. */
export const hasRepeatedHost = (request: Request): boolean => request.headers.get("host")?.includes(",") ?? false;

/** Bun leaves the URL relative when the Host header is not a host. HTTP/1.0 may do without one. */
const hasBadHost = (request: Request): boolean => request.url.startsWith("/") && Boolean(request.headers.get("host"));
