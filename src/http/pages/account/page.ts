import type { PublicPage } from "../../pipeline/handler.ts";
import type { Addresses } from "../../request/addresses.ts";
import { type AssetPage, asset } from "../asset.ts";
import { type BundledFile, PAGE_NAME } from "../bundled.ts";
import { environmentNote } from "../environment-note.ts";
import { safeHeaders } from "../headers.ts";
import { HTML } from "../layout.ts";
import { bundleAccount } from "./bundle.ts";

// The page of whoever holds a key. What it shows, it asks of /v1 with the key that is typed into it.

/** Nothing but what the page consists of, and the API on the same host: no images, fonts, forms or frames. */
const HEADERS = {
  ...safeHeaders({ "script-src": "'self'", "style-src": "'self'", "connect-src": "'self'" }),
  // No window that has opened the page, or that it leads to, can reach it.
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
};
const PAGE_HEADERS = { ...HEADERS, ...HTML, "Cache-Control": "no-store" };
const ASSET_HEADERS = { ...HEADERS, "Cache-Control": "public, max-age=31536000, immutable" };

export interface AccountPages {
  readonly page: PublicPage;
  /** Undefined: the page has no such file. */
  readonly file: (request: Request) => Promise<Response> | undefined;
}

export async function accountPages(addresses: Addresses): Promise<AccountPages> {
  const files = await bundleAccount();
  const assets = new Map(files.filter(({ name }) => name !== PAGE_NAME).map((file) => [file.name, sender(file)]));
  const html = new TextDecoder().decode(files.find(({ name }) => name === PAGE_NAME)?.content);
  return {
    page(request, server) {
      const note = environmentNote(addresses.urlsFor(request, server));
      return new Response(
        html.replace("<body>", () => `<body>${note}`),
        { headers: PAGE_HEADERS },
      );
    },
    file: (request) => assets.get(nameIn(request))?.(request),
  };
}

/** The last segment of the path. */
const nameIn = ({ url }: Request): string => url.replace(/\?.*/s, "").replace(/^.*\//s, "");

function sender({ type, content, compressed }: BundledFile): AssetPage {
  const headers = { ...ASSET_HEADERS, "Content-Type": type };
  return asset({ content: new Blob([content]), compressed, tag: Bun.hash(content).toString(36), headers });
}
