import { andThen } from "../base/time/awaitable.ts";
import { BAD_HOST, NOT_A_PROXY } from "./faults/faults.ts";
import { hasRepeatedHost } from "./handler.ts";
import { publicError } from "./pages/page.ts";
import type { Handler, PublicPage } from "./pipeline/handler.ts";
import { hasUnreadBody } from "./pipeline/unread-body.ts";
import { endConnection } from "./reply/header-template.ts";

/** What V1Handler does for requests under /v1: tunnels and two Host headers are refused, and unread bodies end here. */
export const outside =
  (page: PublicPage): Handler =>
  (request, server) => {
    if (request.method === "CONNECT") return publicError(NOT_A_PROXY);
    const response = hasRepeatedHost(request) ? publicError(BAD_HOST) : page(request, server);
    return hasUnreadBody(request) ? andThen(response, endConnection) : response;
  };
