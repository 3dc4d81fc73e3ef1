import type { PublicUrls } from "../declare/operation.ts";
import { serversOf } from "../openapi/servers.ts";
import { environmentNote } from "./environment-note.ts";
import { safeHeaders } from "./headers.ts";
import layoutHtml from "./layout.html" with { type: "text" };
import { REFERENCE_PATH, SCALAR_PATH } from "./paths.ts";

export const HTML = { "Content-Type": "text/html; charset=utf-8" };

/** Puts a small page into the layout that all of them have: its look, and what it says of the environment. */
export function inLayout(title: string, content: unknown, urls: PublicUrls) {
  const html = filled(
    String(layoutHtml).replace("{content}", () => String(content).trimEnd()),
    title,
    urls,
  );
  return { html, headers: { ...HTML, ...safeHeaders({ "style-src": hashOfStyle(html), "img-src": "'self'" }) } };
}

/** Fills in the placeholders of a page. Bun types an .html import as a bundle; as text it is a string. */
export function filled(html: unknown, title: string, urls: PublicUrls): string {
  const [own, other] = serversOf(urls);
  const texts: Record<string, string> = {
    title: urls.environment === "staging" ? `${title} (staging)` : title,
    publicUrl: urls.publicUrl,
    root: rootOf(urls),
    ownDescription: own.description,
    otherUrl: other?.url ?? "",
    otherDescription: other?.description ?? "",
    scalarPath: SCALAR_PATH,
    referencePath: REFERENCE_PATH,
  };
  return String(html)
    .replaceAll("{environment}", () => environmentNote(urls))
    .replaceAll(/\{(\w+)\}/g, (placeholder, name) => Bun.escapeHTML(texts[name] ?? placeholder));
}

/** The path of the pages, without a host: links stay on the one that the browser has found. */
const rootOf = ({ docsUrl }: PublicUrls): string => new URL(docsUrl, "http://localhost").pathname.replace(/docs$/, "");

/** The source that allows the one style sheet in a page, and no other. */
function hashOfStyle(html: string): string {
  const [, style = ""] = /<style>(.*?)<\/style>/s.exec(html) ?? [];
  return `'sha256-${new Bun.CryptoHasher("sha256").update(style).digest("base64")}'`;
}
