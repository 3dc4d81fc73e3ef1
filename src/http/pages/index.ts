import { lazy } from "../../domain/lazy.ts";
import type { PublicUrls } from "../operation.ts";
import type { DocsPages } from "./docs.ts";
import { healthPages } from "./health.ts";
import { limited, type PageHandlerParts, type PublicPage } from "./page.ts";
import { REFERENCE_PATH, SCALAR_PATH } from "./paths.ts";

export interface PageParts extends PublicUrls, PageHandlerParts {
  readonly isReady: () => Promise<boolean>;
}

/** Pages for people and probes, which need no key. Only the probes may be asked for as often as one likes. */
export function publicPages(parts: PageParts): Record<string, PublicPage> {
  const docs = lazy(async () => (await import("./docs.ts")).docsPages(parts));
  const docsPage = (name: keyof DocsPages): PublicPage =>
    limited(parts, async (request, server) => (await docs())[name](request, server));
  const { healthz, readyz } = healthPages(parts.isReady);
  return {
    "/": docsPage("landing"),
    "/docs": docsPage("docs"),
    [SCALAR_PATH]: docsPage("scalar"),
    [REFERENCE_PATH]: docsPage("reference"),
    "/openapi.json": docsPage("openapi"),
    "/healthz": healthz,
    "/readyz": readyz,
  };
}
