// Made from openapi.json by `npm run openapi`. Do not edit.

import type { CategoryId, Int64, Int64Input, OrderId, PetId } from "./int64.ts";

/**
 * Availability of the animal.
 *
 * @example
 * const petStatus: PetStatus = "available";
 */
export type PetStatus = "available" | "pending" | "sold";

/**
 * The state of the sale.
 *
 * @example
 * const orderStatus: OrderStatus = "placed";
 */
export type OrderStatus = "placed" | "approved" | "delivered" | "cancelled";

/**
 * An animal held in the store.
 *
 * @example
 * const pet: Pet = { id: "42", name: "Rex", categoryId: "7", status: "available" };
 */
export interface Pet {
  /**
   * Assigned by the service, in ascending order, and never reused.
   * @example "42"
   */
  readonly id: PetId;
  /**
   * The animal's name, returned exactly as it was sent. Not blank, no control characters.
   * @example "Rex"
   */
  readonly name: string;
  /**
   * Identifier of the category that the animal belongs to.
   * @example "7"
   */
  readonly categoryId: CategoryId;
  /** Availability of the animal. */
  readonly status: PetStatus;
}

/**
 * An animal to add. The service assigns its id. Without a status, the animal is available.
 *
 * @example
 * const newPet: NewPet = { name: "Rex", categoryId: 7 };
 */
export interface NewPet {
  /**
   * The animal's name, with at least one visible character, and without control characters or bidirectional controls
   * (U+202A to U+202E, U+2066 to U+2069). At most 255 characters.
   * @example "Rex"
   */
  readonly name: string;
  /**
   * Identifier of the category that the animal belongs to.
   * @example 7
   */
  readonly categoryId: Int64Input<CategoryId>;
  /** Availability of the animal. */
  readonly status?: PetStatus | undefined;
  /** Not part of the request. */
  readonly id?: undefined;
}

/**
 * What is to be different about the animal: at least one field. The others stay as they are.
 *
 * @example
 * const petUpdate: PetUpdate = { name: "Rexi" };
 */
export interface PetUpdate {
  /**
   * The animal's name, with at least one visible character, and without control characters or bidirectional controls
   * (U+202A to U+202E, U+2066 to U+2069). At most 255 characters.
   * @example "Rex"
   */
  readonly name?: string | undefined;
  /**
   * Identifier of the category that the animal belongs to.
   * @example 7
   */
  readonly categoryId?: Int64Input<CategoryId> | undefined;
  /** Availability of the animal. */
  readonly status?: PetStatus | undefined;
  /** Not part of the request. */
  readonly id?: undefined;
}

/**
 * A category that has a name.
 *
 * @example
 * const category: Category = { id: "7", name: "Dogs" };
 */
export interface Category {
  /**
   * The number that animals have as their `categoryId`. Chosen by whoever names the category.
   * @example "7"
   */
  readonly id: CategoryId;
  /**
   * The category's name, returned exactly as it was sent.
   * @example "Dogs"
   */
  readonly name: string;
}

/**
 * The name that the category is to have.
 *
 * @example
 * const categoryUpdate: CategoryUpdate = { name: "Dogs" };
 */
export interface CategoryUpdate {
  /**
   * The category's name, with at least one visible character, and without control characters or bidirectional controls
   * (U+202A to U+202E, U+2066 to U+2069). No two categories have the same name, whatever its case. At most 255
   * characters.
   * @example "Dogs"
   */
  readonly name: string;
  /** Not part of the request. */
  readonly id?: undefined;
}

/**
 * The sale of one animal.
 *
 * @example
 * const order: Order = {
 *   id: "7",
 *   petId: "42",
 *   status: "placed",
 *   placedAt: "2026-11-15T09:30:00.000Z",
 *   updatedAt: "2026-11-15T09:30:00.000Z",
 * };
 */
export interface Order {
  /**
   * Assigned by the service, in ascending order, and never reused.
   * @example "7"
   */
  readonly id: OrderId;
  /**
   * The animal being sold.
   * @example "42"
   */
  readonly petId: PetId;
  /** The state of the sale. */
  readonly status: OrderStatus;
  /** When it was placed. */
  readonly placedAt: string;
  /** When its status last changed. */
  readonly updatedAt: string;
  /**
   * What the caller knows the order by, such as a number of its own. Returned exactly as it was sent, and left out
   * where none was given. The same rules as for an animal's name; several orders may have the same one.
   * @example "INV-2026-0042"
   */
  readonly reference?: string;
}

/**
 * An order for one animal.
 *
 * @example
 * const orderPlacement: OrderPlacement = { petId: 42 };
 */
export interface OrderPlacement {
  /**
   * The animal being sold.
   * @example 42
   */
  readonly petId: Int64Input<PetId>;
  /**
   * What the caller knows the order by, such as a number of its own. Returned exactly as it was sent, and left out
   * where none was given. The same rules as for an animal's name; several orders may have the same one. At most 100
   * characters.
   * @example "INV-2026-0042"
   */
  readonly reference?: string | undefined;
  /** Not part of the request. */
  readonly id?: undefined;
  /** Not part of the request. */
  readonly status?: undefined;
  /** Not part of the request. */
  readonly placedAt?: undefined;
  /** Not part of the request. */
  readonly updatedAt?: undefined;
}

/**
 * The status that the order is to move to.
 *
 * @example
 * const orderUpdate: OrderUpdate = { status: "approved" };
 */
export interface OrderUpdate {
  /** The state of the sale. */
  readonly status: OrderStatus;
  /** Not part of the request. */
  readonly id?: undefined;
  /** Not part of the request. */
  readonly petId?: undefined;
  /** Not part of the request. */
  readonly placedAt?: undefined;
  /** Not part of the request. */
  readonly updatedAt?: undefined;
  /** Not part of the request. */
  readonly reference?: undefined;
}

/**
 * The key that a request was made with.
 *
 * @example
 * const key: Key = {
 *   id: "key_4fGh7KxQ2mZa",
 *   name: "front desk",
 *   plan: "free",
 *   scopes: ["pets:read", "pets:write", "orders:read", "orders:write"],
 *   rotation: false,
 *   expiresAt: "2027-06-30T23:59:59.999Z",
 *   quotas: [
 *     { window: "minute", limit: 60, remaining: 59, resetAt: "2026-11-15T09:31:00.000Z" },
 *     { window: "day", limit: 1000, remaining: 999, resetAt: "2026-11-16T09:30:00.000Z" },
 *   ],
 *   strikesLeft: 60,
 * };
 */
export interface Key {
  /**
   * What the operator knows it by. Not secret.
   * @example "key_4fGh7KxQ2mZa"
   */
  readonly id: string;
  /**
   * What the operator called it.
   * @example "front desk"
   */
  readonly name: string;
  /** Its plan. More may be added. */
  readonly plan: "free" | "pro" | "business" | "enterprise" | (string & {});
  /** What it may do. */
  readonly scopes: readonly ("pets:read" | "pets:write" | "orders:read" | "orders:write" | (string & {}))[];
  /** Whether it may rotate its own secret with `POST /key/rotate`. */
  readonly rotation: boolean;
  /** From when on it is no longer valid. Left out if it never expires. */
  readonly expiresAt?: string;
  /** How its quotas stand after this request, as the headers of the response have it. */
  readonly quotas: readonly Quota[];
  /** After how many more refused requests in this minute the key is temporarily banned. */
  readonly strikesLeft: number;
}

/**
 * The number of requests that a key may make in a window of time, and what remains of it.
 *
 * @example
 * const quota: Quota = { window: "minute", limit: 60, remaining: 59, resetAt: "2026-11-15T09:31:00.000Z" };
 */
export interface Quota {
  /** The period that the quota applies to. More may be added. */
  readonly window: "minute" | "day" | (string & {});
  /** The number of requests that the window allows. */
  readonly limit: number;
  /** The number of requests that remain. */
  readonly remaining: number;
  /** When it resets, in whole seconds. */
  readonly resetAt: string;
}

/**
 * What became of a key's requests in one minute, hour or day.
 *
 * @example
 * const usage: Usage = {
 *   startedAt: "2026-11-15T09:00:00.000Z",
 *   requests: 120,
 *   passed: 112,
 *   clientErrors: 5,
 *   refused: 3,
 *   refusedBy: { minuteQuota: 3, dayQuota: 0, ban: 0, scope: 0, noKey: 0, addressQuota: 0 },
 *   failed: 0,
 *   p50Ms: 1.2,
 *   p99Ms: 8.4,
 * };
 */
export interface Usage {
  /** When the minute, hour or day began. Days are those of UTC. */
  readonly startedAt: string;
  /** The requests in all. */
  readonly requests: number;
  /** Those that were answered with a status below 400. */
  readonly passed: number;
  /** Those that were answered with another status from 400 to 499 than a refusal has. */
  readonly clientErrors: number;
  /** Those that were refused with 429, or with 403. */
  readonly refused: number;
  /** Refused requests by reason. */
  readonly refusedBy: RefusalCounts;
  /** Those that failed on our side, with 500 or more. */
  readonly failed: number;
  /**
   * The time, in milliseconds, that half of the requests that were not refused took at most. Left out if there were
   * none.
   */
  readonly p50Ms?: number;
  /**
   * The time, in milliseconds, that 99 of 100 of the requests that were not refused took at most. Left out if there
   * were none.
   */
  readonly p99Ms?: number;
}

/**
 * Refused requests by reason.
 *
 * @example
 * const refusalCounts: RefusalCounts = { minuteQuota: 3, dayQuota: 0, ban: 0, scope: 0, noKey: 0, addressQuota: 0 };
 */
export interface RefusalCounts {
  /** The quota per minute was used up. */
  readonly minuteQuota: number;
  /** The quota per day was used up. */
  readonly dayQuota: number;
  /** The key was banned. */
  readonly ban: number;
  /** The key lacked the scope. */
  readonly scope: number;
  /** Always 0: a request without a valid key is of no key. */
  readonly noKey: number;
  /** Always 0, for the same reason. */
  readonly addressQuota: number;
}

/**
 * How a secret is to be replaced.
 *
 * @example
 * const secretRotation: SecretRotation = { overlapSeconds: 3600 };
 */
export interface SecretRotation {
  /**
   * How long the old secret keeps working, in seconds. Without it, for a day. From 60 to 31536000. By default 86400.
   * @example 3600
   */
  readonly overlapSeconds?: number | undefined;
  /** Not part of the request. */
  readonly id?: undefined;
  /** Not part of the request. */
  readonly secret?: undefined;
  /** Not part of the request. */
  readonly oldSecretExpiresAt?: undefined;
}

/**
 * A key with its new secret.
 *
 * @example
 * const rotatedKey: RotatedKey = {
 *   id: "key_4fGh7KxQ2mZa",
 *   secret: "ask_0123456789abcdefghijABCDEFGHIJ1Rl2Yb",
 *   oldSecretExpiresAt: "2026-11-15T10:30:00.000Z",
 * };
 */
export interface RotatedKey {
  /**
   * What the operator knows it by. Not secret.
   * @example "key_4fGh7KxQ2mZa"
   */
  readonly id: string;
  /**
   * The new secret. It is sent only now: store it before the old one stops working.
   * @example "ask_0123456789abcdefghijABCDEFGHIJ1Rl2Yb"
   */
  readonly secret: string;
  /** From when on the old secret is no longer valid. */
  readonly oldSecretExpiresAt: string;
}

/**
 * A request that was made with a key, and what came of it.
 *
 * @example
 * const keyRequest: KeyRequest = {
 *   id: "1794735000123456",
 *   at: "2026-11-15T09:30:00.123Z",
 *   method: "POST",
 *   path: "/v1/pets",
 *   status: 400,
 *   code: "missing_field",
 *   message: "\"name\" is missing. Add it to the body.",
 *   requestId: "7b1c7c3e-5a55-4b7e-9c0d-0b6f3f1f8f4e",
 *   idempotencyKey: "order-2026-0815",
 *   latencyMs: 0.412,
 * };
 */
export interface KeyRequest {
  /**
   * Assigned by the service: a later request has a greater one.
   * @example "1794735000123456"
   */
  readonly id: Int64;
  /** When it arrived. */
  readonly at: string;
  /**
   * Its method.
   * @example "POST"
   */
  readonly method: string;
  /**
   * Its path without the query; `…` stands for what is too long, or may have been a secret.
   * @example "/v1/pets"
   */
  readonly path: string;
  /**
   * The status that it was answered with.
   * @example 400
   */
  readonly status: number;
  /**
   * The code of the error, if it was one.
   * @example "missing_field"
   */
  readonly code?: string;
  /**
   * The message of the error, cut at 300 characters.
   * @example "\"name\" is missing. Add it to the body."
   */
  readonly message?: string;
  /**
   * The `X-Request-Id` of its response. A client may have chosen it, so it may occur again.
   * @example "7b1c7c3e-5a55-4b7e-9c0d-0b6f3f1f8f4e"
   */
  readonly requestId: string;
  /**
   * The `Idempotency-Key` that a write was sent with.
   * @example "order-2026-0815"
   */
  readonly idempotencyKey?: string;
  /**
   * How long the service took to answer, in milliseconds.
   * @example 0.412
   */
  readonly latencyMs: number;
}

/**
 * Which animals to list, and how.
 *
 * @example
 * const listPetsQuery: ListPetsQuery = { limit: 50, status: "available" };
 */
export interface ListPetsQuery {
  /**
   * Page size: the most to return. From 1 to 100. By default 20.
   * @example 50
   */
  readonly limit?: number | undefined;
  /**
   * Where the page begins. Opaque: the `nextCursor` of an earlier page. One of a search by `name` goes with that
   * `name`, any other one without `name`.
   * @example "000000000000002a"
   */
  readonly cursor?: string | undefined;
  /**
   * Return only animals with this status.
   * @example "available"
   */
  readonly status?: PetStatus | undefined;
  /**
   * Return only animals of this category. Not together with `name`.
   * @example 7
   */
  readonly categoryId?: Int64Input<CategoryId> | undefined;
  /**
   * Return only these animals, if they exist. Give several as an array. Not together with `name`. At most 100.
   * @example [42, 43]
   */
  readonly id?: Int64Input<PetId> | readonly Int64Input<PetId>[] | undefined;
  /**
   * `id`: by ascending id, as without it. `-id`: by descending id, the newest first. Not together with `name`.
   * @example "-id"
   */
  readonly sort?: "id" | "-id" | undefined;
  /**
   * Return only animals whose name begins with this, in upper or lower case. They are ordered by name, then by id. Goes
   * with `status`, but not with `categoryId`, `id` or `sort`, not even `sort=id`. Only with a `cursor` that was given
   * out for it. At most 255 characters.
   * @example "Re"
   */
  readonly name?: string | undefined;
}

/**
 * Which categories to list, and how.
 *
 * @example
 * const listCategoriesQuery: ListCategoriesQuery = { limit: 50, name: "Do" };
 */
export interface ListCategoriesQuery {
  /**
   * Page size: the most to return. From 1 to 100. By default 20.
   * @example 50
   */
  readonly limit?: number | undefined;
  /**
   * Where the page begins. Opaque: the `nextCursor` of an earlier page. One of a search by `name` goes with that
   * `name`, any other one without `name`.
   * @example "000000000000002a"
   */
  readonly cursor?: string | undefined;
  /**
   * Return only categories whose name begins with this, in upper or lower case. They are ordered by name. Only with a
   * `cursor` that was given out for it. At most 255 characters.
   * @example "Do"
   */
  readonly name?: string | undefined;
}

/**
 * Which orders to list, and how.
 *
 * @example
 * const listOrdersQuery: ListOrdersQuery = { limit: 50, status: "placed" };
 */
export interface ListOrdersQuery {
  /**
   * Page size: the most to return. From 1 to 100. By default 20.
   * @example 50
   */
  readonly limit?: number | undefined;
  /**
   * Where the page begins. Opaque: the `nextCursor` of an earlier page.
   * @example "000000000000002a"
   */
  readonly cursor?: string | undefined;
  /**
   * Return only orders with this status.
   * @example "placed"
   */
  readonly status?: OrderStatus | undefined;
  /**
   * Return only orders for this animal. Not together with `reference`.
   * @example 42
   */
  readonly petId?: Int64Input<PetId> | undefined;
  /**
   * `id`: by ascending id, as without it. `-id`: by descending id, the newest first.
   * @example "-id"
   */
  readonly sort?: "id" | "-id" | undefined;
  /**
   * Return only orders that were placed with exactly this reference. Goes with `status` and `sort`, but not with
   * `petId`. At most 100 characters.
   * @example "2026-0815"
   */
  readonly reference?: string | undefined;
}

/**
 * Get the usage of your key: which part of it.
 *
 * @example
 * const getKeyUsageQuery: GetKeyUsageQuery = { by: "hour", since: "2026-11-15T09:30:00Z" };
 */
export interface GetKeyUsageQuery {
  /**
   * What an entry is about. Without it, one that suits the time: by minute up to the last 100 minutes, then by hour up
   * to the last 100 hours, then by day. Usage is kept by minute for 6 hours, by hour for 31 days and by day for 400
   * days.
   * @example "hour"
   */
  readonly by?: "minute" | "hour" | "day" | undefined;
  /**
   * The first entry is the one that this time falls in. Without it, 24 hours ago. At most 744 entries are sent: a
   * longer time is refused.
   * @example "2026-11-15T09:30:00Z"
   */
  readonly since?: string | undefined;
}

/**
 * Which requests of your key to list, and how.
 *
 * @example
 * const listKeyRequestsQuery: ListKeyRequestsQuery = { limit: 50, status: "4xx" };
 */
export interface ListKeyRequestsQuery {
  /**
   * Page size: the most to return. From 1 to 100. By default 20.
   * @example 50
   */
  readonly limit?: number | undefined;
  /**
   * Where the page begins, to go on with older requests. Opaque: the `nextCursor` of an earlier page.
   * @example "000000000000002a"
   */
  readonly cursor?: string | undefined;
  /**
   * Return only requests with this status, such as `400`, or of this class, such as `4xx`.
   * @example "4xx"
   */
  readonly status?: string | undefined;
  /**
   * Return only requests with this error code. At most 64 characters.
   * @example "invalid_value"
   */
  readonly code?: string | undefined;
  /**
   * Return only requests from this moment on.
   * @example "2026-11-15T00:00:00Z"
   */
  readonly since?: string | undefined;
  /**
   * Return only requests from before this moment.
   * @example "2026-11-16T00:00:00Z"
   */
  readonly until?: string | undefined;
}

/**
 * The codes of the service's errors so far. More may be added.
 *
 * - `missing_api_key` (401): There is no `Authorization` header.
 * - `invalid_api_key` (401): The API key is malformed, unknown, expired, replaced, suspended or revoked.
 * - `insufficient_scope` (403): The API key is valid, but may not do this; `WWW-Authenticate` names the scope.
 * - `invalid_json` (400): The body is not valid JSON, contains a field twice, or has more than 64 values.
 * - `missing_field` (400): A required field is missing.
 * - `invalid_value` (400): A field has the wrong type or value.
 * - `unknown_field` (400): The body has a field that it must not have, such as `id`.
 * - `invalid_parameter` (400): A query parameter is unknown, repeated, invalid or not possible together with another,
 *   or the `Idempotency-Key`, `If-Match`, `If-None-Match` or `Host` header is invalid.
 * - `pet_not_found` (404): There is no animal with this id.
 * - `order_not_found` (404): There is no order with this id.
 * - `category_not_found` (404): There is no name for the category with this id.
 * - `not_found` (404): There is no such path.
 * - `method_not_allowed` (405): The path does not support the method; `Allow` lists the ones it does.
 * - `request_timeout` (408): The body took too long to arrive.
 * - `pet_not_available` (409): The animal is pending or sold, and cannot be ordered.
 * - `invalid_transition` (409): The order cannot move to this status.
 * - `pet_in_order` (409): An open order holds the animal, and its status follows that order.
 * - `pet_has_orders` (409): Orders refer to the animal, so it cannot be removed.
 * - `category_name_taken` (409): Another category has this name.
 * - `secret_replaced` (409): The secret has been replaced: only the newest one of a key may rotate.
 * - `too_many_rotations` (409): The holder of the key has rotated its secret five times in 24 hours.
 * - `idempotency_in_progress` (409): The first request with this `Idempotency-Key` is still in progress.
 * - `operation_removed` (410): The operation has been removed: `GET /pets/{petId}`, on 5 December 2030.
 * - `precondition_failed` (412): What is there now is not what `If-Match` or `If-None-Match` asks for.
 * - `payload_too_large` (413): The body is larger than 16 KiB, or was sent in more than 64 pieces.
 * - `unsupported_media_type` (415): There is no body, or it is not declared as `application/json`.
 * - `idempotency_mismatch` (422): The `Idempotency-Key` was used for a different request.
 * - `rate_limit_exceeded` (429): A quota is used up; `Retry-After` says how long to wait.
 * - `key_banned` (429): The key kept sending requests after 429; `Retry-After` says how long to wait.
 * - `internal_error` (500): Something unexpected happened; the log has the cause under the `X-Request-Id`.
 * - `service_unavailable` (503): The service cannot do this at the moment. The message says whether anything may have
 *   been changed.
 *
 * @example
 * const errorCode: ErrorCode = "pet_not_found";
 */
export type ErrorCode =
  | "missing_api_key"
  | "invalid_api_key"
  | "insufficient_scope"
  | "invalid_json"
  | "missing_field"
  | "invalid_value"
  | "unknown_field"
  | "invalid_parameter"
  | "pet_not_found"
  | "order_not_found"
  | "category_not_found"
  | "not_found"
  | "method_not_allowed"
  | "request_timeout"
  | "pet_not_available"
  | "invalid_transition"
  | "pet_in_order"
  | "pet_has_orders"
  | "category_name_taken"
  | "secret_replaced"
  | "too_many_rotations"
  | "idempotency_in_progress"
  | "operation_removed"
  | "precondition_failed"
  | "payload_too_large"
  | "unsupported_media_type"
  | "idempotency_mismatch"
  | "rate_limit_exceeded"
  | "key_banned"
  | "internal_error"
  | "service_unavailable";

/**
 * The ids of the operations, as in openapi.json. More may be added.
 *
 * @example
 * const operationId: OperationId = "listPets";
 */
export type OperationId =
  | "listPets"
  | "createPet"
  | "getPet"
  | "updatePet"
  | "deletePet"
  | "listCategories"
  | "getCategory"
  | "putCategory"
  | "deleteCategory"
  | "listOrders"
  | "placeOrder"
  | "getOrder"
  | "updateOrder"
  | "getKey"
  | "getKeyUsage"
  | "rotateKey"
  | "listKeyRequests";

/**
 * The fields and query parameters that are 64-bit integers.
 *
 * @internal
 */
export const INT64_FIELDS: readonly string[] = ["id", "categoryId", "petId"];
