import { lazy } from "../../base/lazy.ts";
import { type AssetPage, asset } from "../../http/pages/asset.ts";
import { type BundledFile, PAGE_NAME } from "../../http/pages/bundled.ts";
import { ASSET_HEADERS, PAGE_HEADERS } from "../headers.ts";
import { ASSETS_PATH, bundlePages } from "./bundle.ts";

/** Tells the scripts the path of the console. */
const BASE_META = (base: string): string => `<meta name="console-base" content="${Bun.escapeHTML(base)}">`;

/** `base`: the path of the console as browsers see it. */
export function createPages(base: string) {
  const files = lazy(async () => {
    const placed = (await bundlePages()).map((file) => placedAt(base, file));
    return new Map(placed.map((file) => [file.name, sender(file)]));
  });
  return {
    /** The single page, which is served at every address. */
    page: async (request: Request) => ((await files()).get(PAGE_NAME) as AssetPage)(request),
    /** Undefined: there is no such file. */
    async asset(name: string, request: Request) {
      const send = name === PAGE_NAME ? undefined : (await files()).get(name);
      return send?.(request);
    },
  };
}

/** Puts the path of the console into the page; where it is not the bundler's, into all files. */
function placedAt(base: string, file: BundledFile): BundledFile {
  const isElsewhere = `${base}/assets/` !== ASSETS_PATH;
  if (!isElsewhere && file.name !== PAGE_NAME) return file;
  const { name, type } = file;
  if (!/^text\/(?:html|css|javascript)/.test(type)) return file;
  const text = new TextDecoder()
    .decode(file.content)
    .replaceAll(ASSETS_PATH, () => `${base}/assets/`)
    .replace("<head>", () => `<head>${BASE_META(base)}`);
  return { name, type, content: new TextEncoder().encode(text) };
}

function sender({ name, type, content, compressed }: BundledFile): AssetPage {
  const headers = { ...(name === PAGE_NAME ? PAGE_HEADERS : ASSET_HEADERS), "Content-Type": type };
  const tag = Bun.hash(content).toString(36);
  return asset({ content: new Blob([content]), compressed, tag, headers });
}
