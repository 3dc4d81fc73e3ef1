import { andThen } from "../base/time/awaitable.ts";
import { BAD_HOST, NOT_A_PROXY } from "./faults/faults.ts";
import { hasRepeatedHost } from "./handler.ts";
import { publicError } from "./pages/page.ts";
import type { Handler } from "./pipeline/handler.ts";
import { hasUnreadBody } from "./pipeline/unread-body.ts";
import { endConnection } from "./reply/header-template.ts";

/** Outside /v1, refuses tunnels and two Host headers, and closes connections with unread bodies, as V1Handler does. */
export const outside =
  (page: Handler): Handler =>
  (request, server) => {
    if (request.method === "CONNECT") return publicError(NOT_A_PROXY);
    const response = hasRepeatedHost(request) ? publicError(BAD_HOST) : page(request, server);
    return hasUnreadBody(request) ? andThen(response, endConnection) : response;
  };
