import type { OperationId } from "./wire/types.ts";

/**
 * The methods of the interface.
 *
 * @example
 * const isRead = (method: HttpMethod) => method === "GET";
 */
export type HttpMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * The name of a call: the id of an operation in openapi.json, or method and path of a `store.request`.
 *
 * @example
 * const isListing = (operation: Operation) => operation === "listPets" || operation === "GET /pets";
 */
export type Operation = OperationId | `${HttpMethod} ${string}`;

/** The part of a request that its errors tell. */
export interface Asked {
  readonly operation: Operation;
  readonly method: HttpMethod;
  readonly url: string;
}
