import { readFileSync } from "node:fs";
// Imported by its path, because the package does not export it. The executable embeds it.
import scalarFile from "../../../../node_modules/@scalar/fastify-api-reference/dist/js/standalone.js" with {
  type: "file",
};
import { lazy } from "../../../base/lazy.ts";
import type { PublicUrls } from "../../declare/operation.ts";
import { openapiDocument } from "../../openapi/document.ts";
import { openapi30Document } from "../../openapi/document-30.ts";
import type { PublicPage } from "../../pipeline/handler.ts";
import type { Addresses } from "../../request/addresses.ts";
import { asset } from "../asset.ts";
import faviconFile from "../favicon.ico" with { type: "file" };
import { SAFE_HEADERS, safeHeaders } from "../headers.ts";
import landingHtml from "../landing.html" with { type: "text" };
import accountHtml from "../landing-account.html" with { type: "text" };
import consoleHtml from "../landing-console.html" with { type: "text" };
import { filled, HTML, inLayout } from "../layout.ts";
import notFoundHtml from "../not-found.html" with { type: "text" };
import { SCALAR_PATH } from "../paths.ts";
import docsHtml from "./docs.html" with { type: "text" };
import exactIntegersScript from "./exact-integers.js" with { type: "text" };
import referenceScript from "./reference.js" with { type: "text" };

const FRESH = { "Cache-Control": "no-cache" };
const FOR_A_DAY = { "Cache-Control": "public, max-age=86400" };
const IMMUTABLE = { "Cache-Control": "public, max-age=31536000, immutable" };
const SCRIPT = { "Content-Type": "text/javascript; charset=utf-8" };
const JSON_TYPE = { "Content-Type": "application/json" };
const ICON = { "Content-Type": "image/x-icon" };

/** Pages that contain addresses, made once for each. */
type AddressedPages = Record<"landing" | "docs" | "openapi" | "openapi30" | "notFound", PublicPage>;

export type DocsPages = AddressedPages & Record<"scalar" | "reference" | "favicon", PublicPage>;

/** The pages for people: what this is, the live reference, and the way back to them. */
export function docsPages(
  addresses: Addresses,
  has: { readonly console: boolean; readonly account: boolean },
): DocsPages {
  // Weak: kept for as long as the addresses are.
  const made = new WeakMap<PublicUrls, AddressedPages>();
  const documents = { in31: createDocumentText(openapiDocument), in30: createDocumentText(openapi30Document) };
  const landing = String(landingHtml)
    .replace("{console}", has.console ? String(consoleHtml) : "")
    .replace("{account}", has.account ? String(accountHtml) : "");
  const addressed =
    (name: keyof AddressedPages): PublicPage =>
    (request, server) => {
      const urls = addresses.urlsFor(request, server);
      const pages = made.getOrInsertComputed(urls, () => addressedPages(urls, landing, documents));
      return pages[name](request, server);
    };
  return {
    landing: addressed("landing"),
    docs: addressed("docs"),
    openapi: addressed("openapi"),
    openapi30: addressed("openapi30"),
    notFound: addressed("notFound"),
    scalar: asset({
      content: Bun.file(scalarFile),
      tag: SCALAR_PATH,
      headers: { ...SAFE_HEADERS, ...SCRIPT, ...IMMUTABLE },
    }),
    reference: smallAsset(`${exactIntegersScript}\n${referenceScript}`, SCRIPT),
    favicon: smallAsset(readFileSync(faviconFile), { ...ICON, ...FOR_A_DAY }),
  };
}

type DocumentText = (urls: PublicUrls) => string;

/** Makes a document as JSON once, which takes 20 ms; for another address, only that is replaced. */
function createDocumentText(document: (urls: PublicUrls) => object): DocumentText {
  let text: string | undefined;
  return (urls) => {
    text ??= JSON.stringify(document({ ...urls, publicUrl: `${STAND_IN}v1`, docsUrl: `${STAND_IN}docs` }));
    const base = JSON.stringify(urls.publicUrl.replace(/v1$/, "")).slice(1, -1);
    return text.replaceAll(STAND_IN, () => base);
  };
}

/** A placeholder for the start of all addresses. No setting can contain it: a host has no brace. */
const STAND_IN = "http://{address}/";

function addressedPages(
  urls: PublicUrls,
  landingText: string,
  documents: Readonly<Record<"in31" | "in30", DocumentText>>,
): AddressedPages {
  // Nothing is loaded from or sent to anywhere but this server, whatever a script on the page may try.
  const docsSources = {
    "script-src": "'self'",
    // Scalar creates its styles at run time.
    "style-src": "'unsafe-inline'",
    "img-src": "'self' data:",
    "font-src": "data:",
    "connect-src": ["'self'", ...originOf(urls)].join(" "),
  };
  const landing = inLayout("Animal Store", landingText, urls);
  const openapi = lazy(() => smallAsset(documents.in31(urls), JSON_TYPE));
  const openapi30 = lazy(() => smallAsset(documents.in30(urls), JSON_TYPE));
  return {
    landing: smallAsset(landing.html, landing.headers),
    docs: smallAsset(filled(docsHtml, "Animal Store API reference", urls), { ...HTML, ...safeHeaders(docsSources) }),
    openapi: (request, server) => openapi()(request, server),
    openapi30: (request, server) => openapi30()(request, server),
    notFound: missing(inLayout("Nothing here: Animal Store", notFoundHtml, urls)),
  };
}

/** The origin to connect to; none for a path alone. */
const originOf = ({ publicUrl }: PublicUrls): string[] => (URL.canParse(publicUrl) ? [new URL(publicUrl).origin] : []);

const smallAsset = (content: string | Uint8Array<ArrayBuffer>, headers: Readonly<Record<string, string>>): PublicPage =>
  asset({
    content: new Blob([content]),
    tag: Bun.hash(content).toString(36),
    headers: { ...SAFE_HEADERS, ...FRESH, ...headers },
  });

const missing =
  ({ html, headers }: ReturnType<typeof inLayout>): PublicPage =>
  () =>
    new Response(html, { status: 404, headers: { ...headers, "Cache-Control": "no-store" } });
