import { safeHeaders } from "../http/pages/headers.ts";

/** Nothing from elsewhere, nothing inline, nobody's frame, and no window of another site that has hold of ours. */
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

/** The name of an asset has a digest of its content in it. */
export const ASSET_HEADERS: Readonly<Record<string, string>> = {
  ...safeHeaders(),
  ...EVERYWHERE,
  "Cache-Control": "public, max-age=31536000, immutable",
};
