import type { Server } from "bun";
import { clientAddress, type TrustedProxies } from "../../access/address.ts";

/** The address that a request is counted for. */
export function callerAddress(request: Request, server: Server<undefined>, trustedProxies: TrustedProxies): string {
  const peer = server.requestIP(request)?.address ?? "unknown";
  return clientAddress(peer, trustedProxies ? request.headers.get("x-forwarded-for") : null, trustedProxies);
}
