import { andThen } from "../../base/time/awaitable.ts";
import { type Handlers, wrapped } from "../../http/pipeline/handler.ts";
import { endConnection } from "../../http/reply/header-template.ts";

/** Makes each response of the handlers the last one of its connection. */
export function ending(handlers: Handlers, onArrival: () => void, released?: Promise<void>): Handlers {
  const ended = wrapped(handlers, (handle) => (request, server) => {
    onArrival();
    const response = andThen(handle(request, server), endConnection);
    return released ? Promise.all([response, released]).then(([response]) => response) : response;
  });
  const { error } = handlers;
  return error ? { ...ended, error: (thrown) => endConnection(error(thrown)) } : ended;
}
