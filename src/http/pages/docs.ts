// By its path, because the package does not export it. The executable embeds it.
import scalarFile from "../../../node_modules/@scalar/fastify-api-reference/dist/js/standalone.js" with {
  type: "file",
};
import { lazy } from "../../domain/lazy.ts";
import { openapiDocument } from "../openapi/document.ts";
import type { PublicUrls } from "../operation.ts";
import docsHtml from "./docs.html" with { type: "text" };
import landingHtml from "./landing.html" with { type: "text" };
import type { PublicPage } from "./page.ts";
import { SCALAR_PATH } from "./scalar.ts";

const IMMUTABLE = "public, max-age=31536000, immutable";
const FRESH = "no-cache";

/** Nothing is loaded from or sent to anywhere but this server, whatever a script on the page may try. */
const contentSecurityPolicy = (origin: string): string =>
  [
    "default-src 'none'",
    "script-src 'self' 'unsafe-inline'",
    "style-src 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src data:",
    `connect-src 'self' ${origin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

export type DocsPages = Record<"landing" | "docs" | "scalar" | "openapi", PublicPage>;

/** The pages for people: what this is, and the live reference. */
export function docsPages(urls: PublicUrls): DocsPages {
  const { origin } = new URL(urls.publicUrl);
  const htmlHeaders = {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": FRESH,
    "Content-Security-Policy": contentSecurityPolicy(origin),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
  };
  // Bun types every .html import as a bundle; imported as text it is a string.
  const html = (text: unknown): PublicPage => {
    const body = String(text)
      .replaceAll("{publicUrl}", () => urls.publicUrl)
      .replaceAll("{scalarPath}", SCALAR_PATH);
    return () => new Response(body, { headers: htmlHeaders });
  };
  const openapiText = lazy(() => JSON.stringify(openapiDocument(urls)));

  const landing = html(landingHtml);
  const docs = html(docsHtml);
  const scalar: PublicPage = () =>
    new Response(Bun.file(scalarFile), {
      headers: { "Content-Type": "text/javascript; charset=utf-8", "Cache-Control": IMMUTABLE },
    });
  const openapi: PublicPage = () =>
    new Response(openapiText(), { headers: { "Content-Type": "application/json", "Cache-Control": FRESH } });
  return { landing, docs, scalar, openapi };
}
