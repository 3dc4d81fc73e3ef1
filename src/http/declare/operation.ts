import type { Gate, Pass } from "../../access/gate.ts";
import type { Fields, Parsed } from "../../base/json/fields.ts";
import { done } from "../../base/result.ts";
import { type Awaitable, andThen } from "../../base/time/awaitable.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { EnvironmentName } from "../../domain/environment.ts";
import type { IdempotencyKey, IdempotentResult } from "../../domain/idempotency.ts";
import type { Right } from "../../domain/keys/scope.ts";
import type { Precondition, PreconditionFailed } from "../../domain/tag.ts";
import type { Store } from "../../store/ports/store.ts";
import type { Fault } from "../faults/fault.ts";
import type { HeaderFields } from "../reply/header-template.ts";
import type { ParameterSet, ParameterValues } from "./parameters.ts";
import type { BodyShape, NamedSchema } from "./schema.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The addresses under which clients find the service. */
export interface PublicUrls {
  /** The base address of the API, without a trailing slash. */
  readonly publicUrl: string;
  readonly docsUrl: string;
  readonly environment: EnvironmentName;
  /** The base address of the other environment, if it is known. */
  readonly otherUrl: string | undefined;
}

export interface OperationParts extends Pick<Store, "animals" | "categories" | "orders"> {
  readonly keyStore: Pick<Store["keys"], "rotateOwn">;
  readonly usageStore: Pick<Store["usage"], "ofKey" | "keptRequests">;
  /** New secrets name it. */
  readonly environment: EnvironmentName;
  readonly clock: Clock;
  readonly gate: Gate;
}

/** A valid request for an operation. */
export interface Call<Known extends ParameterSet, Body extends Fields> {
  readonly parameters: ParameterValues<Known>;
  readonly body: Parsed<Body>;
  readonly idempotencyKey: IdempotencyKey | undefined;
  /** From If-Match or If-None-Match. */
  readonly precondition: Precondition | undefined;
  /** Undefined for a read that is not personal: it answers every caller alike. */
  readonly caller: Pass | undefined;
  /** The secret that the caller of a personal write has presented. */
  readonly secret: string | undefined;
}

/** A successful response. */
export interface Rendered {
  /** Defaults to the status of the operation's success. */
  readonly status?: number;
  /** JSON; null when there is no body. */
  readonly body: string | null;
  readonly headers?: HeaderFields | undefined;
  /** The content of the ETag; absent: there is none. */
  readonly tag?: string;
  /** True: it would be the same after any number of animals were added. */
  readonly survivesAdditions?: boolean | undefined;
}

/**
 * One complete operation of the API. Routes and the OpenAPI document derive from it: parameters and body are parsed by
 * the declarations that document them, and the examples of errors are the faults that are sent.
 */
export interface Operation<Known extends ParameterSet, Body extends Fields, Value, Reason> {
  /** Its name in the contract. */
  readonly name: string;
  readonly method: Method;
  readonly path: `/${string}`;
  readonly tag: Tag;
  /** The right that a key needs, usually a scope; undefined: any key will do. */
  readonly scope: Right | undefined;
  /** True: the response depends on the caller. */
  readonly isPersonal?: true;
  readonly summary: string;
  readonly description: string;
  readonly parameters: Known;
  readonly body?: BodyShape<Body>;
  /** A request without a body is one with an empty object. */
  readonly isBodyOptional?: true;
  /** Present if it takes an Idempotency-Key, as every write does. */
  readonly idempotency?: true;
  readonly deprecation?: Deprecation;
  readonly success: Success;
  /** A second status that it may succeed with. */
  readonly otherSuccess?: Success;
  /** Examples of the faults that this operation adds to the common ones, and to those of its path parameters. */
  readonly faults?: readonly Fault[];
  /** The query of the sample request. */
  readonly sampleQuery?: string;
  readonly perform: (
    call: Call<Known, Body>,
    parts: OperationParts,
  ) => Awaitable<IdempotentResult<Value, Reason> | Fault>;
  readonly render: (value: Value, urls: PublicUrls, call: Call<Known, Body>) => Rendered;
  /** The fault of a write that the store refuses. A failed precondition has the same one in all operations. */
  refuse?(reason: Exclude<Reason, PreconditionFailed>): Fault;
}

/** Returns whether a response has an ETag: with content, unless it is personal. */
export const isTagged = ({ isPersonal }: AnyOperation, { schema }: Success): boolean =>
  !isPersonal && schema !== undefined;

/** A group of operations in the document. */
interface Tag {
  readonly name: string;
  readonly description: string;
}

export interface Success {
  readonly status: number;
  readonly description: string;
  /** Absent when there is no body. */
  readonly schema?: NamedSchema;
  readonly examples?: Readonly<Record<string, unknown>>;
  /** The headers that a response always has besides the common ones, and those that it may have. */
  readonly headers?: readonly string[];
  readonly optionalHeaders?: readonly string[];
}

export interface Deprecation {
  readonly sinceMs: number;
  readonly removedAtMs: number;
  /** The fault from that moment on. */
  readonly removed: Fault;
  /** The path of its replacement. */
  readonly successor: string;
}

// biome-ignore lint/suspicious/noExplicitAny: operations of any kind; each knows its own values
export type AnyOperation = Operation<any, any, any, any>;

/** Lets TypeScript infer what an operation's functions take. */
export const operation = <Known extends ParameterSet, Value, Reason = never, Body extends Fields = Fields>(
  declaration: Operation<Known, Body, Value, Reason>,
): Operation<Known, Body, Value, Reason> => declaration;

/** The outcome of looking something up: a fault if there is nothing. */
export const foundOr = <Value>(fault: Fault, value: Awaitable<Value | undefined>) =>
  andThen(value, (found) => (found ? done(found) : fault));
