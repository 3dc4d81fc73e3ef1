import type { BunRequest, Server } from "bun";
import type { Awaitable } from "../../base/time/awaitable.ts";

/** Answers the requests of one route. */
export type Handler = (request: BunRequest, server: Server<undefined>) => Awaitable<Response>;

/** A handler outside /v1, where paths have no parameters. */
export type PublicPage = (request: Request, server: Server<undefined>) => Awaitable<Response>;

/** The handlers of a port: by path, for everything else, and after a malfunction. */
export interface Handlers {
  readonly routes?: Readonly<Record<string, Handler>>;
  readonly fetch: Handler;
  readonly error?: (error: Error) => Response;
}

/** Wraps each handler of a port; that of malfunctions is left out. */
export const wrapped = ({ routes = {}, fetch }: Handlers, wrap: (handle: Handler) => Handler) => ({
  routes: Object.fromEntries(Object.entries(routes).map(([path, handle]) => [path, wrap(handle)])),
  fetch: wrap(fetch),
});

export const isRead = ({ method }: Request): boolean => method === "GET" || method === "HEAD";
