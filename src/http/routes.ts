import { andThen } from "../domain/awaitable.ts";
import { BAD_HOST, NO_SUCH_PAGE } from "./faults.ts";
import { type Handler, type HandlerParts, hasRepeatedHost, type Resource, V1Handler } from "./handler.ts";
import { OPERATIONS } from "./operations/index.ts";
import { PageFlood } from "./page-flood.ts";
import { type PageParts, publicPages } from "./pages/index.ts";
import { answerFailed, type PublicPage, pageHandler, publicError } from "./pages/page.ts";
import { RunnableOperation, type RunParts } from "./run-operation.ts";
import { closingUnreadBodies } from "./unread-body.ts";

export interface RouteParts extends RunParts, HandlerParts, PageParts {}

/** Everything that the server answers: the interface, which needs a key; pages and probes, which do not; and the rest. */
export function createRoutes(parts: RouteParts) {
  const routes: Record<string, Handler> = {};
  const flood = new PageFlood();
  /** What V1Handler does for requests under /v1: two Host headers are refused, and floods are bounded. */
  const outside =
    (handler: Handler): Handler =>
    (request, server) =>
      andThen(hasRepeatedHost(request) ? publicError(BAD_HOST) : handler(request, server), (response) =>
        flood.bound(response),
      );
  for (const [path, resource] of Object.entries(v1Resources(parts)))
    routes[path] = new V1Handler(parts, resource).handle;
  for (const path of ["/v1", "/v1/*"]) routes[path] = new V1Handler(parts, undefined).handle;
  for (const [path, page] of Object.entries<PublicPage>(publicPages(parts)))
    routes[path] = outside(pageHandler(parts.failures, page));
  for (const path in routes) routes[path] = closingUnreadBodies(routes[path] as Handler);
  return {
    routes,
    fetch: closingUnreadBodies(outside(() => publicError(NO_SUCH_PAGE))),
    error: answerFailed(parts.failures),
  };
}

/** As Bun's router wants the paths: `/pets/{petId}` is `/v1/pets/:petId`. */
function v1Resources(parts: RunParts): Record<string, Resource> {
  const resources: Record<string, Resource> = {};
  for (const operation of OPERATIONS) {
    const path = `/v1${operation.path.replaceAll(/\{(\w+)\}/g, ":$1")}`;
    resources[path] = { ...resources[path], [operation.method]: new RunnableOperation(operation, parts) };
  }
  return resources;
}
