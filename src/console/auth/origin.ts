import type { Caller } from "../../http/pages/console/relay.ts";
import { isRead } from "../../http/pipeline/handler.ts";
import type { ConsoleSettings } from "../handler.ts";

/**
 * Returns whether a request comes from a page of this console. Browsers send Origin with every change, and under
 * https and on localhost Sec-Fetch-Site, which no script can set. Both must be right if present; a change needs one.
 */
export function isSameOrigin(request: Request, { origin: asked }: Caller, settings: ConsoleSettings): boolean {
  const { headers } = request;
  const site = headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin") return false;
  const origin = headers.get("origin");
  if (origin !== null) return isOwn(origin, asked, settings);
  return site !== null || isRead(request);
}

/** Behind a proxy that ends TLS without saying so, we see http where the browser sees https. */
function isOwn(origin: string, asked: string | undefined, { publicUrl, isApart }: ConsoleSettings): boolean {
  if (asked !== undefined && (origin === asked || origin === asked.replace(/^http:/, "https:"))) return true;
  return publicUrl !== undefined && !isApart && origin === new URL(publicUrl).origin;
}
