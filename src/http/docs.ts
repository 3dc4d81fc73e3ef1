// By its path, since the package does not name it: so that an executable has it inside, too.
import scalarFile from "../../node_modules/@scalar/fastify-api-reference/dist/js/standalone.js" with { type: "file" };
import docsHtml from "./docs.html" with { type: "text" };
import landingHtml from "./landing.html" with { type: "text" };
import type { Page } from "./page.ts";
import { SCALAR_PATH } from "./scalar.ts";

const IMMUTABLE = "public, max-age=31536000, immutable";
const FRESH = "no-cache";

/** Nothing outside of this server is loaded or asked, whatever a script on the page may try. */
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

export type DocsPages = Record<"landing" | "docs" | "scalar" | "openapi", Page>;

/** The pages for people: what this is, and the live reference. The document is made when first asked for. */
export function docsPages(publicUrl: string): DocsPages {
  const { origin } = new URL(publicUrl);
  const htmlHeaders = {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": FRESH,
    "Content-Security-Policy": contentSecurityPolicy(origin),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
  };
  // Bun types every .html import as a bundle; imported as text it is text.
  const html = (text: unknown): Page => {
    const body = String(text)
      .replaceAll("{publicUrl}", () => publicUrl)
      .replaceAll("{scalarPath}", SCALAR_PATH);
    return () => new Response(body, { headers: htmlHeaders });
  };
  let openapiText: Promise<string> | undefined;

  const landing = html(landingHtml);
  const docs = html(docsHtml);
  const scalar: Page = () =>
    new Response(Bun.file(scalarFile), {
      headers: { "Content-Type": "text/javascript; charset=utf-8", "Cache-Control": IMMUTABLE },
    });
  const openapi: Page = async () => {
    openapiText ??= import("./openapi/document.ts").then(({ openapiDocument }) =>
      JSON.stringify(openapiDocument(publicUrl)),
    );
    return new Response(await openapiText, { headers: { "Content-Type": "application/json", "Cache-Control": FRESH } });
  };
  return { landing, docs, scalar, openapi };
}
