// By its path, because the package does not export it. The executable embeds it.
import scalarFile from "../../../node_modules/@scalar/fastify-api-reference/dist/js/standalone.js" with {
  type: "file",
};
import { lazy } from "../../domain/lazy.ts";
import { openapiDocument } from "../openapi/document.ts";
import type { PublicUrls } from "../operation.ts";
import { asset } from "./asset.ts";
import docsHtml from "./docs.html" with { type: "text" };
import { SAFE_HEADERS, safeHeaders } from "./headers.ts";
import landingHtml from "./landing.html" with { type: "text" };
import type { PublicPage } from "./page.ts";
import { REFERENCE_PATH, SCALAR_PATH } from "./paths.ts";
import referenceScript from "./reference.js" with { type: "text" };

const FRESH = { "Cache-Control": "no-cache" };
const IMMUTABLE = { "Cache-Control": "public, max-age=31536000, immutable" };
const HTML = { "Content-Type": "text/html; charset=utf-8" };
const SCRIPT = { "Content-Type": "text/javascript; charset=utf-8" };

export type DocsPages = Record<"landing" | "docs" | "scalar" | "reference" | "openapi", PublicPage>;

/** The pages for people: what this is, and the live reference. */
export function docsPages(urls: PublicUrls): DocsPages {
  const { origin } = new URL(urls.publicUrl);
  // Bun types every .html import as a bundle; imported as text it is a string.
  const filled = (html: unknown): string =>
    String(html)
      .replaceAll("{publicUrl}", () => Bun.escapeHTML(urls.publicUrl))
      .replaceAll("{scalarPath}", SCALAR_PATH)
      .replaceAll("{referencePath}", REFERENCE_PATH);
  const landing = filled(landingHtml);
  // Nothing is loaded from or sent to anywhere but this server, whatever a script on the page may try.
  const docsSources = {
    "script-src": "'self'",
    // Scalar makes its styles as it goes.
    "style-src": "'unsafe-inline'",
    "img-src": "'self' data:",
    "font-src": "data:",
    "connect-src": `'self' ${origin}`,
  };
  const openapi = lazy(() => textAsset(JSON.stringify(openapiDocument(urls)), { "Content-Type": "application/json" }));

  return {
    landing: textAsset(landing, {
      ...HTML,
      ...safeHeaders({ "style-src": hashOfStyle(landing), "img-src": "data:" }),
    }),
    docs: textAsset(filled(docsHtml), { ...HTML, ...safeHeaders(docsSources) }),
    scalar: asset({
      content: Bun.file(scalarFile),
      tag: SCALAR_PATH,
      headers: { ...SAFE_HEADERS, ...SCRIPT, ...IMMUTABLE },
    }),
    reference: textAsset(referenceScript, SCRIPT),
    openapi: (request, server) => openapi()(request, server),
  };
}

const textAsset = (text: string, headers: Record<string, string>): PublicPage =>
  asset({
    content: new Blob([text]),
    tag: Bun.hash(text).toString(36),
    headers: { ...SAFE_HEADERS, ...FRESH, ...headers },
  });

/** The source that allows the one style sheet in a page, and no other. */
function hashOfStyle(html: string): string {
  const [, style = ""] = /<style>(.*?)<\/style>/s.exec(html) ?? [];
  return `'sha256-${new Bun.CryptoHasher("sha256").update(style).digest("base64")}'`;
}
