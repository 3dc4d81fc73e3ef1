import { safeHeaders } from "../http/pages/headers.ts";

/** No other site may load resources of the console, or keep a handle on its window. */
const EVERYWHERE = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
};

export const API_HEADERS: Readonly<Record<string, string>> = {
  ...safeHeaders(),
  ...EVERYWHERE,
  "Cache-Control": "no-store",
};

export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  ...safeHeaders({
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "font-src": "'self'",
    "connect-src": "'self'",
  }),
  ...EVERYWHERE,
  "Cache-Control": "no-store",
};

/** Immutable: the name of an asset contains a digest of its content. */
export const ASSET_HEADERS: Readonly<Record<string, string>> = {
  ...safeHeaders(),
  ...EVERYWHERE,
  "Cache-Control": "public, max-age=31536000, immutable",
};
