import { orElse } from "../base/time/awaitable.ts";
import { type Handler, isRead, wrapped } from "../http/pipeline/handler.ts";
import { requestIdOf } from "../http/pipeline/request-id.ts";
import { hasKnownHost } from "../http/request/known-hosts.ts";
import { plainPaths } from "../http/request/plain-path.ts";
import { createPages } from "./assets/pages.ts";
import { type CallerOf, createApi, requestLogOf, responseTo } from "./dispatcher.ts";
import { MALFUNCTION, methodNotAllowed, NO_SUCH_PATH, UNKNOWN_HOST } from "./fault.ts";
import type { ConsoleParts } from "./handler.ts";
import { ROUTES } from "./routes.ts";

const ONLY_GET = methodNotAllowed("GET, HEAD");

/** Everything below /console: the API of the pages, which needs a session; their assets; and the single page. */
export function createConsole(parts: ConsoleParts, callerOf: CallerOf) {
  const pages = createPages(parts.settings.base);
  const notFound: Handler = (request, server) => responseTo(NO_SUCH_PATH, callerOf(request, server));
  const reading =
    (read: Handler): Handler =>
    (request, server) =>
      isRead(request) ? read(request, server) : responseTo(ONLY_GET, callerOf(request, server));
  const asset: Handler = async (request, server) =>
    (await pages.asset((request.params as { name: string }).name, request)) ?? notFound(request, server);
  const page: Handler = (request) => pages.page(request);
  const routes: Record<string, Handler> = {
    ...createApi(parts, ROUTES, callerOf),
    "/console/assets/:name": reading(asset),
    "/console/assets/*": notFound,
    ...plainPaths("/console", reading(page), notFound),
  };
  const forKnownHosts =
    (handle: Handler): Handler =>
    (request, server) => {
      const caller = callerOf(request, server);
      return hasKnownHost(caller.origin, parts.settings.knownHostNames)
        ? handle(request, server)
        : responseTo(UNKNOWN_HOST, caller);
    };
  const requestLog = requestLogOf(parts);
  /** The last resort, for what a handler has not answered itself. */
  const safely =
    (handle: Handler): Handler =>
    (request, server) =>
      orElse(
        () => handle(request, server),
        (error) => {
          // Finding out who is calling may be what has failed.
          const exchange = { request, requestId: requestIdOf(request) };
          requestLog.failed(exchange, error);
          return responseTo(MALFUNCTION, exchange);
        },
      );
  return wrapped({ routes, fetch: notFound }, (handle) => safely(forKnownHosts(handle)));
}
