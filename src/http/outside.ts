import type { Server } from "bun";
import type { TrustedProxies } from "../access/address.ts";
import { type Awaitable, andThen } from "../base/time/awaitable.ts";
import { BAD_HOST, NOT_A_PROXY } from "./faults/faults.ts";
import { publicError } from "./pages/page.ts";
import { callerAddress } from "./pipeline/caller-address.ts";
import type { Handler } from "./pipeline/handler.ts";
import { hasUnreadBody } from "./pipeline/unread-body.ts";
import { HeldFloods } from "./reply/floods.ts";
import { endConnection } from "./reply/header-template.ts";
import { hasRepeatedHost } from "./v1-handler.ts";

/** Holds the response to a request back if its address has caused a flood. */
export type HoldBack = (request: Request, server: Server<undefined>, response: Response) => Awaitable<Response>;

export function createHoldBack(trustedProxies: TrustedProxies): HoldBack {
  const floods = new HeldFloods();
  return (request, server, response) => floods.bound(callerAddress(request, server, trustedProxies), response, request);
}

/** Outside /v1, refuses tunnels and two Host headers, and closes connections with unread bodies, as V1Handler does. */
export const outside =
  (holdBack: HoldBack, page: Handler): Handler =>
  (request, server) => {
    if (request.method === "CONNECT") return holdBack(request, server, publicError(NOT_A_PROXY));
    const response = hasRepeatedHost(request)
      ? holdBack(request, server, publicError(BAD_HOST))
      : page(request, server);
    return hasUnreadBody(request) ? andThen(response, endConnection) : response;
  };
