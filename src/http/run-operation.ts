import type { BunRequest, Server } from "bun";
import { readBearer } from "../access/bearer.ts";
import type { Pass } from "../access/gate.ts";
import { type Fields, InvalidRecord } from "../base/json/fields.ts";
import { type Awaitable, andThen } from "../base/time/awaitable.ts";
import type { Clock } from "../base/time/clock.ts";
import type { IdempotencyKey, IdempotentResult, SavedContent } from "../domain/idempotency.ts";
import { digestOf, hasRight, type Key } from "../domain/keys/key.ts";
import type { Right } from "../domain/keys/scope.ts";
import type { PreconditionFailed } from "../domain/tag.ts";
import type { ReplyCache } from "./cache/reply-cache.ts";
import type { AnyOperation, Call, Deprecation, OperationParts, PublicUrls } from "./declare/operation.ts";
import { hasPathParameter, type ParameterSet, readPath, readQuery } from "./declare/parameters.ts";
import type { BodyShape } from "./declare/schema.ts";
import { Fault, type Outcome } from "./faults/fault.ts";
import { IDEMPOTENCY_MISMATCH, invalidBody, preconditionFailed } from "./faults/faults.ts";
import { insufficientScope } from "./faults/refusal-faults.ts";
import type { HeaderFields } from "./reply/header-template.ts";
import { Reply } from "./reply/reply.ts";
import type { Addresses } from "./request/addresses.ts";
import { hasBody, readBody } from "./request/body.ts";
import { entityTag, isConditional, readPrecondition, unlessKnown } from "./request/conditions.ts";
import { fingerprintOf, readIdempotencyKey, type WithIdempotency } from "./request/idempotency.ts";

export interface RunParts extends OperationParts {
  readonly addresses: Addresses;
  readonly replyCache: Pick<ReplyCache, "answer">;
  readonly withIdempotency: WithIdempotency;
  /** Tells when a response was saved. */
  readonly steadyClock: Clock;
  readonly bodyTimeoutMs: number;
}

type AnyCall = Call<ParameterSet, Fields>;

const NO_BODY: Record<string, unknown> = {};
const EMPTY = { value: {} };
const REPLAYED: HeaderFields = { "Idempotency-Replayed": "true" };

/** An operation that can be called. */
export class RunnableOperation {
  readonly isWrite: boolean;
  private readonly ownHeaders = new WeakMap<PublicUrls, HeaderFields>();
  private readonly bodyFields: readonly string[];
  private readonly hasIdInPath: boolean;
  private readonly lacksScope: Fault | undefined;

  constructor(
    private readonly operation: AnyOperation,
    private readonly parts: RunParts,
  ) {
    const { method, parameters, body, scope } = operation;
    this.isWrite = method !== "GET";
    this.lacksScope = scope && insufficientScope(scope);
    this.hasIdInPath = hasPathParameter(parameters);
    this.bodyFields = Object.keys(body?.fields ?? {});
  }

  get name(): string {
    return this.operation.name;
  }

  /** The fault for a key that lacks the right; undefined if it has it. */
  refuse(key: Key): Fault | undefined {
    return this.lacksScope && !hasRight(key, this.operation.scope as Right) ? this.lacksScope : undefined;
  }

  /** The headers on all of its responses, refusals included: always the same object for the same addresses. */
  headersFor(request: Request, server: Server<undefined>): HeaderFields | undefined {
    const { deprecation } = this.operation;
    if (!deprecation) return undefined;
    const urls = this.parts.addresses.urlsFor(request, server);
    let headers = this.ownHeaders.get(urls);
    if (!headers) {
      headers = deprecationHeaders(deprecation, urls);
      this.ownHeaders.set(urls, headers);
    }
    return headers;
  }

  /** Runs the operation. A request meets, in this order: removal, path, body, query, conditions, then the work. */
  run(request: BunRequest, server: Server<undefined>, caller: Pass): Awaitable<Outcome> {
    const { deprecation, isPersonal } = this.operation;
    const { addresses, clock, replyCache } = this.parts;
    if (deprecation && clock.nowMs() >= deprecation.removedAtMs) return deprecation.removed;
    if (this.isWrite) return this.write(request, addresses.urlsFor(request, server), caller);
    // The key has no caller in it: a reply is the same for all, because a Call does not say who it is.
    const outcome = isPersonal
      ? this.read(request, server, caller)
      : replyCache.answer(addresses.cacheKeyFor(request, server), () => this.read(request, server));
    const ifNoneMatch = request.headers.get("if-none-match");
    return ifNoneMatch === null
      ? outcome
      : andThen(outcome, (known) => (known instanceof Fault ? known : unlessKnown(known, ifNoneMatch)));
  }

  private read(request: BunRequest, server: Server<undefined>, caller?: Pass): Awaitable<Outcome> {
    const { operation, parts } = this;
    const urls = parts.addresses.urlsFor(request, server);
    const parameters = this.hasIdInPath ? readPath(operation.parameters, request.params) : {};
    if (parameters instanceof Fault) return parameters;
    const fault = readQuery(operation.parameters, request.url, parameters);
    if (fault) return fault;
    const call = {
      parameters,
      body: NO_BODY,
      idempotencyKey: undefined,
      precondition: undefined,
      caller,
      secret: undefined,
    } as AnyCall;
    return andThen(operation.perform(call, parts), (result) => this.outcomeOf(result, urls, call));
  }

  private async write(request: BunRequest, urls: PublicUrls, caller: Pass): Promise<Outcome> {
    const { operation, parts } = this;
    const parameters = readPath(operation.parameters, request.params);
    if (parameters instanceof Fault) return parameters;
    const path = Object.values(parameters);
    const body = operation.body ? await this.readFields(request, operation.body) : NO_BODY;
    if (body instanceof Fault) return body;
    const fault = readQuery(operation.parameters, request.url, parameters);
    if (fault) return fault;
    const own = { caller, secret: operation.isPersonal ? secretOf(request) : undefined };
    const idempotencyKey = this.idempotencyKeyOf(request, caller.key, path, body, own.secret);
    if (idempotencyKey instanceof Fault) return idempotencyKey;
    const precondition = isConditional(operation.method) ? readPrecondition(request) : undefined;
    if (precondition instanceof Fault) return precondition;
    const call = { parameters, body, idempotencyKey, precondition, ...own } as AnyCall;
    const result = await (idempotencyKey
      ? parts.withIdempotency(idempotencyKey, async () => operation.perform(call, parts))
      : operation.perform(call, parts));
    return this.outcomeOf(result, urls, call);
  }

  private async readFields(request: Request, shape: BodyShape<Fields>): Promise<Record<string, unknown> | Fault> {
    const isLeftOut = this.operation.isBodyOptional && !hasBody(request);
    const json = isLeftOut ? EMPTY : await readBody(request, this.parts.bodyTimeoutMs);
    if (json instanceof Fault) return json;
    const fields = shape.parse(json.value);
    return fields instanceof InvalidRecord ? invalidBody(fields, this.hasIdInPath) : fields;
  }

  private idempotencyKeyOf(
    request: Request,
    key: Key,
    path: readonly unknown[],
    body: Record<string, unknown>,
    secret: string | undefined,
  ): IdempotencyKey | undefined | Fault {
    if (!this.operation.idempotency) return undefined;
    const value = readIdempotencyKey(request.headers.get("idempotency-key"));
    if (value === undefined || value instanceof Fault) return value;
    // With another secret, it is another request: only the presented one opens the saved response.
    const own = secret === undefined ? [] : [digestOf(secret)];
    const fingerprint = fingerprintOf(this.name, [...path, ...own, ...this.bodyFields.map((field) => body[field])]);
    return { keyId: key.id, value, fingerprint, nowMs: this.parts.steadyClock.nowMs() };
  }

  private outcomeOf(result: IdempotentResult<unknown, unknown> | Fault, urls: PublicUrls, call: AnyCall): Outcome {
    if (result instanceof Fault) return result;
    if (result.kind === "done") return this.render(result.value, urls, call);
    if (result.kind === "refused") return this.refusal(result.reason, call);
    return result.kind === "mismatch" ? IDEMPOTENCY_MISMATCH : this.replay(result.content, urls, call);
  }

  private refusal(reason: unknown, { precondition }: AnyCall): Fault {
    const isPrecondition = (reason as Partial<PreconditionFailed>).kind === "precondition_failed";
    const fault = isPrecondition ? preconditionFailed(precondition) : this.operation.refuse?.(reason);
    if (!fault) throw new Error(`${this.name} has no fault for a refusal`);
    return fault;
  }

  private render(value: unknown, urls: PublicUrls, call: AnyCall, more?: HeaderFields): Outcome {
    const { status, body, headers, tag, survivesAdditions } = this.operation.render(value, urls, call);
    return new Reply(
      status ?? this.operation.success.status,
      body,
      more ? { ...headers, ...more } : headers,
      tag && entityTag(tag),
      survivesAdditions,
    );
  }

  private replay(content: SavedContent<unknown>, urls: PublicUrls, call: AnyCall): Outcome {
    if (content.kind === "value") return this.render(content.value, urls, call, REPLAYED);
    const location = movedTo(urls, content.location);
    return new Reply(content.status, content.body, { Location: location, ...REPLAYED });
  }
}

/** The secret of a caller who was admitted with it. */
function secretOf({ headers }: Request): string {
  const credential = readBearer(headers.get("authorization"));
  if (credential.kind !== "secret") throw new Error("a caller was admitted without a secret");
  return credential.secret;
}

/** Moves a saved link to the current address: 127.0.0.1, for one, would lead a client to its own machine. */
const movedTo = ({ publicUrl }: PublicUrls, link: string): string =>
  publicUrl + link.slice(link.lastIndexOf("/v1/") + "/v1".length);

/** RFC 9745 and RFC 8594. */
export const deprecationHeaders = (
  { sinceMs, removedAtMs, successor }: Deprecation,
  { publicUrl, docsUrl }: PublicUrls,
) => ({
  Deprecation: `@${sinceMs / 1000}`,
  Sunset: new Date(removedAtMs).toUTCString(),
  Link: `<${docsUrl}>; rel="deprecation"; type="text/html", <${publicUrl}${successor}>; rel="successor-version"`,
});
