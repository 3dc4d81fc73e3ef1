import type { BunRequest, Server } from "bun";
import type { Awaitable } from "../../base/time/awaitable.ts";

/** Answers the requests of one route. */
export type Handler = (request: BunRequest, server: Server<undefined>) => Awaitable<Response>;

/** A handler outside /v1, where paths have no parameters. */
export type PublicPage = (request: Request, server: Server<undefined>) => Awaitable<Response>;

export const isRead = ({ method }: Request): boolean => method === "GET" || method === "HEAD";
