import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { launchChromium } from "../../../test/harness/browser/playwright.ts";
import { atEnd } from "../../../test/harness/cleanup.ts";
import { PACKED } from "./package.ts";
import { bundleSuite } from "./project.ts";

const DIST = join(PACKED.folder, "dist");
const PAGE = `<!doctype html><title>Front desk</title><link rel="icon" href="data:,">
<script type="importmap">${JSON.stringify({
  imports: { "animal-store-client": "/client/index.js", "animal-store-client/testing": "/client/testing.js" },
})}</script>`;

/** Serves a page, the checks, the client's unbundled files, and further routes. Returns the origin. */
export function startSite(more: Readonly<Record<string, () => Response>> = {}): string {
  const site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    routes: {
      ...more,
      "/": new Response(PAGE, { headers: { "Content-Type": "text/html" } }),
      "/suite.js": async () => new Response(await bundleSuite(), { headers: { "Content-Type": "text/javascript" } }),
      "/client/*": ({ url }) => new Response(Bun.file(join(DIST, new URL(url).pathname.slice("/client/".length)))),
    },
  });
  atEnd(() => site.stop(true));
  return `http://127.0.0.1:${site.port}`;
}

let browser: Promise<Browser> | undefined;

/** Opens a page in a real browser, and collects its errors. */
export async function openPage(url: string): Promise<{ page: Page; complaints: string[] }> {
  browser ??= startBrowser();
  const page = await (await browser).newPage();
  const complaints: string[] = [];
  page.on("console", (message) => void (message.type() === "error" && complaints.push(message.text())));
  page.on("pageerror", (error) => void complaints.push(String(error)));
  await page.goto(url);
  return { page, complaints };
}

async function startBrowser(): Promise<Browser> {
  const started = await launchChromium();
  atEnd(() => started.close());
  return started;
}
