/** Directives of a Content-Security-Policy: a page may load nothing but what is listed. */
type Sources = Readonly<Record<`${"script" | "style" | "img" | "font" | "connect"}-src`, string>>;

/** The headers of everything outside /v1: no browser may sniff its type, frame it, or run what is not allowed. */
export const safeHeaders = (sources: Partial<Sources> = {}): Record<string, string> => ({
  "Content-Security-Policy": [
    "default-src 'none'",
    ...Object.entries(sources).map(([directive, source]) => `${directive} ${source}`),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
});

export const SAFE_HEADERS = safeHeaders();
