import { andThen } from "../domain/awaitable.ts";
import { BAD_HOST, NOT_A_PROXY } from "./faults.ts";
import { type Handler, hasRepeatedHost } from "./handler.ts";
import { endConnection } from "./header-template.ts";
import { type PublicPage, publicError } from "./pages/page.ts";
import { hasUnreadBody } from "./unread-body.ts";

/** What V1Handler does for requests under /v1: tunnels and two Host headers are refused, and unread bodies end here. */
export const outside =
  (page: PublicPage): Handler =>
  (request, server) => {
    if (request.method === "CONNECT") return publicError(NOT_A_PROXY);
    const response = hasRepeatedHost(request) ? publicError(BAD_HOST) : page(request, server);
    return hasUnreadBody(request) ? andThen(response, endConnection) : response;
  };
