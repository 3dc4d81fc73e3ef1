import { safeHeaders } from "../http/pages/headers.ts";

/** No other site may load resources of the console, or keep a handle on its window. */
const consoleHeaders = (
  cacheControl: string,
  sources?: Parameters<typeof safeHeaders>[0],
): Readonly<Record<string, string>> => ({
  ...safeHeaders(sources),
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  "Cache-Control": cacheControl,
});

export const API_HEADERS = consoleHeaders("no-store");

export const PAGE_HEADERS = consoleHeaders("no-store", {
  "script-src": "'self'",
  "style-src": "'self'",
  "img-src": "'self' data:",
  "font-src": "'self'",
  "connect-src": "'self'",
});

/** Immutable: the name of an asset contains a digest of its content. */
export const ASSET_HEADERS = consoleHeaders("public, max-age=31536000, immutable");
