import { lazy } from "../../domain/lazy.ts";
import type { PublicUrls } from "../operation.ts";
import type { DocsPages } from "./docs.ts";
import { healthPages } from "./health.ts";
import type { PublicPage } from "./page.ts";
import { REFERENCE_PATH, SCALAR_PATH } from "./paths.ts";

export interface PageParts extends PublicUrls {
  readonly isReady: () => Promise<boolean>;
}

type Pages = Readonly<Record<string, PublicPage>>;

/** What needs no key: pages for people, and probes. */
export function publicPages(parts: PageParts): { readonly pages: Pages; readonly probes: Pages } {
  const docs = lazy(async () => (await import("./docs.ts")).docsPages(parts));
  const docsPage =
    (name: keyof DocsPages): PublicPage =>
    async (request, server) =>
      (await docs())[name](request, server);
  const { healthz, readyz } = healthPages(parts.isReady);
  return {
    pages: {
      "/": docsPage("landing"),
      "/docs": docsPage("docs"),
      [SCALAR_PATH]: docsPage("scalar"),
      [REFERENCE_PATH]: docsPage("reference"),
      "/openapi.json": docsPage("openapi"),
    },
    probes: { "/healthz": healthz, "/readyz": readyz },
  };
}
