import { andThen } from "../base/time/awaitable.ts";
import { readable } from "./cors/cors.ts";
import { OPERATIONS } from "./operations/index.ts";
import { createHoldBack, outside } from "./outside.ts";
import { consolePage } from "./pages/console/visitors.ts";
import { type PageParts, publicPages } from "./pages/index.ts";
import { answerFailed, limited, type PageHandlerParts, pageHandler, withMalfunctions } from "./pages/page.ts";
import { DOCUMENT_PATHS } from "./pages/paths.ts";
import type { Handler } from "./pipeline/handler.ts";
import { answeringOptions } from "./preflight.ts";
import { HeldFloods } from "./reply/floods.ts";
import { plainPaths } from "./request/plain-path.ts";
import type { RunParts } from "./run-operation.ts";
import { type HandlerParts, type Resource, resourcesOf, V1Handler } from "./v1-handler.ts";

type RouteParts = RunParts & HandlerParts & PageParts & PageHandlerParts;

/** All routes of the server: the API, which needs a key; pages and probes, which do not; and the rest. */
export function createRoutes(parts: RouteParts) {
  const { cors } = parts;
  const preflightFloods = new HeldFloods();
  const v1 = (resource: Resource | undefined): Handler => {
    const { handle } = new V1Handler(parts, resource);
    return cors ? answeringOptions(parts, cors, preflightFloods, resource, handle) : handle;
  };
  const routes: Record<string, Handler> = { "/v1": v1(undefined), "/v1/*": v1(undefined) };
  for (const [path, resource] of Object.entries(resourcesOf(OPERATIONS, parts))) routes[path] = v1(resource);

  const { pages, probes, notFound } = publicPages(parts);
  const holdBack = createHoldBack(parts.trustedProxies);
  for (const [path, page] of Object.entries(pages)) {
    const handler = limited(parts, pageHandler(parts.failures, page));
    routes[path] = outside(holdBack, cors && DOCUMENT_PATHS.includes(path) ? readable(cors, handler) : handler);
  }
  // A probe is never refused: an orchestrator would restart the service for it.
  for (const [path, probe] of Object.entries(probes)) {
    const handler = pageHandler(parts.failures, probe);
    routes[path] = outside(holdBack, (request, server) =>
      andThen(handler(request, server), (response) => holdBack(request, server, response)),
    );
  }
  const fetch = outside(holdBack, limited(parts, withMalfunctions(parts.failures, notFound)));
  if (parts.console)
    Object.assign(routes, plainPaths("/console", outside(holdBack, consolePage(parts, parts.console)), fetch));
  return {
    routes,
    fetch,
    error: answerFailed(parts.failures),
  };
}
