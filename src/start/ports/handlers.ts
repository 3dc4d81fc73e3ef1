import { andThen } from "../../base/time/awaitable.ts";
import type { Handler } from "../../http/pipeline/handler.ts";
import { endConnection } from "../../http/reply/header-template.ts";

/** The handlers of a port: by path, for everything else, and after a malfunction. */
export interface Handlers {
  readonly routes?: Readonly<Record<string, Handler>>;
  readonly fetch: Handler;
  readonly error?: (error: Error) => Response;
}

/** Makes each response of the handlers the last one of its connection. */
export const ending = (handlers: Handlers, onArrival: () => void, released?: Promise<void>): Handlers => {
  const end =
    (handle: Handler): Handler =>
    (request, server) => {
      onArrival();
      const response = andThen(handle(request, server), endConnection);
      return released ? Promise.all([response, released]).then(([response]) => response) : response;
    };
  const { routes = {}, fetch, error } = handlers;
  return {
    routes: Object.fromEntries(Object.entries(routes).map(([path, handle]) => [path, end(handle)])),
    fetch: end(fetch),
    ...(error ? { error: (thrown) => endConnection(error(thrown)) } : {}),
  };
};
