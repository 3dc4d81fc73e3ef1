import type { BunRequest } from "bun";
import type { Awaitable } from "../domain/awaitable.ts";
import type { Fault } from "../domain/fault.ts";
import type { Key } from "../domain/key.ts";
import type { Fields } from "./letterhead.ts";
import type { Reply } from "./reply.ts";

/** A request that has passed the gate. */
export interface Call {
  /** The name of the operation that is called. */
  readonly operation: string;
  readonly request: BunRequest;
  readonly key: Key;
}

/** What stands in a path where its pattern has a name. */
export const paramOf = ({ params }: BunRequest, name: string): string =>
  (params as Readonly<Record<string, string>>)[name] ?? "";

/** One operation of the interface, under its name in the contract. */
export interface Operation {
  readonly name: string;
  readonly handle: (call: Call) => Awaitable<Reply | Fault>;
  /** On all responses of the operation, refusals included. */
  readonly fields?: Fields;
}

export type Method = "GET" | "POST" | "PATCH";

/** A path of the interface: which operation a method calls. HEAD is GET without the body. */
export type Resource = Partial<Record<Method, Operation>>;
